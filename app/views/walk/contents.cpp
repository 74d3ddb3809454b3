#include "app/views/walk/contents.hpp"

#include <algorithm>
#include <cmath>

#include "core/attention/positions.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope::walk {
namespace {

Look softmax_look(const View& v, int moves) {
  switch (softmax_moves(v.document())[static_cast<std::size_t>(moves - 1)]) {
    case SoftmaxMove::Shift: return {.phase = Phase::Shifted};
    case SoftmaxMove::Exponential:
    case SoftmaxMove::Sum: return {.phase = Phase::Exponential};
    case SoftmaxMove::Divide:
      return {.phase = v.document().layer().masking.mistake == MaskMistake::AfterSoftmax ? Phase::Share
                                                                                         : Phase::Final};
    case SoftmaxMove::Hide: break;
  }
  return {};
}

Look linear_look(int moves) {
  switch (static_cast<LinearMove>(moves - 1)) {
    case LinearMove::Product: return {.phase = Phase::Product};
    case LinearMove::Hide:
    case LinearMove::Sum: return {.phase = Phase::Seen};
    case LinearMove::Divide: break;
  }
  return {};
}

/// So many of `all` after some of the moves: the last move completes them.
std::int64_t share_of(std::int64_t all, int moves, int of) { return (all * moves + of - 1) / of; }

}  // namespace

Look look_after(const View& v, const Panel& panel, int moves) {
  if (v.is_overview()) return {};
  const int of = v.script.moves_of(panel.stage);
  if (moves <= 0) return {.lit = Look::Lit::None};
  if (panel.is_parameter() || (panel.stage == Stage::Value && panel.title == "X_V")) return {};
  switch (panel.stage) {
    case Stage::Position: return moves < of ? Look{.phase = Phase::Embedding} : Look{};
    case Stage::Score:
      return moves < of ? Look{.lit = Look::Lit::First, .rows = share_of(panel.row_count(), moves, of)}
                        : Look{};
    case Stage::Softmax: return softmax_look(v, moves);
    case Stage::Linear: return linear_look(moves);
    case Stage::Mix:
      return moves < of
                 ? Look{.phase = Phase::Partial, .keys = share_of(v.result().dimensions.keys, moves, of)}
                 : Look{};
    case Stage::Output: return moves < of ? Look{.phase = Phase::OwnPart} : Look{};
    default: return moves < of ? Look{.lit = Look::Lit::Marked} : Look{};
  }
}

bool Contents::sees(std::int64_t query, std::int64_t key) const {
  return !v_.scene.is_masked(v_.b, v_.h, query, key);
}

const RowSum& Contents::softmax_of(std::int64_t query) {
  const auto [entry, is_new] = softmax_.try_emplace(query);
  if (!is_new) return entry->second;
  const auto keys = static_cast<std::size_t>(v_.result().dimensions.keys);
  std::vector<float> weights(keys);
  const std::span<const float> masked(plane(Stage::Mask).row(query).data(), keys);
  entry->second = softmax_row<float>(v_.document().layer().softmax, masked, v_.document().layer().temperature,
                                     weights, sink_logit(v_.document().layer(), v_.h));
  return entry->second;
}

double Contents::linear_sum(std::int64_t query) {
  const auto [entry, is_new] = linear_.try_emplace(query, 0.0);
  if (!is_new) return entry->second;
  for (std::int64_t key = 0; key < v_.result().dimensions.keys; ++key)
    if (sees(query, key)) entry->second += static_cast<double>(share_of_sum(query, key));
  return entry->second;
}

std::span<const float> Contents::feature(Stage stage, std::int64_t row) {
  const auto [entry, is_new] = features_[stage].try_emplace(row);
  if (!is_new) return entry->second;
  const bool query = stage == Stage::Query;
  const auto x = v_.result()
                     .trace[query ? Stage::NormQuery : Stage::NormKey]
                     ->matrix(v_.b, query ? v_.h : v_.kv)
                     .row(row);
  Tensor features(Shape{1, 1, 1, x.size()});
  for (Eigen::Index d = 0; d < x.size(); ++d) features.data()[d] = linear_feature(x(d));
  const Document& document = v_.document();
  if (is_rotary(document.layer().positions) && (query || row < v_.result().dimensions.token_keys())) {
    const std::int64_t position = query ? position_of(v_.result(), v_.b, row) : row;
    ThreadPool caller_only(1);
    features = rotate(Work{caller_only, {}}, features,
                      rotation_at<float>({&position, 1}, 1, rope_of(document, x.size()),
                                         rope_length(document, v_.result().dimensions)));
  }
  entry->second.assign(features.values().begin(), features.values().end());
  return entry->second;
}

