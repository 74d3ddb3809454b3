#include "oracle/oracle.hpp"

#include <algorithm>
#include <cmath>

namespace oracle {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The cells of one query: row `at` of the [rows][keys] arrays of the answer.
struct Row {
  std::size_t b, h, query, at;
};

bool same_bucket(const Problem& p, std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
  const std::size_t columns = p.queries + p.keys - p.extra;
  for (std::size_t round = 0; round < p.mask.rounds; ++round) {
    const int* row = &p.mask.buckets[((b * p.heads + h) * p.mask.rounds + round) * columns];
    if (row[i] == row[p.queries + j]) return true;
  }
  return false;
}

bool in_same_block(std::ptrdiff_t position, std::ptrdiff_t key, std::ptrdiff_t block) {
  for (std::ptrdiff_t first = 0; first <= key; first += block)
    if (first <= key && key < first + block) return first <= position && position < first + block;
  return false;
}

/// The place of a row or column of an image in Swin's code, padded to whole windows and rolled by the shift:
/// its window, and its region; patches of different regions must not see each other.
struct Rolled {
  std::ptrdiff_t window, region;
  bool operator==(const Rolled&) const = default;
};
Rolled rolled(std::ptrdiff_t at, std::ptrdiff_t size, std::ptrdiff_t side, std::ptrdiff_t shift) {
  std::ptrdiff_t padded = side;
  while (padded < size) padded += side;
  const std::ptrdiff_t now = (at - shift + padded) % padded;
  const std::ptrdiff_t region = shift == 0 ? 0 : now < padded - side ? 0 : now < padded - shift ? 1 : 2;
  return {now / side, region};
}

bool in_same_window(const Visibility& mask, std::ptrdiff_t position, std::ptrdiff_t key,
                    std::ptrdiff_t patches) {
  if (position < 0) return false;
  const std::ptrdiff_t rows = (patches + mask.grid - 1) / mask.grid;
  const auto place = [&](std::ptrdiff_t patch) {
    return std::pair(rolled(patch / mask.grid, rows, mask.side, mask.shift),
                     rolled(patch % mask.grid, mask.grid, mask.side, mask.shift));
  };
  return place(position) == place(key);
}

/// Whether causal mask, window and pattern show the key.
bool pattern_shows(const Problem& p, std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
  const Visibility& mask = p.mask;
  const std::ptrdiff_t position =
      (mask.offsets.empty() ? 0 : mask.offsets[b]) + static_cast<std::ptrdiff_t>(i);
  const std::ptrdiff_t key = static_cast<std::ptrdiff_t>(j);
  const bool swapped = mask.mistake == Mistake::Transposed;
  const std::ptrdiff_t row = swapped ? key : position, column = swapped ? position : key;
  if (mask.causal && column > row) return false;
  if (mask.causal && mask.mistake == Mistake::DiagonalToo && column == row) return false;
  if (mask.left >= 0 && column < row - mask.left) return false;
  if (mask.right >= 0 && column > row + mask.right) return false;
  const auto is_global = [&](std::ptrdiff_t at) { return at >= 0 && at < mask.globals; };
  switch (mask.pattern) {
    case Pattern::None: return true;
    case Pattern::Strided: return std::abs(position - key) % mask.stride == 0;
    case Pattern::Blocks:
      return is_global(position) || is_global(key) || in_same_block(position, key, mask.block);
    case Pattern::Hashed: return same_bucket(p, b, h, i, j);
    case Pattern::Windows:
      return in_same_window(mask, position, key,
                            std::max(position + 1, static_cast<std::ptrdiff_t>(p.keys - p.extra)));
  }
  return false;
}

void fill_scores(const Problem& p, const Row& row, Answer& answer) {
  const std::size_t kv_head = row.h / (p.heads / p.kv_heads), token_keys = p.keys - p.extra;
  for (std::size_t key = 0; key < p.keys; ++key) {
    double dot = 0;
    for (std::size_t d = 0; d < p.d_k; ++d) {
      dot += p.q[((row.b * p.heads + row.h) * p.queries + row.query) * p.d_k + d] *
             p.k[((row.b * p.kv_heads + kv_head) * p.keys + key) * p.d_k + d];
    }
    const std::size_t cell = row.at * p.keys + key;
    const bool seen = sees(p, row.b, row.h, row.query, key);
    double added = p.bias.empty() ? 0 : p.bias[cell];
    if (!p.mask.additive.empty() && key < token_keys) {
      const double more = p.mask.additive[row.at * token_keys + key];
      if (more != -infinity) added += more;
    }
    answer.score[cell] = dot;
    answer.scaled[cell] = dot * p.scale;
    answer.capped[cell] =
        p.soft_cap == 0 ? dot * p.scale : p.soft_cap * std::tanh(dot * p.scale / p.soft_cap);
    const bool shown = seen || p.mask.mistake == Mistake::AfterSoftmax;
    answer.masked[cell] = shown ? answer.capped[cell] + added : p.mask.hidden;
    if (!shown && p.mask.adds_hidden) {
      const double sum = answer.capped[cell] + added + p.mask.hidden;
      answer.masked[cell] = p.mask.in_single ? static_cast<double>(static_cast<float>(sum)) : sum;
    }
    answer.seen[cell] = seen;
    if (seen) ++answer.allowed[row.at];
  }
}

void fill_weights(const Problem& p, const Row& row, Answer& answer) {
  const double* masked = &answer.masked[row.at * p.keys];
  double* weights = &answer.weights[row.at * p.keys];
  bool nothing = true;
  double largest = -infinity;
  for (std::size_t key = 0; key < p.keys; ++key) {
    if (masked[key] != -infinity) nothing = false;
    if (masked[key] > largest) largest = masked[key];
  }
  answer.log_sum_exp[row.at] = -infinity;
  if (!p.sinks.empty()) {
    const double sink = p.sinks[row.h];
    if (sink > largest) largest = sink;
    nothing = false;
  }
  if (nothing) {
    const Empty empty = p.naive ? Empty::NotANumber : p.empty;
    const double each = empty == Empty::Zeros     ? 0
                        : empty == Empty::Uniform ? 1 / static_cast<double>(p.keys)
                                                  : std::numeric_limits<double>::quiet_NaN();
    for (std::size_t key = 0; key < p.keys; ++key) weights[key] = each;
    return;
  }
  double sum = 0;
  for (std::size_t key = 0; key < p.keys; ++key) sum += std::exp((masked[key] - largest) / p.temperature);
  if (!p.sinks.empty()) sum += std::exp((p.sinks[row.h] - largest) / p.temperature);
  answer.log_sum_exp[row.at] = largest / p.temperature + std::log(sum);
  if (p.naive) {
    largest = 0;
    sum = 0;
    for (std::size_t key = 0; key < p.keys; ++key) sum += std::exp(masked[key] / p.temperature);
    if (!p.sinks.empty()) sum += std::exp(p.sinks[row.h] / p.temperature);
  }
  for (std::size_t key = 0; key < p.keys; ++key) {
    weights[key] = std::exp((masked[key] - largest) / p.temperature) / sum;
    if (p.mask.mistake == Mistake::AfterSoftmax && !answer.seen[row.at * p.keys + key]) weights[key] = 0;
  }
}

/// elu(x) + 1.
double feature(double x) { return x > 0 ? x + 1 : std::exp(x); }

double product(const Problem& p, const Numbers& q, const Numbers& k, const Row& row, std::size_t key) {
  const std::size_t kv_head = row.h / (p.heads / p.kv_heads);
  double dot = 0;
  for (std::size_t d = 0; d < p.d_k; ++d) {
    dot += q[((row.b * p.heads + row.h) * p.queries + row.query) * p.d_k + d] *
           k[((row.b * p.kv_heads + kv_head) * p.keys + key) * p.d_k + d];
  }
  return dot;
}

void fill_linear(const Problem& p, const Row& row, Answer& answer) {
  double sum = 0;
  for (std::size_t key = 0; key < p.keys; ++key) {
    const std::size_t cell = row.at * p.keys + key;
    if (!answer.seen[cell]) continue;
    answer.linear[cell] = product(p, p.above_q, p.above_k, row, key);
    sum += product(p, p.below_q, p.below_k, row, key);
  }
  for (std::size_t key = 0; key < p.keys; ++key)
    if (sum != 0) answer.linear[row.at * p.keys + key] /= sum;
}

/// The weight of a key in a head whose pattern is replaced.
double replacement(const Problem& p, const Row& row, std::size_t key, const Answer& answer) {
  const Replacement kind = p.replaced[row.h];
  if (kind == Replacement::Mute) return 0;
  if (kind == Replacement::Frozen) return p.frozen[row.h][(row.b * p.queries + row.query) * p.keys + key];
  if (kind == Replacement::Mean) {
    const Numbers& own = p.linear ? answer.linear : answer.weights;
    const std::size_t first = row.at - row.query;
    double sum = 0;
    for (std::size_t query = 0; query < p.queries; ++query) sum += own[(first + query) * p.keys + key];
    return sum / static_cast<double>(p.queries);
  }
  std::ptrdiff_t named = p.mask.offsets.empty() ? 0 : p.mask.offsets[row.b];
  named += static_cast<std::ptrdiff_t>(row.query);
  if (kind == Replacement::Previous) named -= 1;
  if (kind == Replacement::First) named = 0;
  const bool there = kind != Replacement::Uniform && named >= 0 &&
                     named < static_cast<std::ptrdiff_t>(p.keys - p.extra) &&
                     answer.seen[row.at * p.keys + static_cast<std::size_t>(named)];
  if (there) return static_cast<std::ptrdiff_t>(key) == named ? 1 : 0;
  return answer.seen[row.at * p.keys + key] ? 1.0 / static_cast<double>(answer.allowed[row.at]) : 0;
}

void fill_mixed(const Problem& p, const Row& row, Answer& answer) {
  const std::size_t kv_head = row.h / (p.heads / p.kv_heads);
  for (std::size_t key = 0; key < p.keys; ++key) {
    const std::size_t cell = row.at * p.keys + key;
    answer.replaced[cell] = p.linear ? answer.linear[cell] : answer.weights[cell];
    if (!p.replaced.empty() && p.replaced[row.h] != Replacement::None)
      answer.replaced[cell] = replacement(p, row, key, answer);
    answer.dropped[cell] = answer.replaced[cell];
    if (!p.keep.empty()) answer.dropped[cell] = p.keep[cell] == 0 ? 0 : answer.dropped[cell] * p.keep[cell];
  }
  for (std::size_t d = 0; d < p.d_v; ++d) {
    double sum = 0;
    for (std::size_t key = 0; key < p.keys; ++key) {
      sum += answer.dropped[row.at * p.keys + key] *
             p.v[((row.b * p.kv_heads + kv_head) * p.keys + key) * p.d_v + d];
    }
    answer.mixed[row.at * p.d_v + d] = sum;
    answer.concatenated[(row.b * p.queries + row.query) * p.heads * p.d_v + row.h * p.d_v + d] = sum;
  }
}

/// Calls fn(Row) for every query of every head.
template <class Fn>
void for_rows(const Problem& p, Fn&& fn) {
  for (std::size_t b = 0; b < p.batch; ++b)
    for (std::size_t h = 0; h < p.heads; ++h)
      for (std::size_t query = 0; query < p.queries; ++query)
        fn(Row{b, h, query, (b * p.heads + h) * p.queries + query});
}

}  // namespace

