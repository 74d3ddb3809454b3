// core/streaming/kernels: applies soft-cap, biases and masks to a panel's scores. Masks and biases have a row
// of keys for each query, a panel has a row of queries for each key, so squares of them are transposed in
// registers. Keys at the ends of a block that masks hide from the whole panel are skipped, and a block in
// which masks change nothing needs no masking; neither changes any bit of a result. Included by the kernels
// only.
#pragma once

#include "core/streaming/kernels/panel.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

/// A row of a boolean mask, read in vectors. seen() is 0 for hidden keys, changed() is not.
struct AllowedKeys {
  using Number = uint8_t;
  typedef uint8_t Some __attribute__((vector_size(16), aligned(1), may_alias));
  typedef uint8_t Many __attribute__((vector_size(4 * W), aligned(1), may_alias));
  static Some seen(const uint8_t* row) { return *reinterpret_cast<const Some*>(row); }
  static Many changed(const uint8_t* row) { return (Many)(*reinterpret_cast<const Many*>(row) == 0); }
};

/// A row of an additive mask: -inf hides, 0 changes nothing.
struct AddedKeys {
  using Number = float;
  typedef int32_t Some __attribute__((vector_size(4 * W), aligned(4), may_alias));
  typedef Some Many;
  static Some seen(const float* row) {
    return *reinterpret_cast<const Some*>(row) ^ static_cast<int32_t>(0xFF800000u);
  }
  static Many changed(const float* row) { return *reinterpret_cast<const Many*>(row); }
};

/// Keys of a block outside of [first, last) are hidden from every lane. `plain`: all lanes see the other
/// keys, and their scores stay unchanged.
struct Passing {
  int first, last;
  bool plain;
};

/// Narrows `keys` to those that a mask leaves to the panel; the mask's rows are `stride` apart and begin at
/// the job's first query. Stops at the first key that a row sees, and for `plain` at the first row with a
/// change.
template <class Keys>
static void narrow(const typename Keys::Number* rows, int64_t stride, const Panel& p, Passing& keys) {
  constexpr int some = sizeof(typename Keys::Some) / sizeof(*rows),
                many = sizeof(typename Keys::Many) / sizeof(*rows);
  const auto* const panel_rows = rows + p.first_row * stride;
  const auto hidden = [&](int key) {
    typename Keys::Some seen{};
    for (int row = 0; row < p.rows; ++row) seen |= Keys::seen(panel_rows + row * stride + key);
    return is_zero(seen);
  };
  while (keys.last - some >= keys.first && hidden(keys.last - some)) keys.last -= some;
  while (keys.first + some <= keys.last && hidden(keys.first)) keys.first += some;
  keys.plain &= keys.last - keys.first >= many;
  for (int row = 0; keys.plain && row < p.rows; ++row) {
    const auto* const at = panel_rows + row * stride;
    auto changed = Keys::changed(at + keys.last - many);
    for (int key = keys.first; key + many <= keys.last; key += many) changed |= Keys::changed(at + key);
    keys.plain = is_zero(changed);
  }
}

/// The keys of [first, last) that the panel sees, and whether biases and masks leave them unchanged.
static Passing passing_keys(const ScoreRule& rule, const Panel& p, int first, int last) {
  Passing keys{first, last,
               p.from <= first && last <= p.to && rule.soft_cap == 0 && rule.distance_bias == nullptr};
  if (rule.allowed != nullptr) narrow<AllowedKeys>(rule.allowed, rule.allowed_stride, p, keys);
  if (rule.additive != nullptr) narrow<AddedKeys>(rule.additive, rule.additive_stride, p, keys);
  return keys;
}

/// Prefetches the masks' rows of a panel's next block during the products of this one: hardware prefetchers
/// do not follow so many rows. The fetches are spread evenly over the products, which use the same fill
/// buffers, and bypass the L2 cache, which is for keys and values: each row is read only once.
class MaskAhead {
 public:
  /// The next block begins with key `first`.
  MaskAhead(const ScoreRule& rule, const Panel& p, int first) {
    const int keys = p.high - first < BK ? p.high - first : BK;
    if (keys <= 0) return;
    if (rule.allowed != nullptr)
      rows_[0] =
          stream(rule.allowed + p.first_row * rule.allowed_stride + first, rule.allowed_stride, keys, p);
    if (rule.additive != nullptr)
      rows_[1] =
          stream(rule.additive + p.first_row * rule.additive_stride + first, rule.additive_stride, keys, p);
  }
  /// Fetches the share for MR keys.
  void fetch() {
    constexpr int share = (PW * MR + BK - 1) / BK;
    for (Stream& s : rows_)
      for (int i = 0; i < share && s.left > 0; ++i, --s.left, s.at += s.stride)
        for (int64_t byte = 0; byte < s.bytes; byte += 64) __builtin_prefetch(s.at + byte, 0, 0);
  }

 private:
  struct Stream {
    const char* at = nullptr;
    int64_t stride = 0, bytes = 0;
    int left = 0;
  };
  template <class T>
  static Stream stream(const T* first, int64_t stride, int64_t keys, const Panel& p) {
    constexpr int64_t size = sizeof(T);
    return {reinterpret_cast<const char*>(first), stride * size, keys * size, p.rows};
  }
  Stream rows_[2];
};

/// The first element of each lane's row of a mask; lanes beyond the panel's last row repeat it.
template <class T>
struct LaneRows {
  const T* of[PW];
  LaneRows(const T* rows, int64_t stride, const Panel& p) {
    for (int lane = 0; rows != nullptr && lane < PW; ++lane) {
      const int wanted = row_of(lane), row = p.first_row + (wanted < p.rows ? wanted : p.rows - 1);
      of[lane] = rows + row * stride;
    }
  }
};

