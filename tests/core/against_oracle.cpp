#include "core/against_oracle.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/against_oracle_problem.hpp"
#include "core/attention/embed.hpp"
#include "core/compare.hpp"
#include "oracle/blocks.hpp"
#include "oracle/latent.hpp"
#include "oracle/positions.hpp"

namespace attnscope::against_oracle {

namespace {

using oracle::Numbers;

std::size_t columns_of(const TensorPtr& tensor) {
  return unsigned_(tensor->shape()[tensor->shape().rank() - 1]);
}

/// [batch][heads][queries][keys]; at(b, h, i, j), but 0 for keys of no token.
template <class At>
Numbers every_cell(const oracle::Problem& p, At&& at) {
  Numbers all;
  for (std::size_t b = 0; b < p.batch; ++b)
    for (std::size_t h = 0; h < p.heads; ++h)
      for (std::size_t i = 0; i < p.queries; ++i)
        for (std::size_t j = 0; j < p.keys; ++j) all.push_back(j < p.keys - p.extra ? at(b, h, i, j) : 0);
  return all;
}

std::ptrdiff_t place_of(const oracle::Problem& p, std::size_t b, std::size_t query) {
  return p.mask.offsets[b] + static_cast<std::ptrdiff_t>(query);
}

Numbers window_bias(const Document& document, const oracle::Problem& p) {
  const Numbers table = numbers(document.layer().weights[Parameter::WindowBias]);
  return every_cell(p, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
    return oracle::window_bias(table, p.heads, h, place_of(p, b, i), static_cast<std::ptrdiff_t>(j),
                               p.mask.grid, p.mask.side);
  });
}

/// The vectors of relative positions are projected like those of tokens.
Numbers disentangled_bias(const Document& document, const oracle::Problem& p) {
  const PositionSettings& how = document.layer().position_settings;
  const Weights& w = document.layer().weights;
  const Numbers vectors = numbers(w[Parameter::RelativeVectors]);
  const std::size_t rows = 2 * unsigned_(how.span), width = unsigned_(document.layer().d_model);
  const Numbers q_r = oracle::project(vectors, numbers(w[Parameter::WQuery]), numbers(w[Parameter::BQuery]),
                                      1, rows, width, p.heads, p.d_k),
                k_r = oracle::project(vectors, numbers(w[Parameter::WKey]), numbers(w[Parameter::BKey]), 1,
                                      rows, width, p.kv_heads, p.d_k);
  const auto part = [](const Numbers& all, std::size_t which, std::size_t count) {
    return Numbers(&all[which * count], &all[which * count] + count);
  };
  return every_cell(p, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
    const std::size_t kv = h / (p.heads / p.kv_heads);
    oracle::RelativeTerms of;
    of.span = how.span;
    of.q = part(p.q, (b * p.heads + h) * p.queries + i, p.d_k);
    of.k = part(p.k, (b * p.kv_heads + kv) * p.keys + j, p.d_k);
    if (how.position_to_content) of.q_r = part(q_r, h, rows * p.d_k);
    if (how.content_to_position) of.k_r = part(k_r, kv, rows * p.d_k);
    return p.scale * oracle::disentangled(of, place_of(p, b, i), static_cast<std::ptrdiff_t>(j));
  });
}

/// [batch][heads][queries][keys], 0 for keys of no token.
Numbers position_bias(const Document& document, const oracle::Problem& p) {
  if (document.layer().positions == Positions::RelativeWindows) return window_bias(document, p);
  if (document.layer().positions == Positions::Disentangled && !document.input.is_given())
    return disentangled_bias(document, p);
  const bool alibi = document.layer().positions == Positions::Alibi;
  if (!alibi && document.layer().positions != Positions::RelativeBuckets) return {};
  const PositionSettings& how = document.layer().position_settings;
  const Numbers slopes = oracle::alibi_slopes(p.heads),
                table = numbers(document.layer().weights[Parameter::RelativeBias]);
  Numbers bias;
  for (std::size_t b = 0; b < p.batch; ++b)
    for (std::size_t h = 0; h < p.heads; ++h)
      for (std::size_t i = 0; i < p.queries; ++i)
        for (std::size_t j = 0; j < p.keys; ++j) {
          const std::ptrdiff_t away =
              static_cast<std::ptrdiff_t>(j) - (p.mask.offsets[b] + static_cast<std::ptrdiff_t>(i));
          const auto bucket = [&] {
            return unsigned_(
                oracle::t5_bucket(away, how.buckets, how.bucket_distance, how.buckets_two_sided));
          };
          if (j >= p.keys - p.extra) {
            bias.push_back(0);
          } else {
            bias.push_back(alibi ? -slopes[h] * static_cast<double>(std::abs(away))
                                 : table[bucket() * p.heads + h]);
          }
        }
  return bias;
}