bool sees(const Problem& p, std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
  const Visibility& mask = p.mask;
  const std::size_t token_keys = p.keys - p.extra;
  if (j >= token_keys) return true;
  const bool patterned =
      mask.heads.empty() || std::find(mask.heads.begin(), mask.heads.end(), h) != mask.heads.end();
  if (patterned && !pattern_shows(p, b, h, i, j)) return false;
  if (!mask.lengths.empty()) {
    const std::ptrdiff_t position =
        (mask.offsets.empty() ? 0 : mask.offsets[b]) + static_cast<std::ptrdiff_t>(i);
    const bool wrong = mask.mistake == Mistake::WrongAxis;
    if ((wrong ? position : static_cast<std::ptrdiff_t>(j)) >= mask.lengths[b]) return false;
  }
  if (mask.additive.empty()) return true;
  return mask.additive[((b * p.heads + h) * p.queries + i) * token_keys + j] != -infinity;
}

Numbers features(const Numbers& x) {
  Numbers y;
  for (const double value : x) y.push_back(feature(value));
  return y;
}

Answer attend(const Problem& given) {
  Problem p = given;
  if (p.linear && p.above_q.empty()) {
    p.above_q = p.below_q = features(p.q);
    p.above_k = p.below_k = features(p.k);
  }
  const std::size_t rows = p.batch * p.heads * p.queries;
  Answer answer;
  answer.score = answer.scaled = answer.capped = answer.masked = Numbers(rows * p.keys);
  answer.weights = answer.linear = answer.replaced = answer.dropped = answer.score;
  answer.mixed = answer.concatenated = Numbers(rows * p.d_v);
  answer.log_sum_exp = Numbers(rows);
  answer.allowed.resize(rows);
  answer.seen.resize(rows * p.keys);
  for_rows(p, [&](const Row& row) {
    fill_scores(p, row, answer);
    fill_weights(p, row, answer);
    if (p.linear) fill_linear(p, row, answer);
  });
  for_rows(p, [&](const Row& row) { fill_mixed(p, row, answer); });
  return answer;
}

