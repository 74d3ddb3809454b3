// app/views/held: how settings are worded that take more than a row of core/document/setting_table.hpp, in
// two rooms: text and weights here, attention itself in settings.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/document/document.hpp"

namespace attnscope {

/// What `self` calls its side of a setting, knowing the other side; empty where both are the same.
struct SettingWords {
  std::string_view name;
  std::string (*words)(const Document& self, const Document& other);
};

/// The texts, and what they are looked up in or come as; then everything else that is not attention itself.
std::span<const SettingWords> text_settings();
std::span<const SettingWords> weight_settings();

std::string written(float value, int places = 2);
/// Number by number, while that is quick.
bool same_numbers(const TensorPtr&, const TensorPtr&);

}  // namespace attnscope
