#include "core/attention/positions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "core/attention/blocks.hpp"
#include "core/base/random.hpp"
#include "core/base/rotate_pairs.hpp"
#include "core/weights/hand_built.hpp"

namespace attnscope {

namespace {

/// Adds P(t, dim) to dimensions [first, first + d) of every row of x.
template <class T, class Value>
void add_to_rows(TensorOf<T>& x, std::int64_t first, std::int64_t d, Value&& value) {
  const Shape shape = x.shape();
  for (std::int64_t t = 0; t < shape[1]; ++t)
    for (std::int64_t dim = 0; dim < d; ++dim) {
      const T p = value(t, dim);
      for (std::int64_t b = 0; b < shape[0]; ++b) x.matrix(b)(t, first + dim) += p;
    }
}

template <class T>
void add_learned(const Document& document, TensorOf<T>& x, std::int64_t first, const TensorOf<T>* table) {
  const std::int64_t width = x.shape()[2];
  if (table != nullptr) {
    add_to_rows(x, 0, width, [&](std::int64_t t, std::int64_t dim) { return table->matrix()(t, dim); });
    return;
  }
  constexpr double sigma = 0.5;  // visible beside token vectors of N(0, 1), but smaller than they are
  const std::uint64_t stream = stream_of("learned positions");
  add_to_rows(x, first, width - first, [&](std::int64_t t, std::int64_t dim) {
    const auto index = (static_cast<std::uint64_t>(t) << 24) + static_cast<std::uint64_t>(dim);
    return static_cast<T>(
        static_cast<float>(sigma * random_normal(document.layer().weights.seed, stream, index)));
  });
}

}  // namespace

template <class T>
TensorOf<T> add_positions(const Document& document, const TensorOf<T>& embedded, const TensorOf<T>* table) {
  TensorOf<T> x = embedded;
  const int d_model = static_cast<int>(x.shape()[2]);
  const bool halves = document.embedding == Embedding::HandBuilt && !document.input.is_vectors();
  const int first = halves ? HandBuiltLayout(d_model).token : 0;
  if (document.layer().positions == Positions::Learned) add_learned(document, x, first, table);
  if (document.layer().positions == Positions::Sinusoidal) {
    const int d = d_model - first;
    add_to_rows(x, first, d, [&](std::int64_t t, std::int64_t dim) {
      const double angle = position_frequency(static_cast<int>(dim) / 2, d) * static_cast<double>(t);
      return static_cast<T>(dim % 2 == 0 ? std::sin(angle) : std::cos(angle));
    });
  }
  return x;
}

template <class T>
Rotation<T> rotation_at(std::span<const std::int64_t> first, std::int64_t tokens, const RopeSettings& rope,
                        Positions kind, std::int64_t length) {
  const RopeFrequenciesOf<double> frequencies = exact_rope_frequencies(rope, length);
  const Shape shape{std::ssize(first), tokens, rope.rotated / 2};
  Rotation<T> rotation{TensorOf<T>(shape), TensorOf<T>(shape), kind == Positions::RopeInterleaved};
  for (std::int64_t i = 0; i < shape[2]; ++i) {
    const double frequency = frequencies.frequency[static_cast<std::size_t>(i)];
    for (std::int64_t b = 0; b < shape[0]; ++b) {
      for (std::int64_t t = 0; t < tokens; ++t) {
        const double angle = frequency * static_cast<double>(first[static_cast<std::size_t>(b)] + t);
        rotation.cosine.matrix(b)(t, i) = static_cast<T>(frequencies.magnitude * std::cos(angle));
        rotation.sine.matrix(b)(t, i) = static_cast<T>(frequencies.magnitude * std::sin(angle));
      }
    }
  }
  return rotation;
}

RopeSettings rope_of(const Document& document, std::int64_t d_k) {
  const LayerSpec& layer = document.layer();
  return rope_of(layer.position_settings, has_latent(document) ? layer.latent.shared : d_k);
}

std::int64_t rope_length(const Document& document, const Dimensions& size) {
  std::int64_t length = size.token_keys();
  for (std::int64_t b = 0; b < size.batch; ++b)
    length = std::max(length, query_offset(document, size, b) + size.queries);
  return length;
}

template <class T>
Rotation<T> query_rotation(const Document& document, const Dimensions& size) {
  std::vector<std::int64_t> first;
  for (std::int64_t b = 0; b < size.batch; ++b) first.push_back(query_offset(document, size, b));
  return rotation_at<T>(first, size.queries, rope_of(document, size.d_k), document.layer().positions,
                        rope_length(document, size));
}

template <class T>
Rotation<T> key_rotation(const Document& document, const Dimensions& size) {
  constexpr std::array<std::int64_t, 1> zero{0};
  return rotation_at<T>(zero, size.token_keys(), rope_of(document, size.d_k), document.layer().positions,
                        rope_length(document, size));
}

template <class T>
TensorOf<T> rotate(const Work& work, const TensorOf<T>& x, const Rotation<T>& rotation, bool back) {
  TensorOf<T> turned = x;
  const std::int64_t tokens = rotation.cosine.shape()[1], pairs = rotation.cosine.shape()[2];
  for_row_blocks(work, x.shape()[0], x.shape()[1], tokens, static_cast<double>(pairs) * 2,
                 [&](const RowBlock& at) {
                   const std::int64_t b = rotation.cosine.shape()[0] == 1 ? 0 : at.b;
                   const auto cosine = rotation.cosine.matrix(b), sine = rotation.sine.matrix(b);
                   auto head = turned.matrix(at.b, at.h);
                   for (std::int64_t t = at.first; t < at.first + at.count; ++t)
                     rotate_pairs<T>(head.row(t).data(), pairs, rotation.interleaved, cosine.row(t).data(),
                                     sine.row(t).data(), back);
                 });
  return turned;
}

std::vector<double> alibi_slopes(std::int64_t heads) {
  const auto lower = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  std::vector<double> slopes;
  for (std::int64_t i = 1; i <= lower; ++i)
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(i) / static_cast<double>(lower)));
  for (std::int64_t i = 1; std::ssize(slopes) < heads; i += 2)
    slopes.push_back(std::exp2(-4.0 * static_cast<double>(i) / static_cast<double>(lower)));
  return slopes;
}

