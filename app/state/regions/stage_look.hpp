// app/state/regions: which stage the focus and the thumbnails show, and between which ends of the colour bar.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "app/state/page/page_state.hpp"
#include "app/state/plane.hpp"
#include "core/edits/numbers.hpp"

namespace attnscope {

/// Ends of the colour bar: of the shown head, of all heads, their geometric mean, or as they were when
/// locked.
enum class RangeMode : std::uint8_t { Head, Mean, All, Lock };

struct StageLook {
  Plane stage{Stage::Softmax};   // one that the shown result has
  std::optional<Stage> vectors;  // a stage of vectors that the focus shows instead
  RangeMode range = RangeMode::All;
  std::array<float, 2> locked_range{0, 1};
};

/// What a session keeps of it.
void fields(PageFields&, StageLook&);

inline StageLook& stage_look_of(ViewState& view) { return pages_of(view).of<StageLook>(); }
inline const StageLook& stage_look_of(const ViewState& view) { return pages_of(view).of<StageLook>(); }

/// The focus shows a stage, a stage of vectors, or a block of weights; the large neuron view makes room.
void show_stage(ViewState&, Plane next);
void show_vectors(ViewState&, Stage next);
void show_weights(ViewState&, Editable next);

}  // namespace attnscope