float Contents::product(std::int64_t query, std::int64_t key) {
  const std::span<const float> q = feature(Stage::Query, query), k = feature(Stage::Key, key);
  float sum = 0;
  for (std::size_t d = 0; d < q.size(); ++d) sum += q[d] * k[d];
  return sum;
}

float Contents::share_of_sum(std::int64_t query, std::int64_t key) {
  const Trace& trace = v_.result().trace;
  const auto q = trace[Stage::NormQuery]->matrix(v_.b, v_.h).row(query);
  const auto k = trace[Stage::NormKey]->matrix(v_.b, v_.kv).row(key);
  float sum = 0;
  for (Eigen::Index d = 0; d < q.size(); ++d) sum += linear_feature(q(d)) * linear_feature(k(d));
  return sum;
}

float Contents::partial_mix(std::int64_t query, std::int64_t column, std::int64_t keys) const {
  const auto weights = plane(Stage::Drop).row(query).head(keys);
  const auto values = v_.result().trace[Stage::Value]->matrix(v_.b, v_.kv).col(column).head(keys);
  float sum = 0;
  for (Eigen::Index j = 0; j < keys; ++j)
    if (weights(j) != 0) sum += weights(j) * values(j);
  return sum;
}

float Contents::own_part(std::int64_t query, std::int64_t column) const {
  const auto mixed = v_.result().trace[Stage::Mix]->matrix(v_.b, v_.h).row(query);
  const auto output = v_.document().layer().weights[Parameter::WOutput]->matrix();
  return mixed.dot(output.col(column).segment(v_.h * mixed.size(), mixed.size()).transpose());
}

float Contents::at(const Panel& panel, const Look& look, std::int64_t row, std::int64_t column) {
  const auto shifted = [&] {
    const double largest = softmax_of(row).largest;
    const double x = static_cast<double>(plane(Stage::Mask)(row, column));
    // A row without any key: nothing is subtracted from minus infinity.
    return std::isfinite(largest) ? (x - largest) / static_cast<double>(v_.document().layer().temperature)
                                  : x;
  };
  switch (look.phase) {
    case Phase::Final: break;
    case Phase::Embedding: return v_.result().trace[Stage::Embed]->matrix(v_.b)(row, column);
    case Phase::Shifted: return static_cast<float>(shifted());
    case Phase::Exponential: return std::exp(static_cast<float>(shifted()));
    case Phase::Share: {
      const double sum = softmax_of(row).sum;
      return sum == 0 ? 0 : static_cast<float>(std::exp(shifted()) / sum);
    }
    case Phase::Product: return product(row, column);
    case Phase::Seen: return sees(row, column) ? product(row, column) : 0;
    case Phase::Partial: return partial_mix(row, column, look.keys);
    case Phase::OwnPart: return own_part(row, column);
  }
  return panel.values(row, panel.first_column + column);
}

float Contents::tint(const Panel& panel, const Look& look, std::int64_t row, std::int64_t column) {
  const float value = at(panel, look, row, column);
  double whole = 1;
  if (look.phase == Phase::Product || look.phase == Phase::Seen) whole = linear_sum(row);
  if (look.phase == Phase::Exponential && v_.document().layer().softmax == SoftmaxKind::Naive)
    whole = softmax_of(row).sum;
  return whole > 0 ? static_cast<float>(static_cast<double>(value) / whole) : value;
}

ColourScale Contents::scale(const Panel& panel, const Look& look) const {
  if (look.phase != Phase::Shifted) return panel.scale;
  // Shifted scores are scores: they keep the range that the stage before them has.
  const ValueRange range = v_.scene.stats.range(Stage::Mask, v_.b, v_.h);
  const float most = std::max(1e-6f, range.high - range.low) / v_.document().layer().temperature;
  return {v_.ui().theme.scores, -most / 0.72f, most / 0.72f, true};
}

}  // namespace attnscope::walk
