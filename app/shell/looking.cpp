#include "app/shell/looking.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/results/worth_a_look.hpp"
#include "app/scene/scene.hpp"
#include "app/shell/replaced_text.hpp"
#include "app/state/model_look.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/window_state.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

void Looking::look_at(const Spot& spot) {
  if (!space_.shown.result) throw Error("Nothing is shown, so there is nothing to look at.");
  const Dimensions& d = space_.shown.result->layer().dimensions;
  const auto check = [](const char* what, std::int64_t at, std::int64_t count) {
    if (at < 0 || at >= count)
      throw Error(fmt::format("There is no {} {:d}; expected 0 to {:d}.", what, at, count - 1));
  };
  if (spot.head) check("head", *spot.head, d.heads);
  if (spot.cell) check("query", spot.cell->query, d.queries);
  if (spot.cell) check("key", spot.cell->key, d.keys);
  space_.selection.head = space_.chosen.head = spot.head.value_or(space_.selection.head);
  if (spot.cell) {
    space_.selection.cell = space_.chosen.cell = *spot.cell;
    space_.selection.locked = true;
  }
  if (spot.cells) focus_gesture_of(space_.view).cells_asked_for = spot.cells;
}

/// Chooses an interesting head and cell of a newly opened Document: the content head if heads were built by
/// hand, else the first; the third query and the key with its largest weight.
void Looking::choose_first_cell() {
  const LayerResult& layer = space_.shown.result->layer();
  const Dimensions& d = layer.dimensions;
  space_.selection = {};
  if (layer.is_long()) return choose_in_long();
  if (space_.document.within.read()) return choose_in_model();
  const auto& names = space_.shown.result->document.layer().weights.head_names;
  const auto content = std::find(names.begin(), names.end(), "content");
  if (content != names.end()) space_.selection.head = content - names.begin();
  const std::int64_t query = std::min<std::int64_t>(2, d.queries - 1);
  const auto row =
      layer.trace[weights_stage(space_.shown.result->document)]->matrix(0, space_.selection.head).row(query);
  std::int64_t key = 0;
  for (std::int64_t j = 1; j < d.keys; ++j) {
    if (row(j) > row(key)) key = j;
  }
  space_.selection.cell = {query, key};
  space_.selection.locked = true;
  focus_of(space_.view).log = are_weights_small(layer, space_.selection.head);
}

/// In a long Document: a query in the middle and the key with its largest weight; colours are logarithmic, as
/// weights are small.
void Looking::choose_in_long() {
  const LayerResult& layer = space_.shown.result->layer();
  const Survey& survey = *layer.surveys.front();
  const std::int64_t row = survey.row_of(layer.dimensions.queries / 2);
  const std::int32_t key = survey.known.strongest[static_cast<std::size_t>(row)];
  space_.selection.cell = {survey.nearest(layer.dimensions.queries / 2), std::max(0, key)};
  space_.selection.locked = true;
  focus_of(space_.view) = {};
  focus_of(space_.view).log = true;
}

/// In a model that was trained here: the head that learned most. In another one: the row of the token for
/// which it predicts, and in Model mode the head of head_worth_a_look(). In other modes, beside a held model,
/// or if there is no such head: the first head, and its largest weight besides those on the token itself and
/// on the first token, which is a sink in most heads.
void Looking::choose_in_model() {
  const LayerResult& layer = space_.shown.result->layer();
  const ModelReading* const model = space_.models.shown_of(space_.document);
  const bool encoder = space_.document.within.read().of == AttentionOf::Encoder;
  std::int64_t query = layer.dimensions.queries - 1;
  if (encoder && model != nullptr && model->prediction && model->prediction->row >= 0)
    query = std::min(query, model->prediction->row);
  else if (encoder && model != nullptr && model->tokens && model->tokens->input.image.size() > 0)
    query = 0;  // the class token
  const Tensor& weights = *layer.trace[weights_stage(space_.shown.result->document)];
  space_.selection.locked = true;
  model_look_of(space_.view).opened_at.reset();
  const std::optional<OpensOn> on = std::exchange(model_look_of(space_.view).opens_on, std::nullopt);
  if (on && on->is_due && on->head < layer.dimensions.heads) {
    space_.selection.head = on->head;
    // The model's format may put a token before the text, or none where the text was shown with one.
    const std::int64_t before = layer.dimensions.queries - on->rows;
    const Cell cell{on->cell.query + before, on->cell.key + before};
    if (on->text.empty() || std::abs(before) > 1 || !is_inside(cell, layer.dimensions))
      return choose_in_row(weights, query);
    space_.selection.cell = cell;
    return;
  }
  if (space_.view.mode == Mode::Model && held_.model() == nullptr) {
    const ModelContext& within = space_.document.within.read();
    LookedThrough in{weights, layer.dimensions.heads, query, !is_cross(layer), {}};
    if (model != nullptr && model->tokens) in.keys = model->tokens->keys_of(within.of).tokens;
    if (const auto found = head_worth_a_look(in)) {
      space_.selection.head = found->head;
      space_.selection.cell = found->cell;
      model_look_of(space_.view).opened_at = OpenedAt{within, found->head, found->cell};
      return;
    }
  }
  choose_in_row(weights, query);
}

/// The largest weight of the chosen head in that row, besides those on the token itself and on the first.
void Looking::choose_in_row(const Tensor& weights, std::int64_t query) {
  const auto row = weights.matrix(0, space_.selection.head).row(query);
  std::int64_t key = 0;
  for (std::int64_t j = 1; j < row.size(); ++j)
    if (j != query && (key == 0 || row(j) > row(key))) key = j;
  space_.selection.cell = {query, key};
}

std::optional<std::int64_t> Looking::predicted_row() const {
  const ModelContext& within = space_.document.within.read();
  const bool of_tokens = within && within.model->model->spec.head.kind == HeadKind::TokenClass;
  if (model_look_of(space_.view).predicted_row || !of_tokens || !space_.shown.result)
    return model_look_of(space_.view).predicted_row;
  if (space_.selection.locked) return space_.selection.cell.query;
  return std::min(rested_on_.query, space_.shown.result->layer().dimensions.queries - 1);
}

void Looking::rest() {
  if (space_.selection.locked || !space_.selection.hovered_cell) rested_on_ = space_.selection.cell;
}

void Looking::record_moment() {
  const LayerResult& layer = space_.shown.result->layer();
  if (layer.is_long()) return;
  const auto& [sequence, head, cell] =
      std::tie(space_.selection.sequence, space_.selection.head, space_.selection.cell);
  const RowMeasures& row = layer.measures.row(sequence, head, cell.query);
  const float weight =
      layer.trace[weights_stage(space_.shown.result->document)]->matrix(sequence, head)(cell.query, cell.key);
  const double scale =
      scale_factor(layer.document.layer().scaling, scale_width(layer.document, layer.dimensions.d_k));
  const float entropy = row.allowed < 2 ? NAN : static_cast<float>(row.entropy);  // one key has no entropy
  scope_of(space_.view)
      .observe({sequence, head, cell.query, cell.key},
               {space_.view.now, entropy, weight, static_cast<float>(scale),
                std::log(static_cast<float>(std::max<std::int64_t>(1, row.allowed)))},
               signals_of(space_.view).trigger, signals_of(space_.view).seconds);
}

}  // namespace attnscope