Numbers linear_recurrent(const Problem& p) {
  Numbers out(p.batch * p.heads * p.queries * p.d_v);
  for (std::size_t b = 0; b < p.batch; ++b) {
    for (std::size_t h = 0; h < p.heads; ++h) {
      const std::size_t kv_head = h / (p.heads / p.kv_heads);
      Numbers state(p.d_k * p.d_v), norm(p.d_k);
      const auto take_in = [&](std::size_t t) {  // s += φ(k_t) v_tᵀ, z += φ(k_t)
        const std::size_t key = (b * p.kv_heads + kv_head) * p.keys + t;
        for (std::size_t d = 0; d < p.d_k; ++d) {
          norm[d] += feature(p.k[key * p.d_k + d]);
          for (std::size_t e = 0; e < p.d_v; ++e)
            state[d * p.d_v + e] += feature(p.k[key * p.d_k + d]) * p.v[key * p.d_v + e];
        }
      };
      for (std::size_t t = 0; t < p.keys && !p.mask.causal; ++t) take_in(t);
      for (std::size_t t = 0; t < p.queries; ++t) {  // y_t = φ(q_t)ᵀ s / (φ(q_t)ᵀ z)
        if (p.mask.causal) take_in(t);
        const std::size_t row = (b * p.heads + h) * p.queries + t;
        double below = 0;
        for (std::size_t d = 0; d < p.d_k; ++d) below += feature(p.q[row * p.d_k + d]) * norm[d];
        for (std::size_t e = 0; e < p.d_v; ++e) {
          double above = 0;
          for (std::size_t d = 0; d < p.d_k; ++d)
            above += feature(p.q[row * p.d_k + d]) * state[d * p.d_v + e];
          out[row * p.d_v + e] = above / below;
        }
      }
    }
  }
  return out;
}

