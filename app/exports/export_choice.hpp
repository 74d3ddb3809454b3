// app/exports: which of the matrices on screen is exported or copied, and what it is called. One place
// decides, so that the menu, the dialog and the clipboard say and do the same.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/exports/export.hpp"
#include "app/scene/held.hpp"
#include "app/state/files_state.hpp"
#include "app/state/view_state.hpp"

namespace attnscope {

/// What there is to choose from.
struct ExportSource {
  const LayerResult& result;
  ResultStats& stats;
  const HeldSight* held;  // B beside it; null: none
  const ViewState& view;
  const Selection& selection;
};

struct ExportChoice {
  const LayerResult* result;
  ResultStats* stats;
  Exported what;
  std::string name;   // "Weights · head 3 · 6 × 6", to be said; in Compare with the side before it
  std::string plain;  // the same for the name of a file: "Weights of head 3"
};

/// In Compare one of three, else only what is looked at.
std::vector<ExportSide> export_sides(const ExportSource&);
ExportChoice export_choice(const ExportSource&);

}  // namespace attnscope
