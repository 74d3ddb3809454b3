#include "core/weights/hand_built.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/random.hpp"
#include "core/text/function_words.hpp"
#include "core/weights/head_kinds.hpp"

namespace attnscope {
namespace {

/// `rows` orthonormal rows of d_k numbers, rows <= d_k: random rows orthogonalised by Gram-Schmidt, twice for
/// accuracy. They start from numbers of random sign and similar size, so that no single dimension carries a
/// channel alone.
std::vector<LinearForm> frame(std::size_t rows, int d_k, std::uint64_t seed, int head) {
  const std::uint64_t stream = stream_of("turn of head " + std::to_string(head));
  std::vector<LinearForm> f;
  for (std::size_t r = 0; r < rows; ++r) {
    LinearForm row(static_cast<std::size_t>(d_k));
    for (std::size_t d = 0; d < row.size(); ++d) {
      const double x = random_normal(seed, stream, r * row.size() + d);
      row[d] = x + std::copysign(2, x);
    }
    const auto dot = [&row](const LinearForm& other) {
      double product = 0;
      for (std::size_t d = 0; d < row.size(); ++d) product += row[d] * other[d];
      return product;
    };
    for (std::size_t pass = 0; pass < 2 * r; ++pass) row = sum(row, f[pass % r], -dot(f[pass % r]));
    const double norm = std::sqrt(dot(row));
    for (double& number : row) number /= norm;
    f.push_back(std::move(row));
  }
  return f;
}

/// Columns [head · d_k, (head + 1) · d_k) of W += √(gain √d_k) · form · rowᵀ.
void add_outer(Tensor& w, int head, int d_k, double gain, const LinearForm& form, const LinearForm& row) {
  auto matrix = w.matrix();
  const double factor = std::sqrt(gain * std::sqrt(d_k));
  for (std::size_t d = 0; d < form.size(); ++d) {
    if (form[d] == 0) continue;
    for (std::size_t c = 0; c < row.size(); ++c) {
      float& entry = matrix(static_cast<Eigen::Index>(d), head * d_k + static_cast<Eigen::Index>(c));
      entry = static_cast<float>(entry + factor * form[d] * row[c]);
    }
  }
}

void add_random(Tensor& w, int head, int d_k, double sigma, std::uint64_t seed, const std::string& stream) {
  auto matrix = w.matrix();
  Tensor block({matrix.rows(), d_k});
  fill_normal(block.values(), seed, stream_of(stream), sigma);
  matrix.middleCols(head * d_k, d_k) += block.matrix();
}

/// Width and frame of a head.
struct HeadFrame {
  int d_k;
  std::uint64_t seed;
  int frame_of;  // the head whose frame is used
};

/// Adds channels to the columns of head `at`; a head narrower than its number of channels keeps the first
/// ones.
void add_channels(Tensor& w_query, Tensor& w_key, int at, std::vector<Channel> channels,
                  const HeadFrame& head) {
  channels.resize(std::min(channels.size(), static_cast<std::size_t>(head.d_k)));
  const std::vector<LinearForm> rows = frame(channels.size(), head.d_k, head.seed, head.frame_of);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    add_outer(w_query, at, head.d_k, channels[c].gain, channels[c].query, rows[c]);
    add_outer(w_key, at, head.d_k, channels[c].gain, channels[c].key, rows[c]);
  }
}

void add_head(HandBuiltWeights& weights, const HandBuiltLayout& layout, int head, int d_k,
              std::uint64_t seed) {
  const BuiltHead& kind = head_kinds[static_cast<std::size_t>(head) % head_kinds.size()];
  weights.head_names.emplace_back(kind.name);
  add_channels(weights.w_query, weights.w_key, head, kind.channels(layout),
               {.d_k = d_k, .seed = seed, .frame_of = head});
  if (kind.random > 0) {
    const double sigma = kind.random / std::sqrt(layout.width);
    const std::string number = std::to_string(head);
    add_random(weights.w_query, head, d_k, sigma, seed, "diffuse W_Q " + number);
    add_random(weights.w_key, head, d_k, sigma, seed, "diffuse W_K " + number);
  }
}

Tensor noise_block(const Shape& shape, std::uint64_t seed, std::string_view stream, double sigma) {
  Tensor block(shape);
  if (sigma != 0) fill_normal(block.values(), seed, stream_of(stream), sigma);
  return block;
}

/// The channels of a preset.
std::vector<Channel> channels_of(HeadPreset preset, const HandBuiltLayout& layout) {
  switch (preset) {
    case HeadPreset::PreviousToken: return head_kinds[0].channels(layout);
    case HeadPreset::NextToken: return next_token(layout);
    case HeadPreset::FirstToken: return head_kinds[1].channels(layout);
    case HeadPreset::SameToken: return head_kinds[2].channels(layout);
    case HeadPreset::Uniform: break;
  }
  return {};
}

}  // namespace

