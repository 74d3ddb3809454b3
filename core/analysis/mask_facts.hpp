// core/analysis: what measures take from the mask and the tokens alone. It stays as it is while queries, keys
// and the numbers around them change.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/head_patterns.hpp"
#include "core/analysis/measures.hpp"
#include "core/base/parallel.hpp"
#include "core/document/document.hpp"
#include "core/document/trace.hpp"

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
  /// [queries] the number of the query's token among those of the keys; -1: none is the same. Empty without
  /// a text.
  std::span<const std::int32_t> class_of_query() const { return class_of_query_; }
  /// [keys] likewise of each key; -1 for those that belong to no token.
  std::vector<std::int32_t> class_of_key() const;

 private:
  std::vector<std::uint8_t> special_;
  std::vector<std::int32_t> content_, function_words_;
  std::vector<std::vector<std::int32_t>> same_;  // for each distinct token of the keys
  std::vector<std::int32_t> class_of_query_;     // into same_, -1 = none
};

/// Whether keys belong to another text than queries.
inline bool has_other_keys(const Document& document) {
  return !document.input.memory.empty() || static_cast<bool>(document.input.vectors().key);
}

/// One query of one head.
struct RowFacts {
  std::int32_t allowed = 0;  // keys that the mask lets it see
  bool padding = false;
  std::uint16_t counted = 0;  // bit p: the row counts for HeadPattern p
  bool has_choice() const { return !padding && allowed >= 2; }
  bool counts_for(HeadPattern pattern) const { return (counted >> static_cast<unsigned>(pattern) & 1) != 0; }
};

struct HeadFacts {
  RowMeans uniform;                      // as in HeadMeasures
  std::vector<double> received_uniform;  // likewise
  PatternScores patterns;                // rows that count and the sum of what uniform weights have there
  std::int64_t rows_without_key = 0;
};

struct MaskFacts {
  std::int64_t heads = 0, queries = 0;
  std::vector<TokenClasses> tokens;   // [batch]
  std::vector<RowFacts> rows;         // [batch][heads][queries]
  std::vector<HeadFacts> head_facts;  // [batch][heads]

  const RowFacts& row(std::int64_t b, std::int64_t h, std::int64_t query) const {
    return rows[static_cast<std::size_t>((b * heads + h) * queries + query)];
  }
  const HeadFacts& head(std::int64_t b, std::int64_t h) const {
    return head_facts[static_cast<std::size_t>(b * heads + h)];
  }
};

/// `document` passed check() and `trace` was computed from it; of it the buckets alone are read. Throws
/// Cancelled when the work is stopped.
MaskFactsPtr mask_facts(const Work&, const Document&, const Trace&);
/// Of one row, without the patterns it counts for.
RowFacts row_facts(const Document&, const Dimensions&, std::int64_t b, std::int64_t query,
                   std::span<const std::uint8_t> seen);

/// A row of weights, or of marks, and where its query stands.
struct MeasuredRow {
  std::int64_t query, position, token_keys;
  bool cross;  // see has_other_keys()
};
/// Weight on the keys of each pattern but Even; 0 for those that the row does not count for.
using PatternMasses = std::array<double, pattern_count>;
/// `seen`: [keys], or empty where hidden keys have no weight.
PatternMasses pattern_masses(const MeasuredRow&, const RowFacts&, const TokenClasses&,
                             std::span<const float> weights, std::span<const std::uint8_t> seen);

}  // namespace attnscope
