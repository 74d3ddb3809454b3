// core/transformer/positions: what a scheme computes, whichever it is: vectors for tokens, or a bias for
// scores with its gradient. Each has a file with its formulas; which they are stands in schemes.cpp alone.
// Rotations: rotation.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/base/tensor.hpp"
#include "core/transformer/positions/settings.hpp"

namespace attnscope {

/// Throws Error if settings do not fit together, whichever scheme reads them, or if the image does not fit
/// the scheme.
void check_scheme(Positions, const PositionSettings&, const ImageWindows&);

/// Vectors that are added to those of tokens.
template <class T>
struct VectorSource {
  Positions scheme;
  std::int64_t first = 0;              // dimension from which on those without a table are added
  const TensorOf<T>* table = nullptr;  // [positions][d_model]; null: none, or from the seed
  std::uint64_t seed = 0;
};
/// x [batch][tokens][d_model], in place. Other schemes than those of PositionPlace::Tokens change nothing.
template <class T>
void add_position_vectors(TensorOf<T>& x, const VectorSource<T>& of);

/// What a bias by positions alone is made of.
template <class T>
struct BiasSource {
  Positions scheme;
  const PositionSettings& settings;
  ImageWindows image;
  std::int64_t heads;
  const TensorOf<T>* table;  // [rows][heads]; null: none, or from the seed
  std::uint64_t seed;
};

/// The rows of the learned table [rows][heads], or [rows][d_model] of Disentangled; 0 for schemes without one
/// and for Learned, which has a row for each position.
std::int64_t table_rows(Positions, const PositionSettings&, const ImageWindows&);

/// A bias that is added to a capped score: a number for each head, query and key.
template <class T>
class PositionBias {
 public:
  virtual ~PositionBias() = default;
  /// For query and key at these positions. That of PositionPlace::Distances depends on key - query alone.
  virtual T at(std::int64_t head, std::int64_t query, std::int64_t key) const = 0;
  /// For a query at this position and the keys from position 0 on.
  void fill(std::int64_t head, std::int64_t query, std::span<T> values) const {
    std::int64_t key = 0;
    for (T& value : values) value = at(head, query, key++);
  }
  /// The row of the learned table that the number is read from; nothing for numbers that are not learned.
  virtual std::optional<std::int64_t> row(std::int64_t query, std::int64_t key) const = 0;
};

/// The settings and the table must outlive it. Null for schemes without such a bias: those that are not added
/// to scores, and Disentangled, which multiplies queries and keys (disentangled.hpp).
template <class T>
std::unique_ptr<const PositionBias<T>> position_bias(const BiasSource<T>&);

/// Backward of a bias with a table, B = table[row(i, j)][h]: the gradients of all cells of a row are summed,
/// over the batch, too. d_bias [batch][heads][queries][keys], of which the first `token_keys` keys have
/// positions; `first`: the position of the first query of each sequence. Adds to `table`.
template <class T>
void position_bias_backward(const PositionBias<T>&, std::span<const std::int64_t> first,
                            std::int64_t token_keys, const TensorOf<T>& d_bias, TensorOf<T>& table);

}  // namespace attnscope
