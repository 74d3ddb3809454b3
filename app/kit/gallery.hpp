// app/kit: every widget of the kit on one page, in each of its states, for designers and for tests.
// `attnscope gallery` draws it; no help page lists that command.
#pragma once

#include "app/kit/table.hpp"
#include "app/kit/ui/ui.hpp"
#include "app/kit/widgets/zoom.hpp"

namespace attnscope {

/// The values that the page's widgets show and change.
struct GalleryState {
  bool on = true, off = false, open = true;
  int segment = 1;
  float linear = 0.6f, logarithmic = 8;
  std::int64_t count = 8;
  std::string text = "the cat sat", empty;
  TableOrder order{.sorted_by = 2}, plain_order;
  std::size_t chosen = 2;
  ZoomRange zoom;
};

/// Into the current Dear ImGui window, which fills the screen; `area` is at least 1,120 × 760 logical pixels.
void draw_gallery(const Ui&, const Box& area, GalleryState&);

}  // namespace attnscope
