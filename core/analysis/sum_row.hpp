// core/analysis: the sums of one row on the CPU.
#pragma once

#include <span>

#include "core/analysis/mask_facts.hpp"
#include "core/analysis/row_sums.hpp"

namespace attnscope {

/// Room for [keys] numbers each; what they hold means nothing.
struct RowRoom {
  std::span<float> t, e;
};

/// Of a row's masked scores and weights; `same`, `content` and `function_words` stay 0: see pattern_masses().
SumsOfRow sum_row(const RowNumbers&, float temperature, const MeasuredRow&, const TokenClasses&, RowRoom);

}  // namespace attnscope
