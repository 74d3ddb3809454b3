#include "core/analysis/kept_weights.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

/// Which weights of a row are kept: all above `above`, and the first `ties` of those that equal it.
struct Cut {
  float above = 0;
  std::ptrdiff_t ties = 0;
};

/// Reorders the weights. Halves the undecided range until one weight is left, which avoids sorting a row of
/// which most is dropped.
Cut cut_at(std::vector<float>& weights, double target) {
  auto low = weights.begin(), high = weights.end();  // the last kept weight is in [low, high)
  double before = 0;                                 // the sum of the weights before low, all kept
  while (high - low > 1) {
    const auto middle = low + (high - low) / 2;
    std::nth_element(low, middle, high, std::greater<>());
    const double sum = std::accumulate(low, middle, 0.0);
    if (before + sum >= target) {
      high = middle;
    } else {
      before += sum;
      low = middle;
    }
  }
  const float last = *low;
  return {last, 1 + std::count(weights.begin(), low, last)};
}

}  // namespace

KeptWeights keep_strongest(const ConstMatrixMap<float>& weights, const SeeRow& see,
                           const KeptRequest& request) {
  KeptWeights result;
  const auto mass = static_cast<double>(request.mass);
  const auto keys = static_cast<std::size_t>(weights.cols());
  std::vector<std::uint8_t> seen(keys);
  std::vector<float> row(keys), positive;
  for (std::int64_t query = request.first; query < request.last; ++query) {
    see(query, seen);
    positive.clear();
    double sum = 0;
    for (std::size_t key = 0; key < keys; ++key) {
      const float weight = weights(query, static_cast<Eigen::Index>(key));
      result.allowed += seen[key] != 0;
      const bool counts = seen[key] != 0 && weight > 0 && std::isfinite(weight);
      row[key] = counts ? weight : 0;
      if (!counts) continue;
      positive.push_back(weight);
      sum += static_cast<double>(weight);
    }
    if (positive.empty()) continue;
    // The tolerance keeps rounding in the last place of the sum from adding another key.
    Cut cut = cut_at(positive, mass * sum * (1 - 1e-12));
    for (std::size_t key = 0; key < keys; ++key) {
      if (row[key] < cut.above || (row[key] == cut.above && cut.ties-- <= 0)) continue;
      result.kept.push_back({static_cast<std::int32_t>(query), static_cast<std::int32_t>(key), row[key]});
    }
  }
  return result;
}

namespace {

/// Calls take(weight) for the weights of this query, of this key, or for all.
template <class Take>
void for_requested(const std::vector<KeptWeight>& all, const LineRequest& request, Take&& take) {
  const auto end_of_row = [&](auto row) {
    return std::partition_point(row, all.end(),
                                [query = row->query](const KeptWeight& w) { return w.query <= query; });
  };
  if (request.query) {
    auto row = std::partition_point(all.begin(), all.end(),
                                    [&](const KeptWeight& w) { return w.query < *request.query; });
    for (; row != all.end() && row->query == *request.query; ++row) take(*row);
  } else if (request.key) {
    for (auto row = all.begin(); row != all.end();) {
      const auto end = end_of_row(row);
      const auto at =
          std::partition_point(row, end, [&](const KeptWeight& w) { return w.key < *request.key; });
      if (at != end && at->key == *request.key) take(*at);
      row = end;
    }
  } else {
    for (const KeptWeight& weight : all) take(weight);
  }
}

}  // namespace

KeptLines choose_lines(std::span<const std::shared_ptr<const KeptWeights>> heads, std::int64_t first_head,
                       const LineRequest& request, const std::stop_token& stop) {
  KeptLines chosen;
  std::vector<KeptLine>& lines = chosen.lines;
  auto head = static_cast<std::int32_t>(first_head);
  for (const std::shared_ptr<const KeptWeights>& of : heads) {
    if (stop.stop_requested()) throw Cancelled();
    chosen.kept += std::ssize(of->kept);
    chosen.allowed += of->allowed;
    for_requested(of->kept, request, [&](const KeptWeight& weight) {
      if (!request.queries.has(weight.query) && !request.keys.has(weight.key)) {
        ++chosen.scrolled_out;
      } else if (weight.weight < request.faintest) {
        ++chosen.faint;
      } else {
        lines.push_back({weight, head});
      }
    });
    ++head;
  }
  // A million lines take some ten milliseconds to order, so a stop is looked for meanwhile.
  std::size_t compared = 0;
  const auto is_fainter = [&](const KeptLine& a, const KeptLine& b) {
    if (++compared % 65536 == 0 && stop.stop_requested()) throw Cancelled();
    return a.of.weight < b.of.weight;
  };
  if (lines.size() > request.most) {
    const auto cut = lines.end() - static_cast<std::ptrdiff_t>(request.most);
    std::nth_element(lines.begin(), cut, lines.end(), is_fainter);
    chosen.too_many = cut - lines.begin();
    lines.erase(lines.begin(), cut);
  }
  std::sort(lines.begin(), lines.end(), is_fainter);
  return chosen;
}

}  // namespace attnscope
