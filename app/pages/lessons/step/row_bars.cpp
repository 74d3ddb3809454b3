#include "app/pages/lessons/step/row_bars.hpp"

#include "app/pages/lessons/step/head_weights.hpp"
#include "app/scene/scene.hpp"

namespace attnscope {
namespace {

/// A row of a head's weights, as the lesson shows them.
class WeightsOfRow {
 public:
  WeightsOfRow(const lessons::Lesson& lesson, const LayerResult& result, std::int64_t head, std::int64_t row)
      : weights_(result.trace[lesson_weights(lesson, result, head)]), head_(head), row_(row) {}

  /// Empty for −1.
  std::optional<double> at(std::int64_t key) const {
    if (!weights_ || key < 0) return std::nullopt;
    return static_cast<double>(weights_->matrix(0, head_)(row_, key));
  }

 private:
  TensorPtr weights_;
  std::int64_t head_, row_;
};

}  // namespace

RowBars lesson_row_bars(const lessons::Lesson& lesson, const lessons::Step& step, const LayerResult& shown,
                        const LayerResult* held, std::int64_t head, std::int64_t row) {
  RowBars made;
  const WeightsOfRow here(lesson, shown, head, row);
  const bool is_like =
      held != nullptr && !held->is_long() && held->dimensions.heads == shown.dimensions.heads;
  std::optional<HeldPlaces> places;
  if (is_like) places.emplace(step, shown, *held);
  if (places) made.held_row = places->row(row);
  if (made.held_row.at < 0) {
    for (std::int64_t key = 0; key < shown.dimensions.keys; ++key)
      made.bars.push_back({placed_key_label(shown, 0, key), key, here.at(key), std::nullopt});
    return made;
  }
  const WeightsOfRow there(lesson, *held, head, made.held_row.at);
  for (const HeldPlaces::KeyLine& key : places->key_lines())
    made.bars.push_back(
        {key.shown >= 0 ? placed_key_label(shown, 0, key.shown) : placed_key_label(*held, 0, key.held),
         key.shown, here.at(key.shown), there.at(key.held)});
  return made;
}

}  // namespace attnscope
