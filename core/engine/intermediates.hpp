// core/engine: numbers that exist only on the way through a stage, which no tensor keeps: shifted scores,
// their exponentials, the features of linear attention and their products, sums over the first keys alone.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/attention/softmax.hpp"
#include "core/document/mask.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// Those of one head of one sequence, made as they are asked for; what a row shares is made once. Of a result
/// that keeps its planes, with the rule of its mask: both outlive it. Belongs to one thread.
class Intermediates {
 public:
  Intermediates(const LayerResult& result, const MaskRule& rule, std::int64_t b, std::int64_t h);

  bool sees(std::int64_t query, std::int64_t key) const { return rule_.allows(b_, h_, query, key); }

  /// Largest value and sum of a row's softmax.
  const RowSum& softmax_of(std::int64_t query);
  /// (x − max) / τ; in a row without any key x itself.
  double shifted(std::int64_t query, std::int64_t key);
  /// e^ of that in float32, where the naive softmax, which subtracts nothing, overflows.
  float exponential(std::int64_t query, std::int64_t key);
  /// The weight before the mistake of masking after the softmax hides some.
  float weight_share(std::int64_t query, std::int64_t key);

  /// φ of the query's (Stage::Query) or the key's vector as the numerator of linear attention has it, turned
  /// where positions are rotary: [d_k].
  std::span<const float> feature(Stage, std::int64_t row);
  /// φ(q)·φ(k) of the numerator, and of the denominator, which is never turned.
  float product(std::int64_t query, std::int64_t key);
  float share_of_sum(std::int64_t query, std::int64_t key) const;
  /// The denominator: Σ φ(q)·φ(k) over the keys that the query may see.
  double linear_sum(std::int64_t query);

  /// Σ weight · value over the first `keys` keys.
  float partial_mix(std::int64_t query, std::int64_t column, std::int64_t keys) const;
  /// What this head adds to a column of the output.
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
