// app/exports/html: the contents of one HTML file: weights of heads with their labels, and the selection. The
// page is in assets/html; page_write.hpp puts both into one file.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "app/kit/draw/colormap.hpp"
#include "app/state/model_head.hpp"
#include "app/state/selection.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

class MaskRule;  // core/document/mask.hpp

/// One attention: all its heads have the same queries and keys.
struct HtmlPart {
  std::string name;                        // in the page's language, before a head's name; empty: none
  std::vector<std::string> queries, keys;  // labels, without marks
  bool is_self = true;                     // queries and keys are the same tokens
  int layers = 0;                          // 0: a layer by itself
};

struct HtmlHead {
  std::size_t part = 0;
  int layer = 0;
  std::int64_t head = 0;
  bool is_off = false;               // switched off
  bool changed = false;              // changed in another way
  std::string name;                  // "previous token" in English; empty: none
  Tensor weights;                    // [queries][keys]
  std::vector<std::uint8_t> hidden;  // [queries * keys] 1: the mask hides the key
  std::vector<double> entropy;       // [queries] nats; NaN: n/a
};

struct HtmlPage {
  std::string title;
  std::string model, storage, text;  // of a model: its name, how its weights are stored, what it reads
  std::vector<std::string> changes;  // inside the model, a line each
  bool is_clean = false;             // changes are left out
  std::string predicted;             // the likeliest token; empty: nothing is predicted
  double probability = std::numeric_limits<double>::quiet_NaN();
  std::vector<HtmlPart> parts;
  std::vector<HtmlHead> heads;
  std::size_t chosen = 0;  // of heads
  Cell cell;
  bool is_one_of_two = false;  // two sides were compared, and these are the weights of now
  std::string on_screen = {};  // the stage on screen if it is not the weights, in English
  bool log = false;            // colours follow the logarithm
  Map light{}, dark{};         // of weights
  std::string session = {};    // its JSON, see session_to_json()

  const HtmlHead& head() const { return heads[chosen]; }
  const HtmlPart& part() const { return parts[head().part]; }
};

/// The most cells of all heads together: some megabytes as a file.
inline constexpr std::int64_t most_html_cells = std::int64_t{1} << 22;
/// Colours of longer rows follow the logarithm: a linear scale would show nothing.
inline constexpr std::int64_t longest_linear_row = 100;

/// All heads of the layer, of the chosen sequence. Throws Error if the result is a long one or has too many
/// cells. The caller sets `log`, maps and session.
HtmlPage html_of_layer(const LayerResult&, const MaskRule&, const Selection&);

/// Throws the Error that html_of_layer() would throw.
void check_html_layer(const LayerResult&);

/// The part of a model that is looked at.
struct HtmlOfModel {
  ModelHead chosen;
  Cell cell;
  bool without_changes = false;
};
/// All heads of all layers, recomputed from the run, which must be there. Reports its share of the work.
/// Throws as above, and Cancelled.
HtmlPage html_of_model(const ModelReading&, const HtmlOfModel&, const Work&,
                       const std::function<void(double)>& share = {});

/// Throws Error if there are more cells than most_html_cells.
void check_html_cells(std::int64_t cells);

}  // namespace attnscope
