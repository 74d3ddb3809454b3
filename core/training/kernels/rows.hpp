// core/training/kernels: what happens to rows between the products: softmax, norms, GELU, cross-entropy,
// rotation. Included by the kernels alone.
#pragma once

#include "core/training/kernels/kernels.hpp"
#include "core/training/kernels/numbers.hpp"

namespace attnscope::training::ATTNSCOPE_KERNEL {

constexpr double hidden_score = -1e30;  // as good as −∞, and its differences are numbers

template <class T>
ATTNSCOPE_INLINE int keys_seen(const AttentionRows<T>& job, int row) {
  return job.causal ? job.first_query + row + 1 : job.keys;
}

/// Scaled score of W keys from j on, hidden ones far below.
template <class T>
ATTNSCOPE_INLINE Vec<T> score_at(const AttentionRows<T>& job, const T* row, int query, int j, int end) {
  const Index<T> key = places<T>(j);
  Vec<T> x = get(row + j) * job.scale;
  if (job.slope != T(0)) {
    const Vec<T> distance = __builtin_convertvector(key - query, Vec<T>);
    x -= job.slope * (distance < T(0) ? -distance : distance);
  }
  return key < end ? x : every(T(hidden_score));
}

template <class T>
static void softmax(const AttentionRows<T>& job) {
  constexpr int W = lanes<T>;
  for (int r = 0; r < job.count; ++r) {
    T* const row = job.rows + r * job.stride;
    const int query = job.first_query + r, end = keys_seen(job, r);
    Vec<T> most = every(T(hidden_score));
    for (int j = 0; j < end; j += W) {
      const Vec<T> x = score_at(job, row, query, j, end);
      most = x > most ? x : most;
      put(row + j, x);
    }
    const T shift = largest_of<T>(most);
    Vec<T> sums{};
    for (int j = 0; j < end; j += W) {
      const Vec<T> e = exp_below(get(row + j) - shift);
      sums += e;
      put(row + j, e);
    }
    const T factor = T(1) / sum_of<T>(sums);
    int j = 0;
    for (; j < end; j += W) put(row + j, get(row + j) * factor);
    for (; j < job.stride; j += W) put(row + j, Vec<T>{});
  }
}

template <class T>
static void softmax_backward(const AttentionRows<T>& job, const T* weights, T* norms) {
  constexpr int W = lanes<T>;
  for (int r = 0; r < job.count; ++r) {
    T* const d = job.rows + r * job.stride;
    const T* const a = weights + r * job.stride;
    const int end = keys_seen(job, r);
    Vec<T> sums{};
    for (int j = 0; j < end; j += W) {
      // What stands behind the last key was never written.
      const Vec<T> known = places<T>(j) < end ? get(d + j) : Vec<T>{};
      put(d + j, known);
      sums += get(a + j) * known;
    }
    const T mean = sum_of<T>(sums);
    Vec<T> squares{};
    int j = 0;
    for (; j < end; j += W) {
      const Vec<T> g = get(a + j) * (get(d + j) - mean);
      squares += g * g;
      put(d + j, g * job.scale);
    }
    for (; j < job.stride; j += W) put(d + j, Vec<T>{});
    if (norms != nullptr) norms[r] = root(sum_of<T>(squares));
  }
}

/// Calls fn(i, load, store) for every vector of a row, with what reads and writes as many numbers as there
/// are.
template <class T, class Fn>
ATTNSCOPE_INLINE void along(int width, Fn fn) {
  constexpr int W = lanes<T>;
  int i = 0;
  for (; i + W <= width; i += W)
    fn(
        i, [](const T* p) { return get(p); }, [](T* p, Vec<T> x) { put(p, x); });
  if (i < width)
    fn(
        i, [&](const T* p) { return get_some(p, width - i); },
        [&](T* p, Vec<T> x) { put_some(p, x, width - i); });
}

template <class T>
static void normalise(const NormRows<T>& job, T* out, int64_t out_row) {
  const int width = job.width;
  for (int r = 0; r < job.count; ++r) {
    const T* const x = job.x + r * job.x_row;
    T mean = 0;
    if (job.centred) {
      Vec<T> sums{};
      along<T>(width, [&](int i, auto load, auto) { sums += load(x + i); });
      mean = sum_of<T>(sums) / T(width);
    }
    Vec<T> squares{};
    along<T>(width, [&](int i, auto load, auto) {
      const Vec<T> u = places<T>(i) < width ? load(x + i) - mean : Vec<T>{};
      squares += u * u;
    });
    const T inverse = T(1) / root(sum_of<T>(squares) / T(width) + job.epsilon);
    job.moments[2 * r] = mean;
    job.moments[2 * r + 1] = inverse;
    T* const y = out + r * out_row;
    along<T>(width, [&](int i, auto load, auto store) {
      Vec<T> u = (load(x + i) - mean) * inverse * load(job.weight + i);
      if (job.bias != nullptr) u += load(job.bias + i);
      store(y + i, u);
    });
  }
}

/// With u = (x − mean)·r and g = dy·w: dx = r·(g − mean(g) − u·mean(g·u)), the middle one of centred norms
/// alone.
template <class T>
static void normalise_backward(const NormRows<T>& job, const T* d_out, int64_t d_row, T* d_x, int64_t d_x_row,
                               bool add, T* d_weight, T* d_bias) {
  const int width = job.width;
  for (int r = 0; r < job.count; ++r) {
    const T* const x = job.x + r * job.x_row;
    const T* const dy = d_out + r * d_row;
    const T mean = job.moments[2 * r], inverse = job.moments[2 * r + 1];
    Vec<T> sums{}, products{};
    along<T>(width, [&](int i, auto load, auto store) {
      const Vec<T> u = (load(x + i) - mean) * inverse, d = load(dy + i), g = d * load(job.weight + i);
      sums += g;
      products += g * u;
      store(d_weight + i, load(d_weight + i) + d * u);
      if (d_bias != nullptr) store(d_bias + i, load(d_bias + i) + d);
    });
    const T g_mean = job.centred ? sum_of<T>(sums) / T(width) : T(0), g_u = sum_of<T>(products) / T(width);
    T* const dx = d_x + r * d_x_row;
    along<T>(width, [&](int i, auto load, auto store) {
      const Vec<T> u = (load(x + i) - mean) * inverse, g = load(dy + i) * load(job.weight + i);
      Vec<T> d = inverse * (g - g_mean - u * g_u);
      if (add) d += load(dx + i);
      store(dx + i, d);
    });
  }
}

/// 2·√(2/π)·(x + 0.044715·x³): GELU(x) = x·σ of it, since tanh(z) = 2·σ(2z) − 1.
template <class T>
constexpr T gelu_slope = T(1.5957691216057308);
template <class T>
constexpr T gelu_cube = T(0.044715);

template <class T>
static void activate(const T* x, T* out, int64_t count) {
  along<T>(static_cast<int>(count), [&](int i, auto load, auto store) {
    const Vec<T> v = load(x + i);
    store(out + i, v * sigmoid<T>(gelu_slope<T> * (v + gelu_cube<T> * (v * v * v))));
  });
}

template <class T>
static void activate_backward(const T* x, T* d, int64_t count) {
  along<T>(static_cast<int>(count), [&](int i, auto load, auto store) {
    const Vec<T> v = load(x + i), square = v * v;
    const Vec<T> s = sigmoid<T>(gelu_slope<T> * (v + gelu_cube<T> * (v * square)));
    const Vec<T> inner = gelu_slope<T> * (T(1) + T(3) * gelu_cube<T> * square);
    store(d + i, load(d + i) * (s + v * s * (T(1) - s) * inner));
  });
}

template <class T>
static double cross_entropy(T* logits, int64_t stride, int count, int classes, const int32_t* targets,
                            T factor) {
  double loss = 0;
  for (int r = 0; r < count; ++r) {
    T* const row = logits + r * stride;
    const T target = row[targets[r]];
    T shift = target;
    for (int c = 0; c < classes; ++c) shift = row[c] > shift ? row[c] : shift;
    Vec<T> sums{};
    along<T>(classes, [&](int c, auto load, auto store) {
      const Vec<T> e = places<T>(c) < classes ? exp_below(load(row + c) - shift) : Vec<T>{};
      sums += e;
      store(row + c, e);
    });
    const T sum = sum_of<T>(sums);
    loss += __builtin_log(static_cast<double>(sum)) + static_cast<double>(shift - target);
    const T scale = factor / sum;
    along<T>(classes, [&](int c, auto load, auto store) { store(row + c, load(row + c) * scale); });
    row[targets[r]] -= factor;
  }
  return loss;
}

template <class T>
static void rotate(T* rows, int64_t stride, int count, int half, const T* cosines, const T* sines,
                   bool back) {
  for (int r = 0; r < count; ++r) {
    T* const low = rows + r * stride;
    T* const high = low + half;
    const T *const c = cosines + int64_t{r} * half, *const s = sines + int64_t{r} * half;
    along<T>(half, [&](int i, auto load, auto store) {
      const Vec<T> a = load(low + i), b = load(high + i), cosine = load(c + i),
                   sine = back ? -load(s + i) : load(s + i);
      store(low + i, a * cosine - b * sine);
      store(high + i, b * cosine + a * sine);
    });
  }
}

}  // namespace attnscope::training::ATTNSCOPE_KERNEL
