// app/views/held: the settings in which two Documents differ, in a few words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope {

/// One setting in which two Documents differ, as short as a tag: "scale", "÷ √8", "÷ 1".
struct SettingDifference {
  std::string_view name;
  std::string a, b;  // never empty, never equal
  bool operator==(const SettingDifference&) const = default;
};

/// Every setting that differs, those changed most often first: text, scale, mask, temperature. Empty only if
/// both are computed alike. Blocks of more than a million numbers are compared by their source, not number by
/// number.
std::vector<SettingDifference> differing_settings(const Document& a, const Document& b);

/// "÷ √8", "causal", "τ 1.00": the settings that matter most.
std::string scale_words(const Document&);
std::string mask_words(const Document&);
std::string temperature_words(const Document&);

/// One sentence: why cells of A have no counterpart in B, and what to do; empty if they have.
std::string why_no_cells(const Dimensions& a, const Dimensions& b);

}  // namespace attnscope