/// Token vectors [batch][tokens][d] plus what the kind of positions adds to them.
Numbers with_positions(const Document& document, Numbers x, std::size_t batch, std::size_t d) {
  const std::size_t tokens = x.size() / batch / d;
  const bool halves = document.embedding == Embedding::HandBuilt && !document.input.is_vectors();
  const Numbers table = numbers(document.layer().weights[Parameter::PositionTable]);
  const std::size_t first = halves ? d / 2 : 0;
  const Numbers waves = oracle::sinusoidal(tokens, d - first);
  for (std::size_t row = 0; row < batch * tokens; ++row)
    for (std::size_t i = 0; i < d; ++i) {
      if (document.layer().positions == Positions::Learned) x[row * d + i] += table[row % tokens * d + i];
      if (document.layer().positions == Positions::Sinusoidal && i >= first)
        x[row * d + i] += waves[row % tokens * (d - first) + i - first];
    }
  return x;
}

/// The rows that the block's MLP sees; without a block one that changes nothing.
oracle::BlockProblem block_of(const Document& document, const Dimensions& size) {
  const BlockSettings& block = document.layer().block;
  const Weights& w = document.layer().weights;
  oracle::BlockProblem p;
  p.around = static_cast<oracle::Around>(block.kind);
  p.norm = static_cast<oracle::RowNorm>(block.norm);
  p.epsilon = static_cast<double>(block.epsilon);
  p.attention_residual = block.attention_residual;
  p.mlp_residual = block.mlp_residual;
  p.mlp = block.mlp;
  p.gated = block.gated;
  p.rows = unsigned_(size.batch * size.queries);
  p.d_model = unsigned_(document.layer().d_model);
  p.d_inner = block.d_inner == 0 ? 4 * p.d_model : unsigned_(block.d_inner);
  switch (block.activation) {
    case Activation::Identity: p.f = [](double x) { return x; }; break;
    case Activation::Gelu: p.f = oracle::gelu; break;
    case Activation::GeluTanh: p.f = oracle::gelu_tanh; break;
    case Activation::QuickGelu: p.f = [](double x) { return oracle::silu(1.702 * x) / 1.702; }; break;
    case Activation::Relu: p.f = [](double x) { return std::max(x, 0.0); }; break;
    case Activation::ReluSquared: p.f = [](double x) { return std::pow(std::max(x, 0.0), 2); }; break;
    case Activation::Silu: p.f = oracle::silu; break;
    case Activation::Tanh: p.f = [](double x) { return std::tanh(x); }; break;
  }
  p.first = numbers(w[Parameter::AttentionNorm]);
  p.first_bias = numbers(w[Parameter::AttentionNormBias]);
  p.after = numbers(w[Parameter::OutputNorm]);
  p.after_bias = numbers(w[Parameter::OutputNormBias]);
  p.second = numbers(w[Parameter::MlpNorm]);
  p.second_bias = numbers(w[Parameter::MlpNormBias]);
  p.after_mlp = numbers(w[Parameter::MlpOutputNorm]);
  p.after_mlp_bias = numbers(w[Parameter::MlpOutputNormBias]);
  p.up = numbers(w[Parameter::WUp]);
  p.up_bias = numbers(w[Parameter::BUp]);
  p.gate = numbers(w[Parameter::WGate]);
  p.gate_bias = numbers(w[Parameter::BGate]);
  p.down = numbers(w[Parameter::WDown]);
  p.down_bias = numbers(w[Parameter::BDown]);
  return p;
}

/// The last `kept` of the rows of each sequence: those that are not cached.
Numbers last_rows(const Numbers& x, std::size_t batch, std::size_t width, std::size_t kept) {
  const std::size_t tokens = x.size() / batch / width;
  Numbers rows;
  for (std::size_t row = 0; row < batch * tokens; ++row)
    if (row % tokens >= tokens - kept) rows.insert(rows.end(), &x[row * width], &x[row * width] + width);
  return rows;
}

