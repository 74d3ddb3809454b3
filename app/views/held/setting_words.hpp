// app/views/held: words for settings that need more than a row of core/document/setting_table.hpp, in two
// files: text and weights here, attention itself in settings.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/document/document.hpp"

namespace attnscope {

/// The words for `self`'s side of a setting, given the other side; empty if both are equal.
struct SettingWords {
  std::string_view name;
  std::string (*words)(const Document& self, const Document& other);
};

/// The texts, their vocabulary and their source; then everything else that is not attention itself.
std::span<const SettingWords> text_settings();
std::span<const SettingWords> weight_settings();

std::string written(float value, int places = 2);
/// Compares number by number if that is quick.
bool same_numbers(const TensorPtr&, const TensorPtr&);

}  // namespace attnscope
