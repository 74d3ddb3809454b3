#include "core/weights/head_kinds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "core/transformer/positions/sinusoidal.hpp"

namespace attnscope {

LinearForm sum(LinearForm first, const LinearForm& second, double factor) {
  for (std::size_t d = 0; d < first.size(); ++d) first[d] += factor * second[d];
  return first;
}

namespace {

using Form = LinearForm;
using Channels = std::vector<Channel>;

Form form(const HandBuiltLayout& layout, int dim, double coefficient = 1) {
  Form f(static_cast<std::size_t>(layout.width));
  f[static_cast<std::size_t>(dim)] = coefficient;
  return f;
}

/// A cosine in a shape κ: its frequency in radians per token, and its gain.
struct Wave {
  double frequency, gain;
};
// Chosen among the 16 frequencies of d_model = 64: the narrow shapes by a search for one clear peak (or the
// two of "skip + first") at all distances up to 62 tokens, the broad ones by eye.
constexpr Wave narrow[] = {{1, 6.0}, {0.56, 2.0}, {0.18, 2.3}, {0.1, 1.6}};
constexpr Wave first_only[] = {{1, 4.5}, {0.56, 1.5}, {0.18, 1.7}, {0.1, 1.2}};
constexpr Wave soft[] = {{0.56, 1.9}, {0.32, 1.5}, {0.18, 1.3}, {0.1, 0.8}};
constexpr Wave wide[] = {{0.32, 1.5}, {0.1, 2.0}};
constexpr Wave two_peaks[] = {{1, 4.3}, {0.56, 1.7}, {0.18, 2.6}};

/// A frequency of the embedding, and the dimensions of its sine and cosine.
struct Tone {
  double frequency, gain;
  int sine, cosine;
};

/// The embedding's nearest frequency for each wave, each used once; fewer if the embedding has fewer.
std::vector<Tone> tones(const HandBuiltLayout& layout, std::span<const Wave> waves) {
  std::vector<bool> used(static_cast<std::size_t>(layout.position / 2));
  std::vector<Tone> found;
  for (const Wave& wave : waves) {
    int best = -1;
    double best_distance = std::numeric_limits<double>::infinity(), frequency = 0;
    for (int i = 0; i < layout.position / 2; ++i) {
      const double candidate = position_frequency(i, layout.position);
      const double distance = std::abs(std::log(candidate / wave.frequency));
      if (used[static_cast<std::size_t>(i)] || distance >= best_distance) continue;
      best = i, best_distance = distance, frequency = candidate;
    }
    if (best < 0) break;
    used[static_cast<std::size_t>(best)] = true;
    found.push_back({frequency, wave.gain, layout.token + 2 * best, layout.token + 2 * best + 1});
  }
  return found;
}

/// sin ω(t - shift) and cos ω(t - shift) as linear forms of position t.
struct Turned {
  Form sine, cosine;
};
Turned turned(const HandBuiltLayout& layout, const Tone& tone, double shift) {
  const double c = std::cos(tone.frequency * shift), s = std::sin(tone.frequency * shift);
  const Form sine = form(layout, tone.sine), cosine = form(layout, tone.cosine);
  Turned result{form(layout, tone.sine, c), form(layout, tone.cosine, c)};
  result.sine = sum(std::move(result.sine), cosine, -s);
  result.cosine = sum(std::move(result.cosine), sine, s);
  return result;
}

/// Adds the channels of κ_shift.
void add_distance(Channels& channels, const HandBuiltLayout& layout, std::span<const Wave> waves,
                  double shift) {
  for (const Tone& tone : tones(layout, waves)) {
    Turned query = turned(layout, tone, shift);
    channels.push_back({tone.gain, std::move(query.cosine), form(layout, tone.cosine)});
    channels.push_back({tone.gain, std::move(query.sine), form(layout, tone.sine)});
  }
}

/// Adds ± gain · code_i · code_j / count over shared code numbers [first, first + count), as far as they
/// exist.
void add_likeness(Channels& channels, const HandBuiltLayout& layout, int first, int count, double gain,
                  double sign = 1) {
  for (int n = first; n < std::min(first + count, layout.shared); ++n) {
    const int dim = HandBuiltLayout::first_code + n;
    channels.push_back({gain / count, form(layout, dim, sign), form(layout, dim)});
  }
}

constexpr std::size_t fitted_tokens = 64;
using System = std::array<std::array<double, fitted_tokens>, fitted_tokens>;
using Column = std::array<double, fitted_tokens>;

/// Solves system · x = b by Cholesky, in place; the system is symmetric positive definite, given as lower
/// triangle.
void solve(System& l, Column& x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < j; ++k) l[i][j] -= l[i][k] * l[j][k];
      l[i][j] = i == j ? std::sqrt(l[i][i]) : l[i][j] / l[j][j];
    }
    for (std::size_t k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  for (std::size_t i = x.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < x.size(); ++k) x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
}

/// The row of X for position t: its position half and the constant.
Form position_row(const HandBuiltLayout& layout, std::size_t t) {
  Form row = form(layout, HandBuiltLayout::constant);
  for (int d = 0; d < layout.position; ++d) {
    const double angle = static_cast<double>(t) * position_frequency(d / 2, layout.position);
    row[static_cast<std::size_t>(layout.token + d)] = d % 2 == 0 ? std::sin(angle) : std::cos(angle);
  }
  return row;
}

/// The form δ with δ(position t) ≈ 1 at t = 0 and 0 at 1..63: least squares over the constant and all
/// position dimensions with weights w, larger for early tokens, and a small ridge λ. Solved in its dual form,
/// (P Pᵀ + λ/w) α = target and δ = Pᵀ α, which has one equation per token however wide the model is.
Form first_position(const HandBuiltLayout& layout) {
  constexpr double ridge = 1e-5;
  std::vector<Form> p;
  for (std::size_t t = 0; t < fitted_tokens; ++t) p.push_back(position_row(layout, t));
  auto system = std::make_unique<System>();
  for (std::size_t i = 0; i < fitted_tokens; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      (*system)[i][j] = std::inner_product(p[i].begin(), p[i].end(), p[j].begin(), 0.0);
    }
    (*system)[i][i] += ridge * (i == 0 ? 0.25 : 1 + static_cast<double>(i) / 4);
  }
  Column alpha{1};  // the target: 1, 0, 0, ...
  solve(*system, alpha);
  Form delta(static_cast<std::size_t>(layout.width));
  for (std::size_t t = 0; t < fitted_tokens; ++t) delta = sum(std::move(delta), p[t], alpha[t]);
  return delta;
}