std::string_view name_of(HeadPreset preset) {
  switch (preset) {
    case HeadPreset::PreviousToken: return head_kinds[0].name;
    case HeadPreset::NextToken: return "next token";
    case HeadPreset::FirstToken: return head_kinds[1].name;
    case HeadPreset::SameToken: return head_kinds[2].name;
    case HeadPreset::Uniform: break;
  }
  return "uniform";
}

int least_width(HeadPreset preset) {
  switch (preset) {
    case HeadPreset::PreviousToken:
    case HeadPreset::NextToken: return 4;  // the sine and cosine of two frequencies
    case HeadPreset::FirstToken:
    case HeadPreset::SameToken: return 2;
    case HeadPreset::Uniform: break;
  }
  return 1;
}

HeadWeights preset_head(HeadPreset preset, int d_model, int d_k, std::uint64_t seed, int head) {
  HeadWeights weights{Tensor({d_model, d_k}), Tensor({d_model, d_k})};
  add_channels(weights.w_query, weights.w_key, 0, channels_of(preset, HandBuiltLayout(d_model)),
               {.d_k = d_k, .seed = seed, .frame_of = head});
  return weights;
}

void hand_built_token(std::string_view token, std::uint64_t seed, std::span<float> out) {
  const HandBuiltLayout layout(static_cast<int>(out.size()));
  std::ranges::fill(out, 0.0f);
  out[HandBuiltLayout::constant] = 1;
  out[HandBuiltLayout::content] = is_function_word(token) ? -1 : 1;
  const std::uint64_t shared_stream = stream_of(folded(token)), own_stream = stream_of(token);
  std::vector<double> code(static_cast<std::size_t>(layout.code));
  const auto shared = static_cast<std::size_t>(layout.shared);
  for (std::size_t n = 0; n < code.size(); ++n) {
    code[n] = random_normal(seed, n < shared ? shared_stream : own_stream, n);
  }
  for (std::size_t begin = 0; begin < shared; begin += HandBuiltLayout::group) {
    const std::span<double> group(code.data() + begin,
                                  std::min<std::size_t>(HandBuiltLayout::group, shared - begin));
    double squares = 0;
    for (const double number : group) squares += number * number;
    for (double& number : group) number *= std::sqrt(static_cast<double>(group.size()) / squares);
  }
  for (std::size_t n = 0; n < code.size(); ++n)
    out[HandBuiltLayout::first_code + n] = static_cast<float>(code[n]);
}

HandBuiltWeights hand_built_weights(const HandBuiltSizes& size, std::uint64_t seed, float noise) {
  const auto [d_model, heads, d_k] = size;
  const HandBuiltLayout layout(d_model);
  const Shape projection{d_model, heads * d_k}, output{heads * d_k, d_model};
  const auto noisy = [&, width = d_model](const Shape& shape, std::string_view stream) {
    return noise_block(shape, seed, stream, noise / std::sqrt(width));
  };
  HandBuiltWeights weights{noisy(projection, "noise W_Q"),
                           noisy(projection, "noise W_K"),
                           noisy(projection, "noise W_V"),
                           noisy(output, "noise W_O"),
                           {}};
  for (int head = 0; head < heads; ++head) {
    add_head(weights, layout, head, d_k, seed);
    for (int c = 0; c < d_k && head + c * heads < d_model; ++c) {
      const int dim = head + c * heads, column = head * d_k + c;
      weights.w_value.matrix()(dim, column) += 1;
      weights.w_output.matrix()(column, dim) += 1;
    }
  }
  return weights;
}

}  // namespace attnscope