std::int64_t relative_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t max_distance,
                             bool two_sided) {
  std::int64_t first = 0;
  if (two_sided) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    distance = std::abs(distance);
  } else {
    distance = distance < 0 ? -distance : 0;
  }
  const std::int64_t exact = buckets / 2;
  if (distance < exact) return first + distance;
  // In float32, as in T5's code: the rounding decides on which side of a boundary a distance falls.
  const float share =
      std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
      static_cast<float>(std::log(static_cast<double>(max_distance) / static_cast<double>(exact)));
  const auto grown = exact + static_cast<std::int64_t>(share * static_cast<float>(buckets - exact));
  return first + std::min(grown, buckets - 1);
}

template <class T>
DistanceBias<T>::DistanceBias(Positions kind, const PositionSettings& settings, std::int64_t heads,
                              std::span<const T> table, std::uint64_t seed)
    : kind_(kind), settings_(settings), table_(table), seed_(seed), slopes_(alibi_slopes(heads)) {}

template <class T>
DistanceBias<T>::DistanceBias(const Document& document, std::int64_t heads, const TensorOf<T>* table)
    : DistanceBias(document.layer().positions, document.layer().position_settings, heads,
                   table != nullptr ? table->values() : std::span<const T>(), document.layer().weights.seed) {
}

template <class T>
T DistanceBias<T>::at(std::int64_t head, std::int64_t distance) const {
  if (kind_ == Positions::Alibi)
    return static_cast<T>(-slopes_[static_cast<std::size_t>(head)] * static_cast<double>(std::abs(distance)));
  const std::int64_t bucket =
      relative_bucket(distance, settings_.buckets, settings_.bucket_distance, settings_.buckets_two_sided);
  if (!table_.empty()) return table_[static_cast<std::size_t>(bucket * std::ssize(slopes_) + head)];
  const auto index = (static_cast<std::uint64_t>(head) << 16) + static_cast<std::uint64_t>(bucket);
  return static_cast<T>(static_cast<float>(random_normal(seed_, stream_of("relative position bias"), index)));
}

