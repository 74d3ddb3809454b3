// core/engine: one cell of attention in every stage, and the terms of its weight.
#pragma once

#include <cstdint>
#include <optional>

#include "core/document/mask.hpp"
#include "core/engine/cell_row.hpp"

namespace attnscope {

/// One cell of one head, and the key/value head that the head reads.
struct CellPlace {
  std::int64_t b = 0, h = 0, kv = 0, query = 0, key = 0;
  bool operator==(const CellPlace&) const = default;
};

/// The numbers of a cell in every stage.
struct CellFacts : CellPlace {
  bool masked = false;  // hidden by the rule, even if its weight is not 0
  double score = 0, scaled = 0, capped = 0, bias = 0, hidden = 0;  // hidden: after the mask
  double softmax = 0;                                              // the softmax's weight
  double own = 0;               // the head's own weight: the softmax's, or linear attention's
  double weight = 0;            // the weight in use: its own, or that of the intervention
  double mixed = 0;             // after dropout: the weight that mixes the values
  double largest = 0, sum = 0;  // of the masked row: the subtracted value, Σ exp((x - largest) / τ)
  double shifted = 0;           // (hidden - largest) / τ
  double exponential = 0;       // e^shifted in float64, the numerator of the softmax
  bool overflows = false;       // `exponential` is infinite in float32: naive softmax only
  std::int64_t rank = 1;        // of the weight in its row; if the head is muted, of its own weight
  std::int64_t allowed = 0;
  bool is_computed = false;    // see CellRow
  bool has_bias = false;       // the positions add a bias
  std::optional<double> full;  // full attention's weight of a cell that a window or pattern hides
};
/// The facts of a cell of `row`, the row of the place's query in the result; `rule` is the result's mask.
/// `full` is not set, see full_weight().
CellFacts cell_facts(const LayerResult&, const MaskRule& rule, const CellRow& row, const CellPlace&);

/// Full attention's weight of a cell of `row`: the softmax of the whole row under the rule `full`, which is
/// the result's without window, pattern and mistakes (MaskRule::without_sparsity()).
double full_weight(const LayerResult&, const MaskRule& full, const CellRow& row, const CellPlace&);

}  // namespace attnscope
