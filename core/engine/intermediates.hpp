// core/engine: intermediate numbers within a stage, which no tensor keeps: shifted scores, their
// exponentials, the features of linear attention and their products, sums over the first keys.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/attention/softmax.hpp"
#include "core/document/mask.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// The intermediates of one head of one sequence, computed on demand; values shared by a row are computed
/// once. `result` must keep its planes and `rule` be that of its mask; both must outlive the object. Not
/// thread-safe.
class Intermediates {
 public:
  Intermediates(const LayerResult& result, const MaskRule& rule, std::int64_t b, std::int64_t h);

  bool sees(std::int64_t query, std::int64_t key) const { return rule_.allows(b_, h_, query, key); }

  /// Largest value and sum of a row's softmax.
  const RowSum& softmax_of(std::int64_t query);
  /// (x − max) / τ; in a row without any key x itself.
  double shifted(std::int64_t query, std::int64_t key);
  /// e^shifted in float32, which overflows with the naive softmax, since it subtracts nothing.
  float exponential(std::int64_t query, std::int64_t key);
  /// The weight before weights are hidden by the mistake of masking after the softmax.
  float weight_share(std::int64_t query, std::int64_t key);

  /// φ of a query (Stage::Query) or key in the numerator of linear attention, rotated if positions are
  /// rotary: [d_k].
  std::span<const float> feature(Stage, std::int64_t row);
  /// φ(q)·φ(k) in the numerator, and in the denominator, where φ is never rotated.
  float product(std::int64_t query, std::int64_t key);
  float share_of_sum(std::int64_t query, std::int64_t key) const;
  /// The denominator: Σ φ(q)·φ(k) over the keys that the query may see.
  double linear_sum(std::int64_t query);

  /// Σ weight · value over the first `keys` keys.
  float partial_mix(std::int64_t query, std::int64_t column, std::int64_t keys) const;
  /// The contribution of this head to a column of the output.
  float own_part(std::int64_t query, std::int64_t column) const;

 private:
  const LayerSpec& layer() const { return result_.document.layer(); }
  ConstMatrixMap<float> plane(Stage) const;

  const LayerResult& result_;
  const MaskRule& rule_;
  std::int64_t b_, h_, kv_;
  std::map<std::int64_t, RowSum> softmax_;
  std::map<std::int64_t, double> linear_;
  PerStage<std::map<std::int64_t, std::vector<float>>> features_;
};

}  // namespace attnscope