/// Rows times the matrix, their first `content` numbers normed where latents are.
Numbers compressed(const LayerSpec& layer, const Numbers& from, Parameter matrix, Parameter norm,
                   std::size_t content) {
  const TensorPtr& w = layer.weights[matrix];
  const std::size_t in = unsigned_(w->shape()[0]), out = columns_of(w);
  Numbers made = oracle::linear(from, numbers(w), {}, from.size() / in, in, out);
  if (!layer.latent.normed) return made;
  return oracle::normed_columns(std::move(made), out, content, numbers(layer.weights[norm]),
                                static_cast<double>(layer.latent.epsilon));
}

/// Q, K and V of a layer with latents.
void project_latents(const LayerSpec& layer, const Numbers& key_source, Expected& e) {
  oracle::Problem& p = e.problem;
  const Weights& w = layer.weights;
  const std::size_t keys = p.keys - p.extra, content = unsigned_(layer.latent.width);
  Numbers x = e.normed_x;
  if (layer.latent.query_width > 0)
    x = e.query_latent = compressed(layer, x, Parameter::WQueryLatent, Parameter::QueryLatentNorm,
                                    unsigned_(layer.latent.query_width));
  const std::size_t width = unsigned_(w[Parameter::WQuery]->shape()[0]);
  p.q = oracle::project(last_rows(x, p.batch, width, p.queries), numbers(w[Parameter::WQuery]),
                        numbers(w[Parameter::BQuery]), p.batch, p.queries, width, p.heads, p.d_k);
  e.latent = compressed(layer, key_source, Parameter::WLatent, Parameter::LatentNorm, content);
  const std::size_t shared = unsigned_(layer.latent.shared);
  p.k = oracle::latent_keys(e.latent, numbers(w[Parameter::WKey]), numbers(w[Parameter::BKey]),
                            {p.batch, keys, content, shared, p.kv_heads, p.d_k - shared});
  p.v =
      oracle::project(oracle::columns(e.latent, content + shared, 0, content), numbers(w[Parameter::WValue]),
                      numbers(w[Parameter::BValue]), p.batch, keys, content, p.kv_heads, p.d_v);
}

/// Q, K and V of a Document from text or vectors, and the stages before them.
void project_all(const Document& document, const Numbers& embedded, Expected& e) {
  oracle::Problem& p = e.problem;
  const Vectors& vectors = document.input.vectors();
  const Weights& w = document.layer().weights;
  const auto width = unsigned_(document.layer().d_model);
  e.x = with_positions(document, embedded, p.batch, width);
  e.normed_x = oracle::attention_input(block_of(document, check(document)), e.x);
  std::size_t key_width = width;
  if (vectors.key) {
    key_width = columns_of(vectors.key);
    e.memory = with_positions(document, numbers(vectors.key), p.batch, key_width);
  } else if (!document.input.memory.empty()) {
    const std::vector<Sequence>& memory = document.input.memory;
    const TensorOf<double> found = embed<double>(document, memory, longest_of(memory));
    e.memory = with_positions(document, compare::in_double(found), p.batch, width);
  }
  const Numbers& key_source = e.memory.empty() ? e.normed_x : e.memory;
  const Numbers value_source = vectors.value ? numbers(vectors.value) : key_source;
  const std::size_t value_width = vectors.value ? columns_of(vectors.value) : key_width;
  const std::size_t tokens = e.x.size() / p.batch / width, keys = p.keys - p.extra;
  if (document.layer().latent.width > 0) return project_latents(document.layer(), key_source, e);
  p.q = oracle::project(last_rows(e.normed_x, p.batch, width, p.queries), numbers(w[Parameter::WQuery]),
                        numbers(w[Parameter::BQuery]), p.batch, p.queries, width, p.heads, p.d_k);
  p.k = oracle::project(key_source, numbers(w[Parameter::WKey]), numbers(w[Parameter::BKey]), p.batch, keys,
                        key_width, p.kv_heads, p.d_k);
  p.v = oracle::project(value_source, numbers(w[Parameter::WValue]), numbers(w[Parameter::BValue]), p.batch,
                        keys, value_width, p.kv_heads, p.d_v);
  if (!w.fused || !e.memory.empty() || vectors.value) return;
  const std::size_t rows = p.batch * tokens;
  const auto product = [&](const TensorPtr& block, const TensorPtr& bias) {
    return oracle::linear(e.normed_x, numbers(block), numbers(bias), rows, width, columns_of(block));
  };
  const std::size_t q = columns_of(w[Parameter::WQuery]), k = columns_of(w[Parameter::WKey]),
                    v = columns_of(w[Parameter::WValue]);
  e.fused = oracle::join(oracle::join(product(w[Parameter::WQuery], w[Parameter::BQuery]), q,
                                      product(w[Parameter::WKey], w[Parameter::BKey]), k, rows),
                         q + k, product(w[Parameter::WValue], w[Parameter::BValue]), v, rows);
}

