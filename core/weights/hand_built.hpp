// core/weights: an attention layer built by hand, whose heads each have one known pattern. The weights are
// not special: they are linear maps of X that the engine multiplies like any others.
//
// X. The first D = d_model/2 dimensions describe the token, the others its position:
//   x[0]       1 for every token, so that a linear map can make a constant
//   x[1]       +1 for a content word, -1 for a function word or punctuation
//   x[2..D)    the token's code, Gaussian numbers from its stream. The first three quarters are drawn from
//              the case-folded token, so that "The" and "the" share them, and scaled in groups of eight to
//              norm √8, so that a token agrees most with itself; the rest is the token's own.
//   x[D..)     sin(ω_0 t), cos(ω_0 t), sin(ω_1 t), ... when positions are on
//
// Heads. A head is a few channels c, each with a gain γ_c and two linear forms of X: a_c of the query's token
// and b_c of the key's. The score that it is built for is
//   q_i · k_j / √d_k = Σ_c γ_c a_c(x_i) b_c(x_j)
// and its weights are W_Q = Σ_c √(γ_c √d_k) a_c f_cᵀ and W_K = Σ_c √(γ_c √d_k) b_c f_cᵀ, where the f_c are a
// random orthonormal frame of the d_k head dimensions. The frame changes no score; it spreads each channel
// over all dimensions, as in trained heads. A head narrower than its channels keeps the first d_k of them.
//
// Position channels use that a rotation shifts the phase: a = (sin ω(i-s), cos ω(i-s)) is linear in the
// query's (sin ωi, cos ωi), and with b = (sin ωj, cos ωj) a·b = cos ω(i-s-j), highest at j = i-s. A sum of
// such terms,
//   κ_s(i, j) = Σ_f γ_f cos ω_f(i - s - j),
// has its one peak there: high frequencies make it narrow, low ones remove its repetitions (to 64 tokens).
//
//   0 previous token   κ_1
//   1 first token      Σ_f γ_f cos ω_f j
//   2 same token       γ code_i · code_j / m, over m shared code numbers
//   3 content          γ x_j[1] - α code_i · code_j / m: content words, but rather others than itself
//   4 diffuse          small random weights and no channel: no preference worth the name
//   5 local            κ_0 with lower frequencies
//   6 function word    -γ x_j[1] + κ_1 with very low frequencies - α code_i · code_j / m
//   7 skip + first     two back or the first: Σ_f γ_f (cos ω_f(i-2-j) - cos ω_f(i-2) δ_j) + γ δ_j. The form
//                      δ_j of the position is fitted to be 1 at j = 0 and 0 elsewhere; it replaces κ_2 at the
//                      first token, which would rise and fall with i, by a constant.
//
// Values. Head h of H carries dimensions h, h + H, h + 2H, … of X (W_V), half of them token, half position,
// and W_O puts each back where it came from: output dimension d is dimension d of X, mixed by head d mod H.
// Noise: N(0, noise² / d_model) is added to every entry of all four.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor.hpp"

namespace attnscope {

/// The sections of a row of X.
struct HandBuiltLayout {
  explicit HandBuiltLayout(int d_model)
      : width(d_model),
        token(d_model / 2),
        position(width - token),
        code(token - first_code),
        shared(code - code / 4) {}

  static constexpr int constant = 0, content = 1, first_code = 2;
  static constexpr int group = 8;  // code numbers that are scaled together

  int width;
  int token;     // dimensions of the token half; the position half follows
  int position;  // dimensions of the position
  int code;      // numbers of the code
  int shared;    // of the code: the first so many numbers ignore case
};

/// Writes the token half of a row of X and sets the position half to 0. out.size() = d_model >=
/// min_hand_built_width.
void hand_built_token(std::string_view token, std::uint64_t seed, std::span<float> out);

/// Patterns that the weights of a single head can make. All but Uniform need hand-built embeddings; the first
/// three also need sinusoidal positions, SameToken needs positions that do not rotate queries and keys.
enum class HeadPreset {
  PreviousToken,  // κ_1, as above
  NextToken,      // κ_-1
  FirstToken,
  SameToken,
  Uniform,  // no channels and no noise: all scores are 0
};
std::string_view name_of(HeadPreset);
/// The least d_k that a preset needs.
int least_width(HeadPreset);

/// W_Q and W_K of one head.
struct HeadWeights {
  Tensor w_query, w_key;  // [d_model][d_k]
};
/// In the same frame as head `head` of hand_built_weights(). Needs d_model >= min_hand_built_width, except
/// for Uniform.
HeadWeights preset_head(HeadPreset, int d_model, int d_k, std::uint64_t seed, int head);

struct HandBuiltWeights {
  Tensor w_query, w_key, w_value;  // [d_model][heads · d_k]
  Tensor w_output;                 // [heads · d_k][d_model]
  std::vector<std::string> head_names;
};

struct HandBuiltSizes {
  int d_model;  // >= min_hand_built_width
  int heads;    // >= 1
  int d_k;      // >= 1
};
/// Heads beyond the eighth repeat the kinds, in frames of their own. Values are as wide as queries and keys:
/// if that is less than d_model / heads, the last of a head's dimensions of X are left out; if it is more,
/// the last columns are 0.
HandBuiltWeights hand_built_weights(const HandBuiltSizes&, std::uint64_t seed, float noise);

}  // namespace attnscope
