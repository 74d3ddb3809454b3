// core/training/network: a small transformer in words: everything about it but its numbers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/norm.hpp"
#include "core/document/layer.hpp"
#include "core/transformer/arrangement.hpp"
#include "core/transformer/positions.hpp"

namespace attnscope::training {

/// How the matrices of the blocks are drawn; biases begin at 0, norms at 1.
struct Drawing {
  /// Narrow: N(0, (0.5/√d_model)²), with which attention begins nearly uniform. Otherwise one of
  /// core/weights.
  bool narrow = true;
  Initialiser initialiser = Initialiser::Xavier;
  double gain = 1;            // multiplies what is drawn
  bool shrinks_depth = true;  // what is added to the stream is divided by √(2 layers) (Radford et al. 2019)
  bool operator==(const Drawing&) const = default;
};

/// A linear map from the last rows to classes, each with its own loss.
struct ReadOut {
  int classes = 0;
  bool tied = false;  // the token table serves as the map
  bool bias = true;
  bool operator==(const ReadOut&) const = default;
};

/// The positions that a network can have.
inline constexpr std::array known_positions{Positions::Learned, Positions::RopeHalf, Positions::Alibi,
                                            Positions::Sinusoidal, Positions::None};

struct NetworkSpec {
  int layers = 1, width = 32, heads = 1;
  int head_width = 0;                              // of queries, keys and values; 0: width / heads
  int inner = 0;                                   // of the MLP, GELU with tanh; 0 = there is none
  int vocabulary = 0;                              // tokens; 0: patches come in behind a learned class token
  int patch = 0;                                   // numbers of a patch
  int length = 16;                                 // the most rows of a sequence, the class token included
  Positions positions = Positions::Learned;        // see known_positions; rotary ones with base 10000
  int no_rope_layer_interval = 0;                  // k: layers k, 2k, … (from 1) do not rotate; 0: all do
  Arrangement arrangement = Arrangement::PreNorm;  // with a last norm before the read-outs, or PostNorm
  NormKind norm = NormKind::LayerNorm;             // epsilon 1e-5; or None, with PreNorm alone
  bool causal = false;
  bool scaled = true;       // scores are divided by √d_k
  bool head_norms = false;  // queries and keys of each head are normalised: RMS, epsilon 1e-6, weights [d_k]
  Drawing drawing;
  std::vector<ReadOut> read_outs;

  int d_k() const { return head_width > 0 ? head_width : width / heads; }
  bool has_norms() const { return norm != NormKind::None; }
  bool is_pre_norm() const { return has_norms() && arrangement == Arrangement::PreNorm; }
  bool is_post_norm() const { return has_norms() && arrangement == Arrangement::PostNorm; }
  int inside() const { return heads * d_k(); }  // of all heads
  bool reads_patches() const { return vocabulary == 0; }
  /// Whether this layer, counted from 0, rotates queries and keys; the rule is SmolLM3's.
  bool rotates(int layer) const {
    return positions == Positions::RopeHalf &&
           attnscope::rotates(static_cast<std::size_t>(layer), no_rope_layer_interval);
  }
  bool operator==(const NetworkSpec&) const = default;
};

/// Throws Error with a sentence that names the field, what was found and what was expected.
void check(const NetworkSpec&);

/// "small induction: 2 layers × 2 heads" is the task's to say; this is "2 layers × 2 heads, width 32".
std::string in_words(const NetworkSpec&);

}  // namespace attnscope::training
