// app/state/regions: which stage the focus and the thumbnails show, and the ends of its colour bar.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "app/state/page/page_state.hpp"
#include "app/state/plane.hpp"
#include "core/edits/numbers.hpp"

namespace attnscope {

/// Ends of the colour bar: Head: those of the shown head; All: those of all heads; Mean: the geometric mean
/// of the two; Lock: the locked ends.
enum class RangeMode : std::uint8_t { Head, Mean, All, Lock };

struct StageLook {
  Plane stage{Stage::Softmax};   // a plane of the shown result
  std::optional<Stage> vectors;  // a stage of vectors that the focus shows instead
  RangeMode range = RangeMode::All;
  std::array<float, 2> locked_range{0, 1};
};

/// Visits the fields that a session keeps.
void fields(PageFields&, StageLook&);

inline StageLook& stage_look_of(ViewState& view) { return pages_of(view).of<StageLook>(); }
inline const StageLook& stage_look_of(const ViewState& view) { return pages_of(view).of<StageLook>(); }

/// Show a stage, a stage of vectors, or a block of weights in the focus; they close the large neuron view.
void show_stage(ViewState&, Plane next);
void show_vectors(ViewState&, Stage next);
void show_weights(ViewState&, Editable next);

}  // namespace attnscope
