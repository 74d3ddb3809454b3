// app/views/model: where every head of a model stands in the grid: arithmetic from the room that there is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "app/kit/ui/ui.hpp"
#include "app/state/model_head.hpp"
#include "core/models/config/spec.hpp"

namespace attnscope {

/// One attention of the model: its heads in layers.
struct GridPart {
  AttentionOf of = AttentionOf::Decoder;
  std::vector<int> heads;              // of each block
  int group = 1;                       // heads that share keys and values
  bool effects = false;                // has a column with what its layers do
  std::int64_t queries = 1, keys = 1;  // cells of a picture, down and across
};

/// Heads that stand under one title.
struct GridList {
  std::string_view title;  // empty: none
  std::vector<ModelHead> heads;
};

/// All in device pixels, on the screen: scrolled already.
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
    Box effect;        // empty where it has none
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
    float room = 0;      // for what stands above effects
  };
  std::vector<Cell> cells;
  std::vector<Layer> layers;
  std::vector<Column> columns;
  std::vector<Line> lines;
  std::vector<Title> titles;  // scroll with the cells
  std::vector<Title> parts;   // above the columns: which attention, and where effects begin
  float side = 0, pitch = 0;  // of a picture; from one to the next
  Box window;                 // that cells are seen in
  float height = 0;           // of all cells; above window.h it scrolls
};

/// In layers, in the number of banks beside each other that makes the pictures largest, up to 160 logical
/// pixels; an encoder stands above its decoder where that makes them larger. Bars of effects have at most a
/// quarter of a bank, and give way where pictures are below 20. Below 16 it scrolls, with pictures of 20
/// where the width has room for them. `scroll` in device pixels.
GridPlan plan_layers(const Ui&, const Box& area, const std::vector<GridPart>&, float scroll);
/// In lists below each other.
GridPlan plan_lists(const Ui&, const Box& area, const std::vector<GridPart>&, const std::vector<GridList>&,
                    float scroll);
/// On a page from its corner on, larger than any window if need be: a cell of a picture is so many pixels,
/// nothing scrolls, and banks or columns are as many as make the page about as wide as a sheet of paper.
/// In lists where there are any, else in layers; GridPart has the cells. plan.window is what it takes.
GridPlan plan_page(const Ui&, ImVec2 corner, const std::vector<GridPart>&, const std::vector<GridList>&,
                   float pixels_per_cell);

}  // namespace attnscope