Channels previous_token(const HandBuiltLayout& layout) {
  Channels channels;
  add_distance(channels, layout, narrow, 1);
  return channels;
}

Channels first_token(const HandBuiltLayout& layout) {
  Channels channels;
  for (const Tone& tone : tones(layout, first_only)) {
    channels.push_back({tone.gain, form(layout, HandBuiltLayout::constant), form(layout, tone.cosine)});
  }
  return channels;
}

Channels same_token(const HandBuiltLayout& layout) {
  Channels channels;
  add_likeness(channels, layout, 0, std::min(HandBuiltLayout::group, layout.shared), 4.8);
  return channels;
}

Channels content(const HandBuiltLayout& layout) {
  Channels channels = {
      {1.1, form(layout, HandBuiltLayout::constant), form(layout, HandBuiltLayout::content)}};
  add_likeness(channels, layout, HandBuiltLayout::group, HandBuiltLayout::group - 1, 0.6, -1);
  return channels;
}

Channels diffuse(const HandBuiltLayout&) { return {}; }

Channels local(const HandBuiltLayout& layout) {
  Channels channels;
  add_distance(channels, layout, soft, 0);
  return channels;
}

Channels function_word(const HandBuiltLayout& layout) {
  Channels channels = {
      {1.5, form(layout, HandBuiltLayout::constant, -1), form(layout, HandBuiltLayout::content)}};
  add_distance(channels, layout, wide, 1);
  add_likeness(channels, layout, 2 * HandBuiltLayout::group, 3, 1.2, -1);
  return channels;
}

Channels skip_and_first(const HandBuiltLayout& layout) {
  const Form delta = first_position(layout);
  Channels channels = {{9.6, form(layout, HandBuiltLayout::constant), delta}};
  for (const Tone& tone : tones(layout, two_peaks)) {
    Turned query = turned(layout, tone, 2);
    channels.push_back({tone.gain, std::move(query.cosine), sum(form(layout, tone.cosine), delta, -1)});
    channels.push_back({tone.gain, std::move(query.sine), form(layout, tone.sine)});
  }
  return channels;
}

}  // namespace

std::vector<Channel> next_token(const HandBuiltLayout& layout) {
  Channels channels;
  add_distance(channels, layout, narrow, -1);
  return channels;
}

constinit const std::array<BuiltHead, 8> head_kinds = {{
    {"previous token", previous_token, 0},
    {"first token", first_token, 0},
    {"same token", same_token, 0},
    {"content", content, 0},
    {"diffuse", diffuse, 0.44},
    {"local", local, 0},
    {"function word", function_word, 0},
    {"skip + first", skip_and_first, 0},
}};

}  // namespace attnscope
