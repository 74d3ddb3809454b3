// app/views/model: the layout of the grid: the place of every head of a model. Pure arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "app/kit/ui/ui.hpp"
#include "app/state/model_head.hpp"
#include "core/transformer/families/spec.hpp"

namespace attnscope {

/// One attention of the model: its heads in layers.
struct GridPart {
  AttentionOf of = AttentionOf::Decoder;
  std::vector<int> heads;              // of each block
  int group = 1;                       // heads that share keys and values
  bool effects = false;                // has a column with the effects of its layers
  std::int64_t queries = 1, keys = 1;  // cells of a picture, down and across
};

/// Heads below one title.
struct GridList {
  std::string_view title;  // empty: none
  std::vector<ModelHead> heads;
};

/// All in device pixels on the screen, after scrolling.
struct GridPlan {
  struct Cell {
    ModelHead head;
    Box box;  // of the picture
  };
  struct Layer {
    AttentionOf of = AttentionOf::Decoder;
    int block = 0;
    Box band;          // from its number to its last column
    float number = 0;  // right end of the layer's number
    Box effect;        // empty if there is none
  };
  struct Column {
    AttentionOf of = AttentionOf::Decoder;
    std::size_t bank = 0;  // counted over all parts
    int head = 0;
    float x = 0, y = 0;  // its middle
  };
  struct Line {  // under the numbers of heads that share keys and values
    float x = 0, width = 0, y = 0;
  };
  struct Title {
    std::string_view text;
    std::size_t count = 0;
    float x = 0, y = 0;  // y: its middle
    float room = 0;      // for the text above effects
  };
  std::vector<Cell> cells;
  std::vector<Layer> layers;
  std::vector<Column> columns;
  std::vector<Line> lines;
  std::vector<Title> titles;  // scroll with the cells
  std::vector<Title> parts;   // above the columns: the attention, and where effects begin
  float side = 0, pitch = 0;  // side of a picture; distance to the next one
  Box window;                 // in which cells are visible
  float height = 0;           // of all cells; scrolls if it is above window.h
};

/// In layers, with as many banks side by side as make the pictures largest, up to 160 logical pixels; an
/// encoder is above its decoder if that makes them larger. Bars of effects take at most a quarter of a bank,
/// and become narrower if pictures are below 20. Below 16 the grid scrolls, with pictures of 20 if the width
/// has room for them. `scroll` in device pixels.
GridPlan plan_layers(const Ui&, const Box& area, const std::vector<GridPart>&, float scroll);
/// In lists, one below the other.
GridPlan plan_lists(const Ui&, const Box& area, const std::vector<GridPart>&, const std::vector<GridList>&,
                    float scroll);
/// On a page from `corner` on, which may be larger than any window: a cell of a picture has pixels_per_cell
/// pixels, nothing scrolls, and the number of banks or columns gives the page the shape of a sheet of paper.
/// In lists if there are any, else in layers; GridPart has the cells. plan.window is the box of the heads.
GridPlan plan_page(const Ui&, ImVec2 corner, const std::vector<GridPart>&, const std::vector<GridList>&,
                   float pixels_per_cell);

}  // namespace attnscope
