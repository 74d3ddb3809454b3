// app/views/figures: all heads as one page for a file, every one of them in sight: title, text, colour bar
// and numbers are drawn at once, the pictures are painted elsewhere, token by token.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "app/kit/draw/colormap.hpp"
#include "app/kit/draw/image.hpp"
#include "app/kit/ui/ui.hpp"
#include "app/state/model_head.hpp"
#include "core/base/parallel.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {

struct Scene;

/// The pictures of a page. Shares what it needs, so that any thread may paint it.
struct HeadsPainting {
  struct Cell {
    ModelHead head;
    int x = 0, y = 0, width = 0, height = 0;
    Rgba flat = 0;         // its colour where no patterns are shown
    bool is_off = false;   // switched off: faint, with a stroke
    bool changed = false;  // otherwise changed: a mark in its corner
  };
  std::vector<Cell> cells;
  bool patterns = true;
  int pixels = 1;  // of a token, to both sides
  OpenedModelPtr model;
  std::shared_ptr<const ModelRun> run;
  std::shared_ptr<const ValueNorms> norms;  // what weights are multiplied with; null: nothing
  Colormap map{};
  float high = 1;  // that the last colour stands for
  float low = 0;   // that the first one above zero stands for, by logarithm; 0: linear
  Rgba ground = 0, hidden = 0, nan = 0, edge = 0, stroke = 0, corner = 0;
  int line = 1;  // width of a stroke, pixels

  /// Into a picture whose corner is at (left, top) of the page. Every weight is made anew of the run, a head
  /// at a time. told(share) with 0 … 1. Throws Cancelled.
  void paint(Image&, int left, int top, const Work&, const std::function<void(double)>& told) const;
};

struct GridPage {
  int width = 0, height = 0;
  Rgba ground = 0;
  Box heads;                // which the pictures are in
  std::vector<Box> chrome;  // which everything else is in
  HeadsPainting painting;
};

/// Draws the page into the current frame, from its upper left corner on, without the pictures. A model must
/// be there, and its run.
GridPage draw_grid_page(Scene&, int token_pixels);

/// Tokens of the longest picture, down or across.
std::int64_t page_tokens(const ModelSpec&, const ModelRun&);

}  // namespace attnscope
