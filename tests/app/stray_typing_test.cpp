// Which typed letters count as words: the rule alone, without a window.
#include "app/kit/ui/stray_typing.hpp"

#include <string_view>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::stray_typing_test {

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

TEST_CASE("what was typed while a slow frame was made counts as typed at once") {
  StrayTyping typing;
  const auto key = [&](char c, double at) {
    if (typing.is_over(at)) typing.begin(at);
    typing.add(static_cast<char32_t>(c), true, at);
  };
  typing.frame(0, false);
  key('o', 0);
  typing.frame(0.9, true);  // the frame took this long; both letters had come by then
  key('n', 0.9);
  typing.frame(1.8, true);
  typing.frame(2.7, false);
  key('e', 2.7);
  CHECK(typing.are_words());
  // With slow typing: each key has its frames, and then there is a pause.
  typing.end();
  for (int i = 0; i < 4; ++i) {
    typing.frame(10 + i, false);
    key("sclo"[i], 10 + i);
    typing.frame(10.02 + i, false);
    typing.frame(10.04 + i, false);
    CHECK_FALSE(typing.are_words());
  }
  CHECK(typing.text() == "o");
}

}  // namespace attnscope::stray_typing_test
