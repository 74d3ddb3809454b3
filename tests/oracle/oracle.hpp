// tests/oracle: attention in float64, written the naive way: plain loops over plain vectors, one formula a
// line, each from its paper. It shares nothing with the product, so that the same mistake in both is
// unlikely. Random parts (buckets, dropout) are given as numbers.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace oracle {

using Numbers = std::vector<double>;

enum class Pattern { None, Strided, Blocks, Hashed, Windows };
enum class Mistake { None, DiagonalToo, AfterSoftmax, Transposed, WrongAxis };

/// Which keys a query sees. Query i of sequence b is at position p = offsets[b] + i; the last `extra` keys
/// belong to no token and are always seen.
struct Visibility {
  bool causal = false;                   // j <= p
  std::vector<std::ptrdiff_t> offsets;   // [batch]; empty = 0
  std::vector<std::ptrdiff_t> lengths;   // [batch]: keys from here on are padding; empty = none is
  std::ptrdiff_t left = -1, right = -1;  // p - left <= j <= p + right; -1 = no end
  Pattern pattern = Pattern::None;
  std::ptrdiff_t stride = 1;              // Strided: p - j is a multiple
  std::ptrdiff_t block = 1, globals = 0;  // Blocks: the same block, or one of them a global token
  std::vector<int> buckets;               // Hashed: [batch][heads][rounds][queries + token keys]
  std::size_t rounds = 1;
  /// Windows: patches in a row, side of a window, and by how many patches the image is rolled.
  std::ptrdiff_t grid = 1, side = 1, shift = 0;
  std::vector<std::size_t> heads;  // those that causal, window and pattern hold for; empty = all
  Numbers additive;                // [batch][heads][queries][token keys] or empty; -inf hides
  double hidden = -std::numeric_limits<double>::infinity();  // the score of a hidden key
  bool adds_hidden = false;                                  // or what is added to it,
  bool in_single = false;                                    // the sum being rounded to float32
  Mistake mistake = Mistake::None;
};

/// The weights of a row whose scores are all -inf.
enum class Empty { Zeros, NotANumber, Uniform };

/// The pattern that replaces a head's weights. Previous, Identity, First: 1 on the key at p - 1, p or 0;
/// where that is hidden or no token's, and for Uniform, each seen key gets the same weight.
enum class Replacement { None, Mute, Uniform, Previous, Identity, First, Frozen, Mean };

struct Problem {
  std::size_t batch = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, d_k = 1, d_v = 1;
  std::size_t extra = 0;  // of the keys
  Numbers q;              // [batch][heads][queries][d_k]
  Numbers k;              // [batch][kv_heads][keys][d_k]
  Numbers v;              // [batch][kv_heads][keys][d_v]
  double scale = 1;       // multiplies the scores
  double soft_cap = 0;    // 0 = none
  Numbers bias;           // [batch][heads][queries][keys] or empty: added to the capped scores
  Visibility mask;
  double temperature = 1;
  bool naive = false;  // exp(x) / Σ exp(x) without subtracting the largest
  Empty empty = Empty::Zeros;
  Numbers sinks;        // [heads] or empty: one more logit in every row, without a value
  bool linear = false;  // linear attention mixes the values
  /// Linear attention with rotary positions (Su et al. 2021, equation 19): the rotated φ(q) and φ(k) of the
  /// numerator, and those of the denominator. Empty = φ of q and k in both.
  Numbers above_q, above_k, below_q, below_k;
  std::vector<Replacement> replaced;  // [heads] or empty
  std::vector<Numbers> frozen;        // [heads] or empty: [batch][queries][keys] where it is Frozen
  Numbers keep;  // [batch][heads][queries][keys] or empty: dropout's factors of the weights
};

struct Answer {
  Numbers score, scaled, capped, masked, weights;  // [batch][heads][queries][keys]; weights: the softmax's
  Numbers linear;                                  // weights that linear attention implies
  Numbers replaced;                                // the weights after intervention
  Numbers dropped;                                 // those of the mix, after dropout
  Numbers mixed;                                   // [batch][heads][queries][d_v]
  Numbers concatenated;                            // [batch][queries][heads * d_v]
  Numbers log_sum_exp;                             // [batch][heads][queries]
  std::vector<std::size_t> allowed;                // [batch][heads][queries]
  std::vector<bool> seen;                          // [batch][heads][queries][keys]
};

Answer attend(const Problem&);
/// elu(x) + 1 of every number.
Numbers features(const Numbers& x);
/// Whether query i of sequence b sees key j in head h.
bool sees(const Problem&, std::size_t b, std::size_t h, std::size_t i, std::size_t j);

/// Linear attention in O(n), the recurrent form of Katharopoulos et al. 2020, equations 18 to 20 (and, not
/// causal, equation 6): [batch][heads][queries][d_v]. Reads q, k, v and mask.causal; as many queries as keys.
Numbers linear_recurrent(const Problem&);

/// x [batch][tokens][d_in] times w [d_in][heads * d] plus b (or empty), as [batch][heads][tokens][d].
Numbers project(const Numbers& x, const Numbers& w, const Numbers& b, std::size_t batch, std::size_t tokens,
                std::size_t d_in, std::size_t heads, std::size_t d);

/// x [rows][d_in] times w [d_in][d_out] plus b (or empty).
Numbers linear(const Numbers& x, const Numbers& w, const Numbers& b, std::size_t rows, std::size_t d_in,
               std::size_t d_out);

/// Blocks of `a_size` and of `b_size` numbers in turns, `blocks` of each: rows of b behind rows of a.
Numbers join(const Numbers& a, std::size_t a_size, const Numbers& b, std::size_t b_size, std::size_t blocks);

}  // namespace oracle
