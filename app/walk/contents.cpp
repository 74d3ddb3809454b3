#include "app/walk/contents.hpp"

#include <algorithm>

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

/// How many of `all` are there after `moves` of `of` moves, rounded up; the last move completes them.
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

float Contents::at(const Panel& panel, const Look& look, std::int64_t row, std::int64_t column) {
  switch (look.phase) {
    case Phase::Final: break;
    case Phase::Embedding: return v_.result().trace[Stage::Embed]->matrix(v_.b)(row, column);
    case Phase::Shifted: return static_cast<float>(numbers.shifted(row, column));
    case Phase::Exponential: return numbers.exponential(row, column);
    case Phase::Share: return numbers.weight_share(row, column);
    case Phase::Product: return numbers.product(row, column);
    case Phase::Seen: return numbers.sees(row, column) ? numbers.product(row, column) : 0;
    case Phase::Partial: return numbers.partial_mix(row, column, look.keys);
    case Phase::OwnPart: return numbers.own_part(row, column);
  }
  return panel.values(row, panel.first_column + column);
}

float Contents::tint(const Panel& panel, const Look& look, std::int64_t row, std::int64_t column) {
  const float value = at(panel, look, row, column);
  double whole = 1;
  if (look.phase == Phase::Product || look.phase == Phase::Seen) whole = numbers.linear_sum(row);
  if (look.phase == Phase::Exponential && v_.document().layer().softmax == SoftmaxKind::Naive)
    whole = numbers.softmax_of(row).sum;
  return whole > 0 ? static_cast<float>(static_cast<double>(value) / whole) : value;
}

ColourScale Contents::scale(const Panel& panel, const Look& look) const {
  if (look.phase != Phase::Shifted) return panel.scale;
  // Shifted scores keep the range of the stage before them.
  const ValueRange range = v_.scene.stats.range(Stage::Mask, v_.b, v_.h);
  const float most = std::max(1e-6f, range.high - range.low) / v_.document().layer().temperature;
  return {v_.ui().theme.scores, -most / 0.72f, most / 0.72f, true};
}

}  // namespace attnscope::walk