/// [heads * d] numbers for every sequence, and zeros, behind the rows of each head.
Numbers with_extra(const Document& document, const oracle::Problem& p, Numbers rows, const TensorPtr& learned,
                   std::size_t d) {
  std::size_t count = p.keys - p.extra;
  const std::size_t blocks = p.batch * p.kv_heads;
  if (learned && !document.input.is_given()) {
    Numbers repeated;
    for (std::size_t b = 0; b < p.batch; ++b) {
      const Numbers one = numbers(learned);
      repeated.insert(repeated.end(), one.begin(), one.end());
    }
    rows = oracle::join(rows, count * d, repeated, d, blocks);
    ++count;
  }
  if (document.layer().add_zero_attn) rows = oracle::join(rows, count * d, Numbers(blocks * d), d, blocks);
  return rows;
}

void take_given(const Given& given, oracle::Problem& p) {
  p.q = numbers(given.query);
  p.k = numbers(given.key);
  p.v = numbers(given.value);
  if (!given.past_key) return;
  const std::size_t blocks = p.batch * p.kv_heads, past = unsigned_(given.past_key->shape()[2]);
  const std::size_t fresh = p.keys - p.extra - past;
  p.k = oracle::join(numbers(given.past_key), past * p.d_k, p.k, fresh * p.d_k, blocks);
  p.v = oracle::join(numbers(given.past_value), past * p.d_v, p.v, fresh * p.d_v, blocks);
}

/// Rows of queries or of keys: n for each head, of which the first `tokens` are those of tokens.
struct HeadRows {
  std::size_t batch, n, tokens, d;
};

/// The rows of all heads of a token, normed as one.
Numbers normed_together(const QkNorm& norm, Numbers x, const Numbers& weight, const HeadRows& of) {
  const std::size_t heads = x.size() / (of.batch * of.n * of.d);
  for (std::size_t b = 0; b < of.batch; ++b)
    for (std::size_t t = 0; t < of.tokens; ++t) {
      Numbers all;
      const auto row_of = [&](std::size_t h) { return &x[((b * heads + h) * of.n + t) * of.d]; };
      for (std::size_t h = 0; h < heads; ++h) all.insert(all.end(), row_of(h), row_of(h) + of.d);
      const Numbers made = oracle::root_mean_square_norm(all, weight, static_cast<double>(norm.epsilon));
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t i = 0; i < of.d; ++i) row_of(h)[i] = made[h * of.d + i];
    }
  return x;
}

/// The rows of tokens, each normed by itself or with those of the other heads.
Numbers normed(const LayerSpec& layer, Numbers x, Parameter which, const HeadRows& of) {
  if (layer.qk_norm.kind == QkNorm::Kind::None) return x;
  const Numbers weight = numbers(layer.weights[which]);
  if (layer.qk_norm.kind == QkNorm::Kind::AllHeads)
    return normed_together(layer.qk_norm, std::move(x), weight, of);
  const auto epsilon = static_cast<double>(layer.qk_norm.epsilon);
  const auto [batch, n, tokens, d] = of;
  for (std::size_t row = 0; row < x.size() / d; ++row) {
    if (row % n >= tokens) continue;
    const Numbers one(&x[row * d], &x[row * d] + d);
    const Numbers made = layer.qk_norm.kind == QkNorm::Kind::Layer
                             ? oracle::layer_norm(one, weight, {}, epsilon)
                             : oracle::root_mean_square_norm(one, weight, epsilon);
    std::copy(made.begin(), made.end(), &x[row * d]);
  }
  return x;
}

