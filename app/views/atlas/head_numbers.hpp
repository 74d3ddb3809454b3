// app/views/atlas: a number of every head as a map (layers down, heads across) and as a list that can be
// sorted by any column; the progress of its computation, with buttons to stop and to continue.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/kit/table.hpp"
#include "app/scene/picture.hpp"
#include "app/scene/scene.hpp"
#include "app/state/model_head.hpp"
#include "core/readouts/ablation_pass.hpp"

namespace attnscope {

/// The tooltip of a head.
struct HeadTip {
  std::string title, numbers;
  std::string_view why;
};

struct HeadNumbers {
  const char* label;                   // of the map
  std::span<const HeadPlace> heads;    // all_heads(), or those of the attention `of`
  std::vector<double> values;          // of each; NaN: not known yet
  std::vector<bool> is_estimate = {};  // of each; empty: none is
  ColourScale scale = {};
  std::string (*written)(double) = nullptr;
  std::function<HeadTip(std::size_t)> tip;
  std::optional<AttentionOf> of = {};  // empty: of the stack that gives the output
};
/// The map with its numbers if they fit. Pointing at a head previews it in the panel beside the map, a click
/// locks it, arrows go from head to head, Enter opens the layer in Explore.
void draw_head_map_of(Scene&, const Box&, const HeadNumbers&);

struct HeadList {
  const char* label;
  std::span<const HeadPlace> heads;         // one row each
  Table table;                              // its first column on the screen is the head
  std::function<Rgba(std::size_t)> colour;  // of the head in the map
  std::optional<AttentionOf> of = {};       // as in HeadNumbers
};
/// The table as a list: pointing and clicking have the same effects as in the map. Sorted by descending
/// magnitude.
void draw_head_list(Scene&, const Box&, const HeadList&, TableOrder&);

/// "120 of 270" over a line, and a button: "Cancel" while it runs, else "Go on". Returns the pressed button.
struct HowFar {
  std::string_view what;  // the button's own label is "what: Cancel"
  std::int64_t known = 0, all = 0;
  bool runs = true;
};
enum class ProgressPress : std::uint8_t { None, Cancel, GoOn };
ProgressPress draw_progress_row(const Ui&, const Box&, const HowFar&);

/// "+0.57", "−1.46": with the sign.
std::string with_sign(double value);
/// On a cell: "+.57", "−1.46", "0" for what rounds to zero.
std::string with_sign_in_cell(double value);

/// "head 23.0" for places of the stack that gives the output, or of the attention `of`.
ModelHead model_head(const ModelSpec&, const HeadPlace&, std::optional<AttentionOf> of = {});

/// Zero-centred, up to the largest magnitude of the values.
ColourScale centred_scale(const Ui&, std::span<const double> values);

}  // namespace attnscope
