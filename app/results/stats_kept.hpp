// app/results: the caches of ResultStats. Only for result_stats.cpp and largest_stats.cpp: their eleven
// templates take long to compile, and every view includes ResultStats.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "app/results/computed.hpp"
#include "app/results/result_stats.hpp"

namespace attnscope {

struct ResultStats::Kept {
  using HeadKey = std::tuple<Plane, std::int64_t, std::int64_t>;  // sequence, head
  using Ranges = std::vector<ValueRange>;                         // [heads]

  std::map<std::tuple<Parameter, std::int64_t, std::int64_t>, float> largest_weights;
  std::map<std::int64_t, float> largest_value_inputs;  // by sequence
  std::map<HeadKey, std::pair<Stamp, ValueRange>> sampled;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<float>> picture_columns;
  std::map<std::int64_t, double> largest_entropies;                         // by sequence
  std::map<std::pair<std::int64_t, bool>, double> largest_entropy_changes;  // to the held result alone
  std::map<OfToken, float> given;

  Computed<Plane, Stamp, Tensor> differences{1};
  Computed<std::pair<Plane, std::int64_t>, Stamp, Ranges> ranges{1};  // of all heads at once
  Computed<HeadKey, Stamp, ValueRange> head_ranges{1};  // of planes in another memory, one head at a time
  // Of all cells under one key: while the mouse crosses cells, one is computed at a time.
  Computed<std::monostate, std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, CellReference>
      references{256};
  // Only a few are kept while ends are dragged; two bars may use the same head.
  Computed<std::tuple<Plane, std::int64_t, std::int64_t, int, bool>, std::pair<Stamp, HistogramRequest>,
           Histogram>
      histograms{4};
  Computed<OfPicture, std::pair<Stamp, HistogramRequest>, Histogram> picture_histograms{4};
  Computed<OfPicture, Stamp, float> picture_largest{1};
  Computed<std::pair<std::int64_t, std::int64_t>, Stamp, TotalVariation> moved{1};
  Computed<std::pair<std::int64_t, std::int64_t>, Stamp, WeightSpread> weights{1};
  Computed<HeadKey, std::pair<Stamp, KeptRequest>, KeptWeights> strongest{1};
  // Of the heads [first, last); the last part of the key: whether of a single query or key.
  Computed<std::tuple<Plane, std::int64_t, std::int64_t, std::int64_t, bool>,
           std::pair<std::vector<KeptWeightsPtr>, LineRequest>, KeptLines>
      lines{1};

  template <class Each>
  void each_computed(Each&& each) {
    each(differences);
    each(ranges);
    each(head_ranges);
    each(histograms);
    each(picture_histograms);
    each(picture_largest);
    each(moved);
    each(weights);
    each(strongest);
    each(lines);
    each(references);
  }
  bool is_computing() const {
    return differences.is_busy() || ranges.is_busy() || head_ranges.is_busy() || histograms.is_busy() ||
           picture_histograms.is_busy() || picture_largest.is_busy() || moved.is_busy() ||
           weights.is_busy() || strongest.is_busy() || lines.is_busy() || references.is_busy();
  }
};

}  // namespace attnscope