/// Scores [count][PW] of the keys from `first` on; with byte masks at most group_keys, so that they stay in
/// the cache between steps. The last step raises `largest` [PW] to their maximum; for earlier steps it is
/// null.
struct Group {
  int first, count;
  float *scores, *largest;
};
constexpr int group_keys = 4 * W;

ATTNSCOPE_INLINE Vec largest_of(const Group& g, int v) {
  return g.largest != nullptr ? load(g.largest + v * W) : Vec{};
}
ATTNSCOPE_INLINE void raise_largest(const Group& g, int v, Vec most) {
  if (g.largest != nullptr) store(g.largest + v * W, most);
}

/// Adds the rows' numbers, one square of keys and lanes at a time. All keys of some rows come before the next
/// rows, since all rows together lie in more pages than the TLB holds. Hides: -inf hides a key, whatever its
/// score is.
template <bool Hides>
static void add_rows(const LaneRows<float>& rows, const Group& g) {
  for (int v = 0; v < NV; ++v) {
    const float* const* row = rows.of + v * W;
    Vec r[W], most = largest_of(g, v);
    for (int key = 0; key < g.count; key += W) {
      const int left = g.count - key;
      float* at = g.scores + key * PW + v * W;
      const auto add = [&](int k) __attribute__((always_inline)) {
        Vec x = load(at + k * PW) + r[k];
        if constexpr (Hides) x = r[k] == -infinity ? r[k] : x;
        store(at + k * PW, x);
        most = larger(most, x);
      };
      if (left >= W) {
        ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) r[i] = load_loose(row[i] + g.first + key);
        transpose(r);
        ATTNSCOPE_UNROLL for (int k = 0; k < W; ++k) add(k);
      } else {
        ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) r[i] = load_some(row[i] + g.first + key, left);
        transpose(r);
        ATTNSCOPE_UNROLL for (int k = 0; k < W; ++k) {
          if (k < left) add(k);
        }
      }
    }
    raise_largest(g, v, most);
  }
}

/// Loads 4 · W bytes, of which `count` exist; the others are 0.
ATTNSCOPE_INLINE Vec load_bytes(const uint8_t* from, int count) {
  AllowedKeys::Many x{};
  if (count >= group_keys)
    x = *reinterpret_cast<const AllowedKeys::Many*>(from);
  else
    memcpy(&x, from, static_cast<uint64_t>(count));
  return (Vec)x;
}

/// Hides the keys whose byte is 0. Four keys are transposed as one 32-bit number.
static void hide_rows(const LaneRows<uint8_t>& rows, const Group& g) {
  for (int v = 0; v < NV; ++v) {
    alignas(64) Vec four[W];
    ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) four[i] = load_bytes(rows.of[v * W + i] + g.first, g.count);
    transpose(four);
    Vec most = largest_of(g, v);
    for (int key = 0; key < g.count; key += 4) {
      const IntVec bytes = (IntVec)four[key / 4];
      float* at = g.scores + key * PW + v * W;
      ATTNSCOPE_UNROLL for (int i = 0; i < 4; ++i, at += PW) {
        if (key + i >= g.count) break;
        const Vec x = (bytes & static_cast<int32_t>(0xFFu << 8 * i)) != 0 ? load(at) : all(-infinity);
        store(at, x);
        most = larger(most, x);
      }
    }
    raise_largest(g, v, most);
  }
}

/// Hides the keys outside of each lane's interval.
static void hide_outside(const Panel& p, const Group& g) {
  for (int v = 0; v < NV; ++v) {
    const IntVec begin = *reinterpret_cast<const IntVec*>(p.begin + v * W);
    const IntVec end = *reinterpret_cast<const IntVec*>(p.end + v * W);
    Vec most = largest_of(g, v);
    IntVec key = all(g.first);
    for (int k = 0; k < g.count; ++k, key += 1) {
      float* at = g.scores + k * PW + v * W;
      const Vec x = (key >= begin) & (key < end) ? load(at) : all(-infinity);
      store(at, x);
      most = larger(most, x);
    }
    raise_largest(g, v, most);
  }
}

/// Applies soft-cap, biases and masks to a block of scores; raises p.largest to their maximum.
static void mark_scores(const ScoreRule& rule, Panel& p, const Block& b) {
  const LaneRows<float> biases(rule.distance_bias, -rule.distance_step, p);
  const LaneRows<float> added(rule.additive, rule.additive_stride, p);
  const LaneRows<uint8_t> allowed(rule.allowed, rule.allowed_stride, p);
  const bool masked = rule.allowed != nullptr || rule.additive != nullptr;
  const bool bounded = p.from > b.first || b.last > p.to || !masked;
  const int most = rule.allowed == nullptr ? BK : group_keys;
  for (int first = b.first; first < b.last; first += most) {
    const int left = b.last - first, count = left < most ? left : most;
    Group g{first, count, b.scores + (first - b.first) * PW, nullptr};
    if (rule.soft_cap != 0)
      for (int i = 0; i < count * NV; ++i)
        store(g.scores + i * W, tanh_of(load(g.scores + i * W) / rule.soft_cap) * rule.soft_cap);
    if (rule.distance_bias != nullptr) add_rows<false>(biases, g);
    g.largest = bounded || rule.allowed != nullptr ? nullptr : p.largest;
    if (rule.additive != nullptr) add_rows<true>(added, g);
    g.largest = bounded ? nullptr : p.largest;
    if (rule.allowed != nullptr) hide_rows(allowed, g);
    g.largest = p.largest;
    if (bounded) hide_outside(p, g);
  }
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
