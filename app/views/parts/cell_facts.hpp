// app/views/parts: what the inspector says of one cell: its value in every stage, and the lines that lead
// from the score to the weight.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/scene/scene.hpp"

namespace attnscope {

/// One cell of one head, and the head of keys and values that serves it.
struct CellPlace {
  std::int64_t b = 0, h = 0, kv = 0, query = 0, key = 0;
  bool operator==(const CellPlace&) const = default;
};
/// The cell that the mouse previews, else the chosen one.
CellPlace shown_place(const Shown&);
/// The chosen one, whatever the mouse is on.
CellPlace chosen_place(const Scene&);

/// A cell in every stage it passes.
struct CellFacts : CellPlace {
  bool masked = false;                                             // hidden by the rule, whatever its weight
  double score = 0, scaled = 0, capped = 0, bias = 0, hidden = 0;  // hidden: after the mask
  double softmax = 0;                                              // the softmax's weight
  double own = 0;               // the head's own weight: the softmax's, or linear attention's
  double weight = 0;            // the one that counts: its own, or what intervention put in its place
  double mixed = 0;             // after dropout: what mixes the values
  double largest = 0, sum = 0;  // of the masked row: the value that is subtracted, Σ exp((x - largest) / τ)
  std::int64_t rank = 1;        // of the weight in its row; of a muted head of its own weight
  std::int64_t allowed = 0;
  bool is_computed = false;    // see CellRow
  bool has_bias = false;       // the positions add one
  std::optional<double> full;  // what full attention had put on a cell that a window or pattern hides
};
/// `row` is that of the place's query.
CellFacts facts_of(const Shown&, const CellPlace&, const CellRow& row);
/// Of a result that keeps its planes.
CellFacts facts_of(const Shown&, const CellPlace&);
inline CellFacts facts_of(const Shown& shown) { return facts_of(shown, shown_place(shown)); }

/// How the bias of a cell comes about: "b(head, −3)"; by rows and columns in a window; of disentangled
/// positions with their factor.
std::string bias_formula(const LayerResult&, const CellPlace&);

/// "scaled   × 1/√8 = 0.354   4.701"
struct LadderLine {
  std::string name, how, value;
  bool is_result = false;           // the weight itself
  bool is_check = false;            // a remark, not a step
  std::optional<Stage> stage = {};  // whose picture shows this step
};
/// The steps from the score to the weight, and the same in float64.
std::vector<LadderLine> ladder_of(Scene&, const CellFacts&);

}  // namespace attnscope
