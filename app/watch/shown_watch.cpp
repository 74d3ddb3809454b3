#include "app/watch/shown_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnscope {

WatchEnd watch_end(bool is_closed, bool is_alive) {
  if (!is_closed) return is_alive ? WatchEnd::None : WatchEnd::ProcessGone;
  return is_alive ? WatchEnd::WatchClosed : WatchEnd::ProcessEnded;
}

const float* ShownWatchHead::at(std::int64_t position) const {
  const std::int64_t row = layer ? layer->row_at(position) - first : -1;
  return row < 0 || row >= rows() ? nullptr : weights.data() + row * keys();
}

float ShownWatchLayer::entropy(std::int64_t head, std::int64_t row) const {
  return pictures.normalised.data()[head * pictures.normalised.shape()[1] + row];
}

float ShownWatchLayer::entropy_of_row(std::int64_t row) const {
  double sum = 0;
  int known = 0;
  for (std::int64_t head = 0; head < layer->heads; ++head) {
    const float one = entropy(head, row);
    if (std::isnan(one)) continue;
    sum += static_cast<double>(one);
    ++known;
  }
  return known == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(sum / known);
}

WatchRowWords words_of_row(const float* row, std::int64_t end) {
  WatchRowWords words;
  words.keys = end;
  double sum = 0, whole = 0;
  for (std::int64_t key = 0; key < end; ++key) {
    const float weight = row[key];
    if (words.largest_key < 0 || weight > words.largest) {
      words.largest = weight;
      words.largest_key = key;
    }
    const auto w = static_cast<double>(weight);
    whole += w;
    if (w > 0) sum -= w * std::log(w);
  }
  const bool choice = end > 1 && whole > 0;
  words.entropy = choice ? std::clamp(sum / std::log(static_cast<double>(end)), 0.0, 1.0)
                         : std::numeric_limits<double>::quiet_NaN();
  return words;
}

}  // namespace attnscope
