// app/views/parts: the inspector's facts about one cell: its value in every stage, and the steps from the
// score to the weight.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/scene/scene.hpp"
#include "core/engine/cell_facts.hpp"

namespace attnscope {

/// The cell that the mouse previews, else the chosen one.
CellPlace shown_place(const Shown&);
/// The chosen cell, wherever the mouse is.
CellPlace chosen_place(const Scene&);

/// The cell's numbers, see core/engine/cell_facts.hpp, with the weight of full attention there. `row` is the
/// row of the place's query.
CellFacts facts_of(const Shown&, const CellPlace&, const CellRow& row);
/// For a result that keeps its planes.
CellFacts facts_of(const Shown&, const CellPlace&);
inline CellFacts facts_of(const Shown& shown) { return facts_of(shown, shown_place(shown)); }

/// The formula of a cell's bias: "b(head, −3)"; by rows and columns in a window; for disentangled positions
/// with their factor.
std::string bias_formula(const LayerResult&, const CellPlace&);

/// "scaled   × 1/√8 = 0.354   4.701"
struct LadderLine {
  std::string name, how, value;
  bool is_result = false;           // the weight itself
  bool is_check = false;            // a remark, not a step
  std::optional<Stage> stage = {};  // whose picture shows this step
};
/// The steps from the score to the weight, with the float64 reference.
std::vector<LadderLine> ladder_of(Scene&, const CellFacts&);

}  // namespace attnscope
