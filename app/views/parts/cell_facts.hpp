// app/views/parts: what the inspector says of one cell: its value in every stage, and the lines that lead
// from the score to the weight.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/scene/scene.hpp"
#include "core/engine/cell_facts.hpp"

namespace attnscope {

/// The cell that the mouse previews, else the chosen one.
CellPlace shown_place(const Shown&);
/// The chosen one, whatever the mouse is on.
CellPlace chosen_place(const Scene&);

/// The cell's numbers, see core/engine/cell_facts.hpp, with what full attention had put there.
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
