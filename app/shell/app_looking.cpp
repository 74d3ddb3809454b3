// app/shell: what is looked at of the result on screen: head, cell and plane, always among those it has; and
// in which language.
#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "app/kit/ui/words.hpp"
#include "app/shell/app.hpp"
#include "app/shell/replaced_text.hpp"
#include "app/state/focus_state.hpp"
#include "app/state/signals_state.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"

namespace attnscope {

/// What is looked at must be among the planes of the shown result; a look at the weights goes on at
/// those that mix the values.
void App::keep_plane_there() {
  if (shown_.result->layer().is_long()) return;  // there is one picture of it
  const std::vector<Plane> all = shown_.stats->planes();
  const Plane now = view_.stage, used = weights_stage(shown_.result->document);
  const bool there = std::find(all.begin(), all.end(), now) != all.end();
  const bool switched = was_used_ != used.stage && is_weights(now) && now.stage != Stage::Drop;
  if (switched) {
    view_.stage = used;  // vectors stay in the focus, and locked ends hold for weights of any kind
  } else if (!there) {
    view_.show_stage(used);
  }
  was_used_ = used.stage;
}

void App::look_at(const Spot& spot) {
  if (!shown_.result) throw Error("Nothing is shown, so there is nothing to look at.");
  const Dimensions& d = shown_.result->layer().dimensions;
  const auto check = [](const char* what, std::int64_t at, std::int64_t count) {
    if (at < 0 || at >= count)
      throw Error(fmt::format("There is no {} {:d}; expected 0 to {:d}.", what, at, count - 1));
  };
  if (spot.head) check("head", *spot.head, d.heads);
  if (spot.cell) check("query", spot.cell->query, d.queries);
  if (spot.cell) check("key", spot.cell->key, d.keys);
  selection_.head = chosen_.head = spot.head.value_or(selection_.head);
  if (spot.cell) {
    selection_.cell = chosen_.cell = *spot.cell;
    selection_.locked = true;
  }
  if (spot.cells) view_.focus_gesture->cells_asked_for = spot.cells;
}

/// A newly opened Document starts on a head and a cell that have something to say: the content head where
/// heads were built by hand, the third query and the key it looks at most, other than itself.
void App::choose_first_cell() {
  const LayerResult& layer = shown_.result->layer();
  const Dimensions& d = layer.dimensions;
  selection_ = {};
  if (layer.is_long()) return choose_in_long();
  if (document_.within.read()) return choose_in_model();
  const auto& names = shown_.result->document.layer().weights.head_names;
  const auto content = std::find(names.begin(), names.end(), "content");
  if (content != names.end()) selection_.head = content - names.begin();
  const std::int64_t query = std::min<std::int64_t>(2, d.queries - 1);
  const auto row = layer.trace[weights_stage(shown_.result->document)]->matrix(0, selection_.head).row(query);
  std::int64_t key = 0;
  for (std::int64_t j = 1; j < d.keys; ++j) {
    if (row(j) > row(key)) key = j;
  }
  selection_.cell = {query, key};
  selection_.locked = true;
  view_.focus->log = are_weights_small(layer, selection_.head);
}

/// Of a long Document a query in the middle and the key it looks at most; its small weights are seen by their
/// logarithm.
void App::choose_in_long() {
  const LayerResult& layer = shown_.result->layer();
  const Survey& survey = *layer.surveys.front();
  const std::int64_t row = survey.row_of(layer.dimensions.queries / 2);
  const std::int32_t key = survey.known.strongest[static_cast<std::size_t>(row)];
  selection_.cell = {survey.nearest(layer.dimensions.queries / 2), std::max(0, key)};
  selection_.locked = true;
  view_.focus = {};
  view_.focus->log = true;
}

void App::keep_selection_inside() {
  selection_ = kept_inside(at(selection_, chosen_), shown_.result->layer().dimensions);
}

void App::record_moment() {
  const LayerResult& layer = shown_.result->layer();
  if (layer.is_long()) return;
  const auto& [sequence, head, cell] = std::tie(selection_.sequence, selection_.head, selection_.cell);
  const RowMeasures& row = layer.measures.row(sequence, head, cell.query);
  const float weight =
      layer.trace[weights_stage(shown_.result->document)]->matrix(sequence, head)(cell.query, cell.key);
  const double scale =
      scale_factor(layer.document.layer().scaling, scale_width(layer.document, layer.dimensions.d_k));
  const float entropy = row.allowed < 2 ? NAN : static_cast<float>(row.entropy);  // nothing to be spread
  view_.scope.observe({sequence, head, cell.query, cell.key},
                      {view_.now, entropy, weight, static_cast<float>(scale),
                       std::log(static_cast<float>(std::max<std::int64_t>(1, row.allowed)))},
                      view_.signals->trigger, view_.signals->seconds);
}

/// What cannot be read is said once, in English.
void App::speak_as_chosen() {
  if (view_.language == spoken_) return;
  words_.speak_english();
  try {
    if (view_.language != english) words_.speak(load_table(files_.assets(), view_.language));
  } catch (const std::exception& error) {
    view_.language = english;
    view_.notices.say(error.what());
  }
  spoken_ = view_.language;
}

}  // namespace attnscope
