// app/views/watch: the pictures of all heads of a snapshot as one picture.
#pragma once

#include <span>

#include "app/kit/draw/colormap.hpp"
#include "app/kit/draw/image.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/views/model/grid_layout.hpp"
#include "app/watch/shown_watch.hpp"
#include "app/watch/watch_held.hpp"

namespace attnscope {

struct WatchPainter {
  const GridPlan& plan;
  /// The layers of every attention, by the plan's blocks.
  std::span<const ShownWatchLayer*const> decoder, encoder, cross;
  const Colormap& weights;
  const Colormap& changes;  // zero-centred
  Rgba ground = 0, hidden = 0, nan = 0;
  WatchColour colour = WatchColour::Pattern;
  bool by_maximum = false;
  /// Not null: heads show their difference to these, in place of `colour`.
  const ShownWatchGrid* held = nullptr;

  const ShownWatchLayer* layer_of(const ModelHead&) const;
  /// The picture of plan.window.
  Image paint() const;
};

}  // namespace attnscope