void rotate(const Document& document, oracle::Problem& p) {
  const bool interleaved = document.layer().positions == Positions::RopeInterleaved;
  if (!interleaved && document.layer().positions != Positions::RopeHalf) return;
  const PositionSettings& settings = document.layer().position_settings;
  oracle::Rotary how;
  const Latent& latent = document.layer().latent;
  const bool shared = latent.width > 0 && !document.input.is_given();  // then only the shared key is rotated
  const std::size_t all = shared ? unsigned_(latent.shared) : p.d_k;
  how.dims = settings.rope_dims == 0 ? all / 2 * 2 : unsigned_(settings.rope_dims);
  how.base = static_cast<double>(settings.rope_base);
  how.interleaved = interleaved;
  how.stretch = static_cast<oracle::Stretch>(settings.rope_scaling);
  how.factor = static_cast<double>(settings.rope_factor);
  how.trained = settings.rope_trained;
  const bool yarn = settings.rope_scaling == RopeScaling::Yarn;
  how.few_turns = static_cast<double>(yarn ? settings.rope_slow_turns : settings.rope_low_turns);
  how.many_turns = static_cast<double>(yarn ? settings.rope_fast_turns : settings.rope_high_turns);
  how.length = static_cast<double>(p.keys - p.extra);
  for (const std::ptrdiff_t offset : p.mask.offsets)
    how.length = std::max(how.length, static_cast<double>(offset + static_cast<std::ptrdiff_t>(p.queries)));
  const bool is_short = settings.rope_scaling == RopeScaling::LongRope && how.length <= how.trained;
  how.divisors = numbers(is_short ? settings.rope_short_divisors : settings.rope_divisors);
  how.offsets = p.mask.offsets;
  how.rows = p.queries;
  p.below_q = oracle::features(p.q);
  p.below_k = oracle::features(p.k);
  p.above_q = oracle::rotated(p.below_q, p.batch, p.heads, p.queries, p.d_k, how);
  p.q = oracle::rotated(p.q, p.batch, p.heads, p.queries, p.d_k, how);
  how.offsets.assign(p.batch, 0);
  how.rows = p.keys - p.extra;
  p.above_k = oracle::rotated(p.below_k, p.batch, p.kv_heads, p.keys, p.d_k, how);
  p.k = oracle::rotated(p.k, p.batch, p.kv_heads, p.keys, p.d_k, how);
}

}  // namespace

template <class T>
Expected expected(const Document& document, const TraceOf<T>& trace) {
  const Dimensions size = check(document);
  Expected e;
  oracle::Problem& p = e.problem;
  p = problem_of(document, size);
  p.mask.in_single = std::is_same_v<T, float>;
  if (document.input.is_given()) {
    take_given(document.input.given(), p);
  } else {
    project_all(document, compare::in_double(*trace[Stage::Embed]), e);
  }
  p.k = with_extra(document, p, std::move(p.k), document.layer().weights[Parameter::BiasK], p.d_k);
  p.v = with_extra(document, p, std::move(p.v), document.layer().weights[Parameter::BiasV], p.d_v);
  e.query = p.q;
  e.key = p.k;
  e.value = p.v;
  const LayerSpec& layer = document.layer();
  e.normed_query = p.q =
      normed(layer, std::move(p.q), Parameter::QueryNorm, {p.batch, p.queries, p.queries, p.d_k});
  e.normed_key = p.k = normed(layer, std::move(p.k), Parameter::KeyNorm,
                              {p.batch, p.keys, unsigned_(size.token_keys()), p.d_k});
  rotate(document, p);
  p.bias = position_bias(document, p);
  if (trace[Stage::Bucket]) {
    for (const T bucket : trace[Stage::Bucket]->values()) p.mask.buckets.push_back(static_cast<int>(bucket));
  }
  e.answer = oracle::attend(p);
  if (!document.input.is_given()) {
    const Weights& w = document.layer().weights;
    e.output =
        oracle::linear(e.answer.concatenated, numbers(w[Parameter::WOutput]), numbers(w[Parameter::BOutput]),
                       p.batch * p.queries, p.heads * p.d_v, unsigned_(document.layer().d_model));
    const auto width = unsigned_(document.layer().d_model);
    if (document.layer().block.kind != Arrangement::None)
      e.block = oracle::around_attention(block_of(document, size), last_rows(e.x, p.batch, width, p.queries),
                                         e.output);
  }
  return e;
}

template Expected expected(const Document&, const Trace&);
template Expected expected(const Document&, const TraceOf<double>&);

}  // namespace attnscope::against_oracle
