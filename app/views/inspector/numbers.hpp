// app/views/inspector: the numbers of the pages, apart from how they are drawn: the products of a query and a
// key, the keys of a row, the norms of vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/state/regions/inspector_state.hpp"
#include "app/views/parts/cell_facts.hpp"

namespace attnscope {

/// One row of a stage of vectors of the result: of a head where it has heads (h counts those of the stage),
/// else of the whole sequence. Empty when the result has no such stage or row.
std::span<const float> vector_of(const LayerResult&, Stage, std::int64_t b, std::int64_t h, std::int64_t row);

/// How queries and keys are called where they are multiplied: as they come, normed, or rotated.
struct OperandNames {
  const char* query;
  const char* key;
  const char* product;
  const char* cosine;
};
OperandNames operand_names(const LayerResult&);

/// The query's and the key's numbers that are multiplied, rotated where positions are rotary, and what each
/// dimension gives to the score.
struct Products {
  std::span<const float> q, k;                              // [d_k]
  std::vector<double> product;                              // [d_k]
  std::vector<std::int64_t> order;                          // the dimensions as they are listed
  double sum(std::int64_t first, std::int64_t last) const;  // over order[first … last - 1]
  double sum() const { return sum(0, std::ssize(order)); }
};
Products products_of(const LayerResult&, const CellPlace&, ProductOrder);
/// The dimensions of `values` in that order; NaN comes last.
std::vector<std::int64_t> ordered(std::span<const double> values, ProductOrder);

/// One key of a query's row.
struct RowKey {
  std::int64_t key = 0;
  double score = 0;       // q·k
  double weight = 0;      // the one that counts
  double cumulative = 0;  // of the weights up to and with this key, as they are listed
  bool masked = false;    // hidden, and without weight
};
/// By position, or the largest weight first.
std::vector<RowKey> keys_of_row(const CellRow&, const MaskRule&, const CellPlace&, bool by_weight);
/// The same of a result that keeps its planes.
std::vector<RowKey> keys_of_row(const LayerResult&, const MaskRule&, const CellPlace&, bool by_weight);

/// In double: the Euclidean norm, and the cosine of the angle between two vectors; NaN where one is 0.
double norm(std::span<const float>);
double cosine(std::span<const float>, std::span<const float>);

}  // namespace attnscope
