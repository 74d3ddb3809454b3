// tests/oracle: the measures of a row of attention weights, each from its definition.
#pragma once

#include <span>

#include "oracle/oracle.hpp"

namespace oracle {

struct Reading {
  double entropy = 0, effective = 0, largest = 0;
  std::ptrdiff_t strongest = -1;  // the first of the largest
  double self = 0, previous = 0, next = 0, first = 0, special = 0, extra = 0, distance = 0;
  double jacobian = 0;  // Frobenius norm of diag(w) - w wᵀ, built in full
  std::ptrdiff_t not_finite = 0;
};

/// weights [keys] of a query at `position`, the last `extra` keys of no token; special [token keys].
Reading read_row(std::span<const double> weights, std::ptrdiff_t position, std::size_t extra,
                 const std::vector<bool>& special);

/// The same for uniform weights over the seen keys; all 0 if none is seen. seen [keys].
Reading read_uniform(const std::vector<bool>& seen, std::ptrdiff_t position, std::size_t extra,
                     const std::vector<bool>& special);

/// What full attention (the problem without window, pattern and mistake) puts on the keys it shows but the
/// problem itself hides: [batch][heads][queries].
Numbers dropped_mass(const Problem&);

}  // namespace oracle
