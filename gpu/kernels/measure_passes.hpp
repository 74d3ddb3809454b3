// gpu/kernels: what measures sum over rows and columns of weights that lie on the card. Sums are of doubles,
// as on the CPU: a person compares them.
#pragma once

#include "core/analysis/row_sums.hpp"
#include "gpu/kernels/context.hpp"

namespace attnscope::gpu {

/// Marks of a key's token in MeasurePass.
constexpr std::uint8_t special_token = 1, content_word = 2, function_word = 4;

/// What MeasurePass needs where a window hides keys: the scores before the mask, and which keys a query sees
/// with the window and without it.
struct WindowOfRows {
  const float* capped;  // [batch][heads][queries][keys]; null: no window
  const float* bias;    // [1 or batch][heads][queries][keys], or null
  std::int64_t bias_batch;
  const std::int32_t *begin, *end, *full_begin, *full_end;  // [batch][2][queries], see MaskIntervals
  const std::uint8_t* patterned;                            // [heads]
};

/// One SumsOfRow for each row of [batch][heads][queries][keys].
struct MeasurePass {
  const float *masked, *weights;
  SumsOfRow* sums;  // [batch][heads][queries]
  std::int64_t rows;
  int heads, queries, keys;
  int token_keys;                 // the first so many keys belong to tokens
  const int* first;               // [batch] where the first query stands among the keys
  const int* key_class;           // [batch][keys] equal where tokens are; -1: none
  const int* query_class;         // [batch][queries] likewise; -2: none
  const std::uint8_t* key_marks;  // [batch][keys]
  float temperature;
  bool cross;  // keys belong to another text than queries
  WindowOfRows window;
};

/// Sums of each column's weights over a part of the rows that are no padding.
struct ReceivedPass {
  const float* weights;     // [batch][heads][queries][keys]
  double* received;         // [batch][heads][parts][keys]
  const int* real_queries;  // [batch] the others are padding
  int heads, queries, keys, parts;
  std::int64_t count;  // of `received`
};

/// Planes in cells of several, see overview_of().
struct OverviewPass {
  const float* from;   // [planes][rows][columns]
  float* to;           // [planes][height][width]
  std::int64_t count;  // of `to`
  int rows, columns, height, width, cell;
};

/// A warp for each row.
struct MeasureKernel {
  using Pass = MeasurePass;
  static constexpr bool needs_matrix_units = false;
  static constexpr int resident = 1, threads = 256, rows_at_once = threads / 32;
  static constexpr std::uint32_t shared_bytes = 0;
  ATTNSCOPE_BOTH static std::int64_t blocks(const Pass& p) {
    return (p.rows + rows_at_once - 1) / rows_at_once;
  }

