// core/engine: one cell of attention in every stage that it passes, and what its weight is made of.
#pragma once

#include <cstdint>
#include <optional>

#include "core/document/mask.hpp"
#include "core/engine/cell_row.hpp"

namespace attnscope {

/// One cell of one head, and the head of keys and values that serves it.
struct CellPlace {
  std::int64_t b = 0, h = 0, kv = 0, query = 0, key = 0;
  bool operator==(const CellPlace&) const = default;
};

/// A cell in every stage it passes.
struct CellFacts : CellPlace {
  bool masked = false;                                             // hidden by the rule, whatever its weight
  double score = 0, scaled = 0, capped = 0, bias = 0, hidden = 0;  // hidden: after the mask
  double softmax = 0;                                              // the softmax's weight
  double own = 0;               // the head's own weight: the softmax's, or linear attention's
  double weight = 0;            // the one that counts: its own, or what intervention put in its place
  double mixed = 0;             // after dropout: what mixes the values
  double largest = 0, sum = 0;  // of the masked row: the value that is subtracted, Σ exp((x - largest) / τ)
  double shifted = 0;           // (hidden - largest) / τ
  double exponential = 0;       // e^ of it in float64, which softmax divides by the sum
  bool overflows = false;       // in float32 that is infinite: of the naive softmax, which subtracts nothing
  std::int64_t rank = 1;        // of the weight in its row; of a muted head of its own weight
  std::int64_t allowed = 0;
  bool is_computed = false;    // see CellRow
  bool has_bias = false;       // the positions add one
  std::optional<double> full;  // what full attention had put on a cell that a window or pattern hides
};
/// Of a cell of `row`, which is that of the place's query in the result; `rule` is the result's mask. `full`
/// stays empty, see full_weight().
CellFacts cell_facts(const LayerResult&, const MaskRule& rule, const CellRow& row, const CellPlace&);

/// Full attention's weight of a cell of `row`: the softmax of the whole row under the rule `full`, which is
/// the result's without window, pattern and mistakes (MaskRule::without_sparsity()).
double full_weight(const LayerResult&, const MaskRule& full, const CellRow& row, const CellPlace&);

}  // namespace attnscope
