// core/analysis: the sums of one row on the CPU.
#pragma once

#include <span>

#include "core/analysis/mask_facts.hpp"
#include "core/analysis/row_sums.hpp"

namespace attnscope {

/// Scratch space, [keys] numbers each.
struct RowRoom {
  std::span<float> t, e;
};

/// The sums of a row's masked scores and weights. `same`, `content`, `function_words` and `dropped` stay 0:
/// see pattern_masses() and measure_row().
SumsOfRow sum_row(const RowNumbers&, float temperature, const MeasuredRow&, const TokenClasses&, RowRoom);

}  // namespace attnscope