  /// The larger one; NaN when one is.
  ATTNSCOPE_THREAD static float larger_or_nan(float a, float b) { return a != a || a > b ? a : b; }
  template <class Ctx>
  ATTNSCOPE_THREAD static double total(Ctx& cx, double x) {
    for (int mask = 1; mask < 32; mask *= 2) x += cx.exchange(x, mask);
    return x;
  }
  /// e^t to float's last bits: the power of two of the rounded product, and what rounding left.
  template <class Ctx>
  ATTNSCOPE_THREAD static float exp_of(Ctx& cx, float t) {
    constexpr float log2_e = 1.44269502f, rest = 1.92596303e-8f, ln2 = 0.693147181f;
    const float y = t * log2_e, left = cx.fma(t, rest, cx.fma(t, log2_e, -y));
    return cx.exp2(y) * cx.fma(left, ln2, 1.0f);
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void sum_scores(Ctx& cx, const Pass& p, const float* masked, SumsOfRow& sums) {
    const int lane = cx.thread() % 32;
    float most = minus_infinity;
    for (int key = lane; key < p.keys; key += 32) most = larger_or_nan(most, masked[key]);
    for (int mask = 1; mask < 32; mask *= 2) most = larger_or_nan(most, cx.exchange(most, mask));
    double sum = 0, centred = 0;
    for (int key = lane; key < p.keys; key += 32) {
      const float x = (masked[key] - most) / p.temperature, t = x < -106.0f ? -106.0f : x;
      const float e = x < -106.0f ? 0.0f : exp_of(cx, t);
      sum += static_cast<double>(e);
      centred += static_cast<double>(e) * static_cast<double>(t);
    }
    sums.largest_score = static_cast<double>(most);
    sums.sum = total(cx, sum);
    sums.centred = total(cx, centred);
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void sum_weights(Ctx& cx, const Pass& p, const float* weights, SumsOfRow& sums) {
    const int lane = cx.thread() % 32;
    float most = minus_infinity;
    double squares = 0, cubes = 0;
    int wrong = 0;
    for (int key = lane; key < p.keys; key += 32) {
      const float w = weights[key];
      const double weight = static_cast<double>(w), square = weight * weight;
      most = larger_or_nan(most, w);
      squares += square;
      cubes += square * weight;
      wrong += w - w == 0 ? 0 : 1;
    }
    for (int mask = 1; mask < 32; mask *= 2) {
      most = larger_or_nan(most, cx.exchange(most, mask));
      wrong += cx.exchange(wrong, mask);
    }
    int strongest = p.keys;
    for (int key = lane; key < p.keys && strongest == p.keys; key += 32)
      if (weights[key] == most) strongest = key;
    for (int mask = 1; mask < 32; mask *= 2) strongest = smaller_of(strongest, cx.exchange(strongest, mask));
    sums.largest = most;
    sums.strongest = strongest == p.keys ? -1 : strongest;
    sums.not_finite = wrong;
    sums.squares = total(cx, squares);
    sums.cubes = total(cx, cubes);
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void sum_places(Ctx& cx, const Pass& p, const float* weights, int batch, int query,
                                          SumsOfRow& sums) {
    const int lane = cx.thread() % 32, position = p.first[batch] + query;
    const std::int64_t keys_at = static_cast<std::int64_t>(batch) * p.keys;
    const int own = p.query_class[static_cast<std::int64_t>(batch) * p.queries + query];
    double on_tokens = 0, extra = 0, special = 0, distances = 0, same = 0, content = 0, words = 0;
    for (int key = lane; key < p.keys; key += 32) {
      const double w = static_cast<double>(weights[key]);
      if (key >= p.token_keys) {
        extra += w;
        continue;
      }
      const std::uint8_t marks = p.key_marks[keys_at + key];
      on_tokens += w;
      distances += w * static_cast<double>(key < position ? position - key : key - position);
      if ((marks & special_token) != 0) special += w;
      if ((marks & content_word) != 0) content += w;
      if ((marks & function_word) != 0) words += w;
      if (p.key_class[keys_at + key] == own) same += w;
    }
    sums.on_tokens = total(cx, on_tokens);
    sums.extra = total(cx, extra);
    sums.special = total(cx, special);
    sums.distances = total(cx, distances);
    sums.same = total(cx, same);
    sums.content = total(cx, content);
    sums.function_words = total(cx, words);
    sums.first = p.token_keys > 0 ? weights[0] : 0;
    for (int i = 0; i < 5; ++i) {
      const int key = position + i - 2;
      sums.near[i] = !p.cross && key >= 0 && key < p.token_keys ? weights[key] : 0;
    }
  }

  /// Full attention's softmax over the row, and what of it lies outside of the window.
  template <class Ctx>
  ATTNSCOPE_THREAD static double dropped(Ctx& cx, const Pass& p, std::int64_t row) {
    const WindowOfRows& window = p.window;
    const int lane = cx.thread() % 32, query = static_cast<int>(row % p.queries);
    const std::int64_t block = row / p.queries, batch = block / p.heads, head = block % p.heads;
    const std::int64_t at = (batch * 2 + window.patterned[head]) * p.queries + query;
    const int first = window.full_begin[at], last = window.full_end[at];
    const float* capped = window.capped + row * p.keys;
    const float* bias = window.bias == nullptr
                            ? nullptr
                            : window.bias + batch * window.bias_batch + (head * p.queries + query) * p.keys;
    const auto score = [&](int key) { return bias == nullptr ? capped[key] : capped[key] + bias[key]; };
    float most = minus_infinity;
    for (int key = first + lane; key < last; key += 32) most = larger_or_nan(most, score(key));
    for (int mask = 1; mask < 32; mask *= 2) most = larger_or_nan(most, cx.exchange(most, mask));
    double all = 0, hidden = 0;
    for (int key = first + lane; key < last; key += 32) {
      const float x = (score(key) - most) / p.temperature;
      const double e = static_cast<double>(x < -106.0f ? 0.0f : exp_of(cx, x));
      all += e;
      if (key < window.begin[at] || key >= window.end[at]) hidden += e;
    }
    all = total(cx, all);
    hidden = total(cx, hidden);
    return all == 0 ? 0 : hidden / all;
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const Pass& p) {
    const std::int64_t row = static_cast<std::int64_t>(cx.block()) * rows_at_once + cx.thread() / 32;
    if (row >= p.rows) return;  // a whole warp
    const float* weights = p.weights + row * p.keys;
    SumsOfRow sums;
    sum_scores(cx, p, p.masked + row * p.keys, sums);
    sum_weights(cx, p, weights, sums);
    sum_places(cx, p, weights, static_cast<int>(row / p.queries / p.heads), static_cast<int>(row % p.queries),
               sums);
    sums.dropped = p.window.capped == nullptr ? 0 : dropped(cx, p, row);
    if (cx.thread() % 32 == 0) p.sums[row] = sums;
  }
};

struct OverviewEach {
  using Pass = OverviewPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.count; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx&, const Pass& p, std::int64_t i) {
    const int x = static_cast<int>(i % p.width) * p.cell,
              y = static_cast<int>(i / p.width % p.height) * p.cell;
    const float* plane = p.from + i / p.width / p.height * p.rows * p.columns;
    float most = 0;
    for (int row = y; row < smaller_of(p.rows, y + p.cell); ++row)
      for (int column = x; column < smaller_of(p.columns, x + p.cell); ++column) {
        const float value = plane[static_cast<std::int64_t>(row) * p.columns + column];
        const float size = value < 0 ? -value : value, has = most < 0 ? -most : most;
        // Nothing is larger than a NaN that is there already.
        if (value != value || size > has || (size == has && value > most)) most = value;
      }
    p.to[i] = most;
  }
};

struct ReceivedEach {
  using Pass = ReceivedPass;
  ATTNSCOPE_BOTH static std::int64_t count(const Pass& p) { return p.count; }
  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx&, const Pass& p, std::int64_t i) {
    const int key = static_cast<int>(i % p.keys), part = static_cast<int>(i / p.keys % p.parts);
    const std::int64_t block = i / p.keys / p.parts;
    const int real = p.real_queries[block / p.heads], each = (p.queries + p.parts - 1) / p.parts;
    const int last = smaller_of(real, (part + 1) * each);
    const float* from = p.weights + block * p.queries * p.keys + key;
    double sum = 0;
    for (int query = part * each; query < last; ++query)
      sum += static_cast<double>(from[static_cast<std::int64_t>(query) * p.keys]);
    p.received[i] = sum;
  }
};

}  // namespace attnscope::gpu
