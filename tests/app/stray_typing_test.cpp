// Which letters are words: the rule alone, without a window.
#include "app/stray_typing.hpp"

#include <string_view>

#include <catch2/catch_test_macros.hpp>

using namespace attnscope;

TEST_CASE("stray letters are words when they cannot be keys") {
  StrayTyping typing;
  const auto type = [&](std::string_view letters, std::string_view keys, double gap = 0.1) {
    typing.begin(0);
    double at = 0;
    for (const char c : letters) typing.add(static_cast<char32_t>(c), keys.find(c) != keys.npos, at += gap);
    return typing.are_words();
  };
  CHECK_FALSE(type("s", "scl"));
  CHECK_FALSE(type("ss", "scl"));
  CHECK_FALSE(type("sssss", "scl"));
  CHECK_FALSE(type("scsc", "scl"));
  CHECK(type("scl", "scl"));
  CHECK(type("sa", "scl"));
  CHECK_FALSE(type("aaa", "scl"));
  CHECK_FALSE(type("123 4", "scl"));
  CHECK(type("2 cats", "scl"));
  CHECK(typing.text() == "2 cats");
  CHECK(typing.is_over(10));
}
