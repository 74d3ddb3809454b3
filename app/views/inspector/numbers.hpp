// app/views/inspector: the numbers of the pages, without drawing: the products of a query and a key, the keys
// of a row, the norms of vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/state/regions/inspector_state.hpp"
#include "app/views/parts/cell_facts.hpp"

namespace attnscope {

/// One row of a stage of vectors: of head h if the stage has heads (h counts its own: query or key/value
/// heads), else of the whole sequence. Empty if the result has no such stage or row.
std::span<const float> vector_of(const LayerResult&, Stage, std::int64_t b, std::int64_t h, std::int64_t row);

/// The symbols of the multiplied query and key: plain, normed or rotated.
struct OperandNames {
  const char* query;
  const char* key;
  const char* product;
  const char* cosine;
};
OperandNames operand_names(const LayerResult&);

/// The multiplied numbers of query and key (rotated if positions are rotary), and each dimension's product.
struct Products {
  std::span<const float> q, k;                              // [d_k]
  std::vector<double> product;                              // [d_k]
  std::vector<std::int64_t> order;                          // the dimensions in the order of the list
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
  double weight = 0;      // the effective one
  double cumulative = 0;  // sum of the listed weights up to and with this one
  bool masked = false;    // masked, and the weight is 0
};
/// The keys of the row by position, or the largest weight first.
std::vector<RowKey> keys_of_row(const CellRow&, const MaskRule&, const CellPlace&, bool by_weight);
/// The same for a result that keeps its planes.
std::vector<RowKey> keys_of_row(const LayerResult&, const MaskRule&, const CellPlace&, bool by_weight);

/// Computed in double: the Euclidean norm, and the cosine of the angle between two vectors; NaN if one is 0.
double norm(std::span<const float>);
double cosine(std::span<const float>, std::span<const float>);

}  // namespace attnscope
