// core/attention: positional encodings: vectors added to X, rotations of queries and keys, and biases added
// to the scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/document/document.hpp"
#include "core/document/rope_frequencies.hpp"

namespace attnscope {

/// Position: X = embedded + positions, [batch][tokens][d_model]. Sinusoidal: P(t, 2i) = sin(ω_i t), P(t,
/// 2i+1) = cos(ω_i t), with d = d_model for Gaussian embeddings; for HandBuilt ones d = d_model - d_model/2
/// and P fills the second half, whatever the width. Learned: P(t) is row t of `table` [positions][d_model];
/// without a table P(t) is d numbers from N(0, 0.5²) that depend on the seed and t alone, in the same
/// dimensions as the sinusoidal ones. Other kinds: X = embedded.
template <class T>
TensorOf<T> add_positions(const Document&, const TensorOf<T>& embedded, const TensorOf<T>* table = nullptr);

/// The rotation of a head's vectors by rotary positions (Su et al. 2021, section 3.4.2): pair i of r/2 is
/// rotated by angle a, (x, y) -> (x cos a - y sin a, x sin a + y cos a), where (x, y) are dimensions (i, i +
/// r/2), or (2i, 2i + 1) when interleaved; dimensions from r on are unchanged. YaRN multiplies cosine and
/// sine by a factor above 1 (Peng et al. 2023, section 3.4).
template <class T>
struct Rotation {
  TensorOf<T> cosine, sine;  // [1 or batch][tokens][r/2]
  bool interleaved = false;
};

/// Angles p · base^(-2i/r), or with scaled frequencies, for the positions p = first(b) + t of `tokens`
/// tokens, in the pairs of RopeHalf or RopeInterleaved; `first` holds one number for each entry of the batch,
/// or one for all. `length`: the length of the text, for RopeScaling::Dynamic.
template <class T>
Rotation<T> rotation_at(std::span<const std::int64_t> first, std::int64_t tokens, const RopeSettings&,
                        Positions, std::int64_t length);

/// The rotary settings of a Document for queries and keys of width d_k, and the text length that
/// RopeScaling::Dynamic uses: the last position of queries and keys, plus 1.
RopeSettings rope_of(const Document&, std::int64_t d_k);
std::int64_t rope_length(const Document&, const Dimensions&);

/// The rotations of a Document's queries, from query_offset() on, and of its keys, from 0 on.
template <class T>
Rotation<T> query_rotation(const Document&, const Dimensions&);
template <class T>
Rotation<T> key_rotation(const Document&, const Dimensions&);

/// RotateQuery, RotateKey: x [batch][heads][rows][d] with the first rotation.cosine.shape()[1] rows, those of
/// tokens, rotated; the other rows are unchanged. `back` rotates by the negative angle.
template <class T>
TensorOf<T> rotate(const Work&, const TensorOf<T>& x, const Rotation<T>& rotation, bool back = false);
/// Backward of rotate(), Q′ = R·Q: dQ = Rᵀ·dQ′. R is orthogonal up to a factor, so the gradient is rotated
/// back.
template <class T>
TensorOf<T> rotate_backward(const Work& work, const TensorOf<T>& d_turned, const Rotation<T>& rotation) {
  return rotate(work, d_turned, rotation, true);
}

/// Slopes of ALiBi (Press et al. 2022, section 3): 2^(-8 i / n) for i = 1 … n when n is a power of two; else
/// those of the next lower power of two, then every second one of the next higher.
std::vector<double> alibi_slopes(std::int64_t heads);

/// T5's bucket of a distance key - query (Raffel et al. 2020, section 2.1, and its code): half of a side's
/// buckets are for single distances, the rest grow logarithmically up to `max_distance`. One-sided: all keys
/// after the query share bucket 0.
std::int64_t relative_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t max_distance,
                             bool two_sided);

/// The position bias that is added to a capped score: a number for each head and distance key - query.
/// RelativeBuckets: from `table` [buckets][heads], without one N(0, 1) from the seed. Alibi: -slope ·
/// |distance|, on both sides. `table` must outlive it.
template <class T>
class DistanceBias {
 public:
  DistanceBias(Positions kind, const PositionSettings& settings, std::int64_t heads, std::span<const T> table,
               std::uint64_t seed = 0);
  /// Of a Document's layer; `table` may be null.
  DistanceBias(const Document& document, std::int64_t heads, const TensorOf<T>* table);
  T at(std::int64_t head, std::int64_t distance) const;
  /// The biases of one head for the distances from `first` on.
  void fill(std::int64_t head, std::int64_t first, std::span<T> values) const;

 private:
  Positions kind_;
  PositionSettings settings_;
  std::span<const T> table_;
  std::uint64_t seed_;
  std::vector<double> slopes_;  // of ALiBi; [heads]
};

/// The values of DistanceBias, [1 or batch][heads][queries + token keys - 1]; index j - i + queries - 1
/// belongs to query i and key j.
template <class T>
TensorOf<T> distance_values(const Document&, const Dimensions&, const TensorOf<T>* table);
/// Bias: these values spread over every query and key, [1 or batch][heads][queries][keys]; 0 for keys that
/// belong to no token.
template <class T>
TensorOf<T> spread_distances(const TensorOf<T>& values, std::int64_t queries, std::int64_t keys);

/// Backward of both for RelativeBuckets, B = table[bucket(j - p)][h]: the gradients of all cells of a bucket
/// are summed, over the batch, too. d_bias [batch][heads][queries][keys]; the result is [buckets][heads].
template <class T>
TensorOf<T> position_bias_backward(const Document&, const Dimensions&, const TensorOf<T>& d_bias);

}  // namespace attnscope
