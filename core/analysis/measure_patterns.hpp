// core/analysis: what measures sum up row by row beside the weights themselves: the scores of named patterns,
// and what uniform attention under the same mask would have.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/head_patterns.hpp"
#include "core/analysis/measures.hpp"
#include "core/document/document.hpp"

namespace attnscope {

/// The words of one sequence, by the numbers of the keys they stand at. Empty where queries or keys come from
/// no text.
class TokenClasses {
 public:
  TokenClasses(const Document&, const Dimensions&, std::int64_t b);
  std::span<const std::int32_t> content() const { return content_; }
  std::span<const std::int32_t> function_words() const { return function_words_; }
  /// Keys of the same token as the query's, case folded.
  std::span<const std::int32_t> same_as(std::int64_t query) const;
  const std::vector<std::uint8_t>& special() const { return special_; }  // [keys] 1: a token like [CLS]

 private:
  std::vector<std::uint8_t> special_;
  std::vector<std::int32_t> content_, function_words_;
  std::vector<std::vector<std::int32_t>> same_;  // for each distinct token of the keys
  std::vector<std::int32_t> class_of_query_;     // into same_, -1 = none
};

/// One row of one head.
struct PatternRow {
  std::span<const float> weights;      // [keys]
  std::span<const std::uint8_t> seen;  // [keys]
  std::int64_t query, position, token_keys;
  bool cross;
  const RowMeasures& measures;
};

/// The pattern scores of a head from its rows; padding and rows without a choice are to be left out.
class PatternSums {
 public:
  void add(const PatternRow&, const TokenClasses&);
  PatternScores scores() const;

 private:
  PatternScores sums_;
};

/// What uniform attention over the allowed keys has, from the rows of one head.
class UniformSums {
 public:
  explicit UniformSums(std::int64_t keys) : received_(static_cast<std::size_t>(keys)) {}
  /// No padding.
  void add(const PatternRow&, const TokenClasses&);
  void finish(HeadMeasures&) const;

 private:
  RowMeans sums_;
  std::int64_t rows_ = 0;
  std::vector<double> received_;
};

}  // namespace attnscope
