#include "app/views/heads/head_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/state/regions/heads_state.hpp"

namespace attnscope {
namespace {

/// A member of HeadMeasures as a statistic.
template <auto member>
double mean_of(const LayerResult& result, std::int64_t b, std::int64_t h) {
  return result.measures.head(b, h).*member;
}

/// The largest weight among rows with at least two allowed keys: a single key always has weight 1.
double largest_chosen(const LayerResult& result, std::int64_t b, std::int64_t h) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t query = 0; query < result.dimensions.queries; ++query) {
    const RowMeasures& row = result.measures.row(b, h, query);
    if (row.allowed >= 2 && !row.padding) largest = std::fmax(largest, row.largest);
  }
  return largest;
}

/// The largest attention received by a key, summed over the queries: at most their number.
double most_received(const LayerResult& result, std::int64_t b, std::int64_t h) {
  const std::vector<double>& received = result.measures.head(b, h).received;
  return received.empty() ? 0 : *std::max_element(received.begin(), received.end());
}

/// The norm of dW_Q, dW_K and dW_V together; the same for every sequence.
double gradient_norm(const LayerResult& result, std::int64_t, std::int64_t h) {
  if (h >= std::ssize(result.head_gradients)) return std::numeric_limits<double>::quiet_NaN();
  const HeadGradients& g = result.head_gradients[static_cast<std::size_t>(h)];
  return std::hypot(g.query, g.key, g.value);
}

constexpr std::array<HeadStatistic, 10> statistics{{
    {HeadOrder::Index, "Index", "", "as the layer has them", nullptr, 0},
    {HeadOrder::Entropy, "Mean entropy", "H", "H / ln(allowed)", mean_of<&HeadMeasures::normalised>, 2},
    {HeadOrder::Largest, "Largest weight", "max", "max A, given a choice", largest_chosen, 2},
    {HeadOrder::Previous, "Previous token", "prev", "weight on p − 1", mean_of<&HeadMeasures::previous>, 2},
    {HeadOrder::Next, "Next token", "next", "weight on p + 1", mean_of<&HeadMeasures::next>, 2},
    {HeadOrder::Self, "Same token", "self", "weight on p", mean_of<&HeadMeasures::self>, 2},
    {HeadOrder::First, "First token", "first", "weight on 0", mean_of<&HeadMeasures::first>, 2},
    {HeadOrder::Distance, "Distance", "dist", "Σ A · |p − j|", mean_of<&HeadMeasures::distance>, 1},
    {HeadOrder::Received, "Received most", "recv", "largest Σ A of a key", most_received, 1},
    {HeadOrder::Gradient, "Gradient norm", "‖∂‖", "‖∂W_Q, ∂W_K, ∂W_V‖", gradient_norm, 2},
}};

std::vector<std::int64_t> sorted_heads(const Shown& shown, HeadOrder order) {
  std::vector<std::int64_t> heads(static_cast<std::size_t>(shown.result.dimensions.heads));
  std::iota(heads.begin(), heads.end(), 0);
  if (order == HeadOrder::Index) return heads;
  std::vector<double> numbers;
  for (const std::int64_t h : heads) {
    const double value = statistic(order).value(shown.result, shown.sequence(), h);
    numbers.push_back(std::isnan(value) ? -std::numeric_limits<double>::infinity() : value);
  }
  std::ranges::stable_sort(heads, std::ranges::greater{},
                           [&](std::int64_t h) { return numbers[static_cast<std::size_t>(h)]; });
  return heads;
}

}  // namespace

std::span<const HeadStatistic> head_statistics() { return statistics; }

const HeadStatistic& statistic(HeadOrder order) { return statistics[static_cast<std::size_t>(order)]; }

const HeadStatistic& shown_statistic(HeadOrder order) {
  const bool no_news = order == HeadOrder::Index || order == HeadOrder::Entropy;
  return statistic(no_news ? HeadOrder::Largest : order);
}

bool can_sort_by(const LayerResult& result, HeadOrder order) {
  return order != HeadOrder::Gradient || !result.head_gradients.empty();
}

const std::vector<std::int64_t>& heads_in_order(Scene& scene) {
  HeadsState& state = head_grid_of(scene.view);
  const HeadOrder order = can_sort_by(scene.result, state.order) ? state.order : HeadOrder::Index;
  const bool other = order != state.placed_by || std::ssize(state.placed) != scene.result.dimensions.heads;
  if (other || (!state.pointed_at && !ImGui::IsMouseDown(0))) state.placed = sorted_heads(scene, order);
  state.placed_by = order;
  return state.placed;
}

}  // namespace attnscope
