// tests/oracle: the kinds of positions, from their papers.
#pragma once

#include "oracle/oracle.hpp"

namespace oracle {

/// P(t, 2i) = sin(t / 10000^(2i/d)), P(t, 2i+1) = cos(the same), as [tokens][d] (Vaswani et al. 2017, 3.5).
Numbers sinusoidal(std::size_t tokens, std::size_t d);

/// How rotary positions are scaled to longer texts, each from its paper.
enum class Stretch {
  None,
  Linear,  // every angle is divided by the factor (Chen et al. 2023, section 2.3)
  Dynamic,  // the base times (s·n/L − (s − 1))^(D/(D − 2)) for a text of n > L tokens (NTK-aware scaling as
            // transformers has it)
  Yarn,    // pair i by a ramp between the pairs that turn β and α times in L tokens; cosine and sine times
           // 0.1·ln s + 1 (Peng et al. 2023, section 3.2 to 3.4; the ends of the ramp are whole)
  Llama3,  // by turns in L tokens: few are divided, many stay, between them a mean (Llama 3.1's code)
  LongRope,  // each pair by a divisor of its own; cosine and sine times √(1 + ln s / ln L) (Ding et al. 2024,
             // section 3.3)
};

struct Rotary {
  std::size_t dims = 0;  // the number of first dimensions that are rotated, even
  double base = 10000;
  bool interleaved = false;             // pairs (2i, 2i + 1), else (i, i + dims/2)
  std::vector<std::ptrdiff_t> offsets;  // [batch]: position of the first row
  std::size_t rows = 0;                 // the number of first rows that are rotated
  Stretch stretch = Stretch::None;
  double factor = 1, trained = 1;        // s and L
  double length = 1;                     // n, of the text
  double few_turns = 1, many_turns = 4;  // in L tokens
  Numbers divisors;                      // of the pairs' frequencies, for a text of n tokens; empty: 1
};
/// Radians for each position of pair i.
double frequency(const Rotary&, std::size_t i);
/// x [batch][heads][n][d]: row t's pair i as a complex number times e^(i · position · base^(-2i/dims)) (Su et
/// al. 2021, section 3.2).
Numbers rotated(const Numbers& x, std::size_t batch, std::size_t heads, std::size_t n, std::size_t d,
                const Rotary& how);

/// Slopes of ALiBi as its code makes them (Press et al. 2022, section 3 and its footnote): a geometric
/// sequence that starts at 2^(-8/n) with that ratio; for another n than a power of two those of the one
/// below, then every second of the one above.
Numbers alibi_slopes(std::size_t heads);

/// Swin's bias of two patches of an image `grid` patches wide, numbered row by row, in a window of side M:
/// number [head] of the row that Swin's relative_position_index has for them (Liu et al. 2021, equation 4);
/// 0 where no window holds both. `table` [(2M - 1)²][heads].
double window_bias(const Numbers& table, std::size_t heads, std::size_t head, std::ptrdiff_t query,
                   std::ptrdiff_t key, std::ptrdiff_t grid, std::ptrdiff_t side);

/// DeBERTa's content-to-position and position-to-content terms, unscaled (He et al. 2021, equations 2 to 4,
/// with the row that its code reads), for rows q and k of width d that start at these numbers of Q and K: q ·
/// K_r[δ] + k · Q_r[δ]. Q_r and K_r [2k][width] begin at the column of the head; either may be empty.
struct RelativeTerms {
  Numbers q, k;      // [d]
  Numbers q_r, k_r;  // [2 · span][d]
  std::ptrdiff_t span = 1;
};
double disentangled(const RelativeTerms&, std::ptrdiff_t query, std::ptrdiff_t key);

/// T5's _relative_position_bucket (Raffel et al. 2020), relative = key - query, in its float32.
int t5_bucket(std::ptrdiff_t relative, int buckets, int max_distance, bool bidirectional);

}  // namespace oracle
