// core/analysis: the part of the measures that depends on the mask and the tokens alone. It stays valid while
// queries, keys and other numbers change.
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

/// The tokens of one sequence by class, as indices of keys. Empty where queries or keys do not come from a
/// text.
class TokenClasses {
 public:
  TokenClasses(const Document&, const Dimensions&, std::int64_t b);
  std::span<const std::int32_t> content() const { return content_; }
  std::span<const std::int32_t> function_words() const { return function_words_; }
  /// Keys of the same token as the query's, case folded.
  std::span<const std::int32_t> same_as(std::int64_t query) const;
  const std::vector<std::uint8_t>& special() const { return special_; }  // [keys] 1: a token like [CLS]
  /// [queries] the class of the query's token among the keys' tokens; -1 where no key has it. Empty without a
  /// text.
  std::span<const std::int32_t> class_of_query() const { return class_of_query_; }
  /// [keys] the class of each key's token; -1 for keys that belong to no token.
  std::vector<std::int32_t> class_of_key() const;

 private:
  std::vector<std::uint8_t> special_;
  std::vector<std::int32_t> content_, function_words_;
  std::vector<std::vector<std::int32_t>> same_;  // for each distinct token of the keys
  std::vector<std::int32_t> class_of_query_;     // into same_, -1 = none
};

/// Whether the keys come from another sequence than the queries.
inline bool has_other_keys(const Document& document) {
  return !document.input.memory.empty() || static_cast<bool>(document.input.vectors().key);
}

/// One query of one head.
struct RowFacts {
  std::int32_t allowed = 0;  // keys that the mask allows
  bool padding = false;
  std::uint16_t counted = 0;  // bit p: the row counts for HeadPattern p
  bool has_choice() const { return !padding && allowed >= 2; }
  bool counts_for(HeadPattern pattern) const { return (counted >> static_cast<unsigned>(pattern) & 1) != 0; }
};

struct HeadFacts {
  RowMeans uniform;                      // as in HeadMeasures
  std::vector<double> received_uniform;  // as in HeadMeasures
  PatternScores patterns;                // rows that count and the sum of their uniform weights' shares
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

/// `document` passed check() and `trace` was computed from it; only its buckets are read. Throws Cancelled
/// when the work is stopped.
MaskFactsPtr mask_facts(const Work&, const Document&, const Trace&);
/// The facts of one row, without `counted`.
RowFacts row_facts(const Document&, const Dimensions&, std::int64_t b, std::int64_t query,
                   std::span<const std::uint8_t> seen);

/// A row of weights or marks, and the position of its query.
struct MeasuredRow {
  std::int64_t query, position, token_keys;
  bool cross;  // see has_other_keys()
};
/// The weight on the keys of each pattern but Even; 0 for patterns that the row does not count for.
using PatternMasses = std::array<double, pattern_count>;
/// `seen`: [keys], or empty where hidden keys have no weight.
PatternMasses pattern_masses(const MeasuredRow&, const RowFacts&, const TokenClasses&,
                             std::span<const float> weights, std::span<const std::uint8_t> seen);

}  // namespace attnscope
