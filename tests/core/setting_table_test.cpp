// The table of settings agrees with files, dirty.hpp and the check.
#include "core/document/setting_table.hpp"

#include <set>
#include <string>
#include <type_traits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/engine/dirty.hpp"
#include "core/files/document/open.hpp"
#include "core/samples.hpp"

namespace attnscope::setting_table_test {
namespace {

using Catch::Matchers::ContainsSubstring;

template <class T>
constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Another value that is within the limits.
template <class T>
T other_than(T value, const Limits& limits) {
  if constexpr (std::is_same_v<T, bool>) {
    return !value;
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(value == T{} ? 1 : 0);
  } else if constexpr (std::is_same_v<T, float>) {
    return limits.below < 2 ? 0.25f : value + 1.5f;
  } else {
    return value + 2;
  }
}

template <class Visit>
void for_each_plain(Visit visit) {
  for_each_setting([&](const auto& row) {
    using T = std::remove_cvref_t<decltype(row.of(std::declval<Document&>()))>;
    if constexpr (is_plain<T>) visit(row, std::type_identity<T>{});
  });
}

Document sample() {
  samples::Random random(1);
  return samples::text_document(random, {5}, 2, 16);
}

}  // namespace

TEST_CASE("every setting has a key of its own") {
  std::set<std::string_view> keys;
  for_each_setting([&](const auto& row) {
    INFO(row.key);
    CHECK(keys.insert(row.key).second);
  });
  CHECK(keys.size() > 45);
}

TEST_CASE("a setting that was changed alone is read back from its file, and touches what the table says") {
  for_each_plain([&](const auto& row, auto) {
    INFO(row.key);
    const Document was = sample();
    Document now = was;
    row.of(now) = other_than(row.of(was), row.limits);
    const Document again = document_from_json(to_json(now), "here");
    CHECK((row.of(again) == row.of(now)));
    const Fields changed = changed_fields(was, now);
    CHECK(changed.contains(row.touches));
    CHECK(changed_fields(now, now).empty());
  });
}

TEST_CASE("a value beyond its limits is refused, in a file and by the check") {
  for_each_plain([&]<class T>(const auto& row, std::type_identity<T>) {
    INFO(row.key);
    const Limits& limits = row.limits;
    Document document = sample();
    if constexpr (std::is_same_v<T, float>) {
      row.of(document) = static_cast<float>(limits.least) - (limits.open ? 0.0f : 0.5f);
      CHECK_THROWS_AS(check(document), Error);
      CHECK_THROWS_WITH(document_from_json(to_json(document), "here"),
                        ContainsSubstring('"' + std::string(row.key) + '"'));
    } else if constexpr (std::is_same_v<T, int>) {
      row.of(document) = static_cast<int>(limits.most) + 1;
      CHECK_THROWS_WITH(document_from_json(to_json(document), "here"),
                        ContainsSubstring('"' + std::string(row.key) + '"'));
      if (!limits.called.empty())
        CHECK_THROWS_WITH(check(document), ContainsSubstring(std::string(limits.called) + " is "));
    }
  });
}

TEST_CASE("enumerators are found by their keys, which are all different") {
  CHECK(enum_from<Precision>("bf16") == Precision::BFloat16);
  CHECK_FALSE(enum_from<Precision>("fp64"));
  CHECK(enum_choices<Precision>() == "fp32, bf16 or fp16");
  for_each_plain([&]<class T>(const auto& row, std::type_identity<T>) {
    INFO(row.key);
    if constexpr (std::is_enum_v<T>) {
      for (std::size_t i = 0; i < EnumNames<T>::list.size(); ++i)
        CHECK(enum_from<T>(EnumNames<T>::list[i].key) == static_cast<T>(i));
    }
  });
}

}  // namespace attnscope::setting_table_test