Numbers linear(const Numbers& x, const Numbers& w, const Numbers& b, std::size_t rows, std::size_t d_in,
               std::size_t d_out) {
  Numbers y(rows * d_out);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < d_out; ++column) {
      double sum = b.empty() ? 0.0 : b[column];
      for (std::size_t d = 0; d < d_in; ++d) sum += x[row * d_in + d] * w[d * d_out + column];
      y[row * d_out + column] = sum;
    }
  }
  return y;
}

Numbers project(const Numbers& x, const Numbers& w, const Numbers& b, std::size_t batch, std::size_t tokens,
                std::size_t d_in, std::size_t heads, std::size_t d) {
  const Numbers flat = linear(x, w, b, batch * tokens, d_in, heads * d);
  Numbers split(flat.size());
  for (std::size_t s = 0; s < batch; ++s)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t i = 0; i < d; ++i)
          split[((s * heads + h) * tokens + t) * d + i] = flat[(s * tokens + t) * heads * d + h * d + i];
  return split;
}

Numbers join(const Numbers& a, std::size_t a_size, const Numbers& b, std::size_t b_size, std::size_t blocks) {
  Numbers joined;
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t i = 0; i < a_size; ++i) joined.push_back(a[block * a_size + i]);
    for (std::size_t i = 0; i < b_size; ++i) joined.push_back(b[block * b_size + i]);
  }
  return joined;
}

}  // namespace oracle
