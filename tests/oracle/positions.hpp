// tests/oracle: the ways the order of the tokens reaches the scores, from their papers.
#pragma once

#include "oracle/oracle.hpp"

namespace oracle {

/// P(t, 2i) = sin(t / 10000^(2i/d)), P(t, 2i+1) = cos(the same), as [tokens][d] (Vaswani et al. 2017, 3.5).
Numbers sinusoidal(std::size_t tokens, std::size_t d);

struct Rotary {
  std::size_t dims = 0;  // the first so many dimensions turn, even
  double base = 10000;
  bool interleaved = false;             // pairs (2i, 2i + 1), else (i, i + dims/2)
  std::vector<std::ptrdiff_t> offsets;  // [batch]: position of the first row
  std::size_t rows = 0;                 // the first so many rows turn
};
/// x [batch][heads][n][d]: row t's pair i as a complex number times e^(i · position · base^(-2i/dims)) (Su et
/// al. 2021, section 3.2).
Numbers rotated(const Numbers& x, std::size_t batch, std::size_t heads, std::size_t n, std::size_t d,
                const Rotary& how);

/// Slopes of ALiBi as its code makes them (Press et al. 2022, section 3 and its footnote): a geometric
/// sequence that starts at 2^(-8/n) with that ratio; for another n than a power of two those of the one
/// below, then every second of the one above.
Numbers alibi_slopes(std::size_t heads);

/// T5's _relative_position_bucket (Raffel et al. 2020), relative = key - query, in its float32.
int t5_bucket(std::ptrdiff_t relative, int buckets, int max_distance, bool bidirectional);

}  // namespace oracle
