// app/views/held: in a few words, what is set differently in two Documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope {

/// One setting that two Documents have differently, as short as a tag: "scale", "÷ √8", "÷ 1".
struct SettingDifference {
  std::string_view name;
  std::string a, b;  // never empty, never the same
  bool operator==(const SettingDifference&) const = default;
};

/// Every setting that differs, what is turned most often first: text, scale, mask, temperature. Empty only
/// where both are computed alike. Blocks of more than a million numbers are told apart by where they came
/// from, not number by number.
std::vector<SettingDifference> differing_settings(const Document& a, const Document& b);

/// "÷ √8", "causal", "τ 1.00": the settings that matter most.
std::string scale_words(const Document&);
std::string mask_words(const Document&);
std::string temperature_words(const Document&);

/// One sentence: why no cell of B stands for one of A and what to do; empty where each does.
std::string why_no_cells(const Dimensions& a, const Dimensions& b);

}  // namespace attnscope
