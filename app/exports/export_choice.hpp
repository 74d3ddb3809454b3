// app/exports: selects the matrix on screen that is exported or copied, and names it, in one place for the
// menu, the dialog and the clipboard.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/exports/export.hpp"
#include "app/scene/held.hpp"
#include "app/state/files_state.hpp"

namespace attnscope {

struct ViewState;  // app/state/window_state.hpp

/// The state from which the matrix is chosen.
struct ExportSource {
  const LayerResult& result;
  ResultStats& stats;
  const HeldResult* held;  // B beside it; null: none
  const ViewState& view;
  const Selection& selection;
};

struct ExportChoice {
  const LayerResult* result;
  ResultStats* stats;
  Exported what;
  std::string name;   // "Weights · head 3 · 6 × 6", for the screen; in Compare preceded by the side
  std::string plain;  // the same for the name of a file: "Weights of head 3"
};

/// In Compare A and B, and their difference if there is one; else empty: there is no choice.
std::vector<ExportSide> export_sides(const ExportSource&);
ExportChoice export_choice(const ExportSource&);

}  // namespace attnscope