template <class T>
void DistanceBias<T>::fill(std::int64_t head, std::int64_t first, std::span<T> values) const {
  for (T& value : values) value = at(head, first++);
}

template <class T>
TensorOf<T> distance_values(const Document& document, const Dimensions& size, const TensorOf<T>* table) {
  const DistanceBias<T> value(document, size.heads, table);
  const bool each = document.input.is_given() && !document.input.given().lengths.empty();
  TensorOf<T> values(Shape{each ? size.batch : 1, size.heads, size.queries + size.token_keys() - 1});
  for (std::int64_t b = 0; b < values.shape()[0]; ++b) {
    const std::int64_t last =
        query_offset(document, size, b) + size.queries - 1;  // position of the last query
    auto heads = values.matrix(b);
    for (std::int64_t h = 0; h < size.heads; ++h)
      value.fill(h, -last, {heads.row(h).data(), static_cast<std::size_t>(heads.cols())});
  }
  return values;
}

template <class T>
TensorOf<T> spread_distances(const TensorOf<T>& values, std::int64_t queries, std::int64_t keys) {
  const Shape& shape = values.shape();
  const std::int64_t token_keys = shape[2] - queries + 1;
  TensorOf<T> bias(Shape{shape[0], shape[1], queries, keys});
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      const T* const by_distance = values.data() + (b * shape[1] + h) * shape[2];
      auto head = bias.matrix(b, h);
      for (std::int64_t i = 0; i < queries; ++i)
        std::copy_n(by_distance + (queries - 1 - i), token_keys, head.row(i).data());
    }
  return bias;
}

template <class T>
TensorOf<T> position_bias_backward(const Document& document, const Dimensions& size,
                                   const TensorOf<T>& d_bias) {
  const PositionSettings& settings = document.layer().position_settings;
  TensorOf<T> table(Shape{settings.buckets, size.heads});
  for (std::int64_t b = 0; b < d_bias.shape()[0]; ++b) {
    const std::int64_t first = query_offset(document, size, b);
    for (std::int64_t h = 0; h < size.heads; ++h)
      for (std::int64_t i = 0; i < size.queries; ++i)
        for (std::int64_t j = 0; j < size.token_keys(); ++j)
          table.matrix()(relative_bucket(j - first - i, settings.buckets, settings.bucket_distance,
                                         settings.buckets_two_sided),
                         h) += d_bias.matrix(b, h)(i, j);
  }
  return table;
}

template TensorOf<float> add_positions(const Document&, const TensorOf<float>&, const TensorOf<float>*);
template TensorOf<double> add_positions(const Document&, const TensorOf<double>&, const TensorOf<double>*);
template Rotation<float> rotation_at(std::span<const std::int64_t>, std::int64_t, const RopeSettings&,
                                     Positions, std::int64_t);
template Rotation<double> rotation_at(std::span<const std::int64_t>, std::int64_t, const RopeSettings&,
                                      Positions, std::int64_t);
template Rotation<float> query_rotation(const Document&, const Dimensions&);
template Rotation<double> query_rotation(const Document&, const Dimensions&);
template Rotation<float> key_rotation(const Document&, const Dimensions&);
template Rotation<double> key_rotation(const Document&, const Dimensions&);
template TensorOf<float> rotate(const Work&, const TensorOf<float>&, const Rotation<float>&, bool);
template TensorOf<double> rotate(const Work&, const TensorOf<double>&, const Rotation<double>&, bool);
template class DistanceBias<float>;
template class DistanceBias<double>;
template TensorOf<float> distance_values(const Document&, const Dimensions&, const TensorOf<float>*);
template TensorOf<float> spread_distances(const TensorOf<float>&, std::int64_t, std::int64_t);
template TensorOf<double> distance_values(const Document&, const Dimensions&, const TensorOf<double>*);
template TensorOf<double> spread_distances(const TensorOf<double>&, std::int64_t, std::int64_t);

template TensorOf<float> position_bias_backward(const Document&, const Dimensions&, const TensorOf<float>&);
template TensorOf<double> position_bias_backward(const Document&, const Dimensions&, const TensorOf<double>&);

}  // namespace attnscope
