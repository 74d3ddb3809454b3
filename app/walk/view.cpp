// app/walk: what all parts of the walk share: the place, the stages in sight, and the row, column and
// dimension of each matrix that belong to the chosen cell.
#include <algorithm>

#include "app/kit/ui/number_format.hpp"
#include "app/walk/panels.hpp"
#include "app/walk/walk_state.hpp"

namespace attnscope::walk {

View::View(Scene& s) : View(s, walk_of(s.view)) {}

View::View(Scene& s, WalkState& at)
    : scene(s),
      state(at),
      script(s.result),
      place(script.place(at)),
      shown(at.shown),
      b(s.sequence()),
      h(s.head()),
      kv(s.head() * s.result.dimensions.kv_heads / s.result.dimensions.heads),
      cell(s.cell()),
      narrow(ImGui::GetIO().DisplaySize.x < s.ui.px(1000)) {}

std::optional<Stage> View::current() const {
  if (is_overview()) return std::nullopt;
  for (const Step& step : script.steps())
    if (place <= script.first(step.stage) + step.moves) return step.stage;
  return script.steps().back().stage;
}

WalkPart View::part() const {
  const WalkPart wished = state.part;
  const bool nothing_there = (wished == WalkPart::Output && !script.has(Stage::Output)) ||
                             (wished == WalkPart::Block && !has_block(document().layer().block));
  if (nothing_there) return WalkPart::Follow;
  if (!script.has(Stage::Output)) return wished;
  const std::optional<Stage> now = current();
  if (now && is_after_attention(*now)) return WalkPart::Block;
  const bool late = now && is_after_weights(*now);
  switch (wished) {
    case WalkPart::Weights: return late ? WalkPart::Output : WalkPart::Weights;
    case WalkPart::Output: return now && !late && !is_before_scores(*now) ? WalkPart::Weights : wished;
    case WalkPart::Block:
      if (!now || is_before_scores(*now)) return wished;
      return late ? WalkPart::Output : WalkPart::Weights;
    case WalkPart::Follow: break;
  }
  return now && is_layer_output(*now) ? WalkPart::Output : WalkPart::Follow;
}

float View::light(Stage stage) const {
  if (is_overview()) return 1;
  const int moves = made(stage);
  if (moves == 0) return dimmed;
  return moves == 1 && current() == stage ? dimmed + (1 - dimmed) * shown : 1;
}

std::int64_t query_row(const View& v, const Panel& panel) {
  if (panel.rows == Rows::Queries) return v.cell.query;
  return panel.rows == Rows::Tokens ? v.cell.query + v.result().dimensions.past : -1;
}

std::int64_t key_row(const View& v, const Panel& panel) {
  if (panel.rows != Rows::Keys && panel.rows != Rows::Tokens) return -1;
  if (panel.rows == Rows::Tokens && is_cross(v.result())) return -1;
  return v.cell.key < panel.row_count() ? v.cell.key : -1;  // keys without a token have no vector
}

std::string row_label(const View& v, const Panel& panel, std::int64_t row) {
  switch (panel.rows) {
    case Rows::Keys: return key_label(v.result(), v.b, row);
    case Rows::Tokens: return query_label(v.result(), v.b, row - v.result().dimensions.past);
    case Rows::Queries: return query_label(v.result(), v.b, row);
    case Rows::Dimensions: break;
  }
  return grouped(row);
}

std::optional<Cell> cell_of(const View& v, const Panel& panel, std::int64_t row, std::int64_t column) {
  Cell cell = v.scene.selection.cell;
  if (panel.is_plane()) return Cell{row, column};
  if (panel.rows == Rows::Dimensions) return std::nullopt;
  if (panel.rows == Rows::Keys) {
    cell.key = row;
    return cell;
  }
  cell.query = panel.rows == Rows::Tokens ? row - v.result().dimensions.past : row;
  return cell.query >= 0 && cell.query < v.result().dimensions.queries ? std::optional(cell) : std::nullopt;
}

std::int64_t head_dimension(const View& v) {
  const auto q = v.result().trace[Stage::RotateQuery]->matrix(v.b, v.h).row(v.cell.query);
  const auto k = v.result().trace[Stage::RotateKey]->matrix(v.b, v.kv).row(v.cell.key);
  const std::int64_t chosen = v.state.head_dimension;
  if (chosen >= 0) return std::min<std::int64_t>(chosen, q.size() - 1);
  Eigen::Index at = 0;
  q.cwiseProduct(k).cwiseAbs().maxCoeff(&at);
  return at;
}

std::int64_t value_dimension(const View& v) {
  const auto mix = v.result().trace[Stage::Mix]->matrix(v.b, v.h).row(v.cell.query);
  const std::int64_t chosen = v.state.value_dimension;
  if (chosen >= 0) return std::min<std::int64_t>(chosen, mix.size() - 1);
  Eigen::Index at = 0;
  mix.cwiseAbs().maxCoeff(&at);
  return at;
}

HeadBlock block_of(const View& v) {
  const std::int64_t d_v = v.result().dimensions.d_v;
  return {v.h * d_v, d_v};
}

std::int64_t model_dimension(const View& v, Stage stage) {
  const bool of_queries = stage == Stage::Output || is_after_attention(stage);
  const std::int64_t past = of_queries ? 0 : v.result().dimensions.past;
  const auto vectors = v.result().trace[stage]->matrix(v.b);
  const bool of_keys = stage == Stage::Memory || stage == Stage::Latent;
  const auto row = vectors.row(of_keys ? std::min(v.cell.key, vectors.rows() - 1)  // zero key
                                       : v.cell.query + past);
  const bool has_others = info(stage).shape == inner_shape || is_latent(stage);  // not the model's
  const std::int64_t chosen = has_others ? -1 : v.state.model_dimension;
  if (chosen >= 0) return std::min<std::int64_t>(chosen, row.size() - 1);
  Eigen::Index at = 0;
  if (stage == Stage::Position && v.script.moves_of(stage) > 1) {  // the dimension that positions change most
    (row - v.result().trace[Stage::Embed]->matrix(v.b).row(v.cell.query + past)).cwiseAbs().maxCoeff(&at);
  } else {
    row.cwiseAbs().maxCoeff(&at);
  }
  return at;
}

}  // namespace attnscope::walk
