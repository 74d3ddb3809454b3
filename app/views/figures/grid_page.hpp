// app/views/figures: all heads as one page for a file: title, text, colour bar and numbers are drawn at once,
// the pictures are painted separately, with one cell per token.
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

/// The pictures of a page. Shares ownership of its data, so that any thread may paint it.
struct HeadsPainting {
  struct Cell {
    ModelHead head;
    int x = 0, y = 0, width = 0, height = 0;
    Rgba flat = 0;         // its colour if no patterns are shown
    bool is_off = false;   // switched off: faint, with a stroke
    bool changed = false;  // changed in another way: a mark in its corner
  };
  std::vector<Cell> cells;
  bool patterns = true;
  int pixels = 1;  // of a token, in both directions
  OpenedModelPtr model;
  std::shared_ptr<const ModelRun> run;
  std::shared_ptr<const ValueNorms> norms;  // the factors of weights; null: none
  Colormap map{};
  float high = 1;  // the value of the last colour
  float low = 0;   // the value of the first colour above zero, logarithmic; 0: linear
  Rgba ground = 0, hidden = 0, nan = 0, edge = 0, stroke = 0, corner = 0;
  int line = 1;  // width of a stroke, pixels

  /// Paints into a picture whose corner is at (left, top) of the page. Every weight is recomputed from the
  /// run, one head at a time. told(share) with 0 … 1. Throws Cancelled.
  void paint(Image&, int left, int top, const Work&, const std::function<void(double)>& told) const;
};

struct GridPage {
  int width = 0, height = 0;
  Rgba ground = 0;
  Box heads;                // contains the pictures
  std::vector<Box> chrome;  // contain everything else
  HeadsPainting painting;
};

/// Draws the page without the pictures into the current frame, from its upper left corner on. Needs a model
/// and its run.
GridPage draw_grid_page(Scene&, int token_pixels);

/// The tokens of the longest picture, down or across.
std::int64_t page_tokens(const ModelSpec&, const ModelRun&);

}  // namespace attnscope
