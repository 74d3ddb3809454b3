#include "oracle/readings.hpp"

#include <cmath>

namespace oracle {

Reading read_row(std::span<const double> weights, std::ptrdiff_t position, std::size_t extra,
                 const std::vector<bool>& special) {
  Reading reading;
  reading.largest = -std::numeric_limits<double>::infinity();
  bool nothing = true;
  const std::size_t tokens = weights.size() - extra;
  double squares = 0, on_tokens = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double w = weights[j];
    if (!std::isfinite(w)) ++reading.not_finite;
    if (w != 0) nothing = false;
    if (w > reading.largest) {
      reading.largest = w;
      if (w > 0) reading.strongest = static_cast<std::ptrdiff_t>(j);
    }
    if (w != 0) reading.entropy -= w * std::log(w);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double cell = (i == j ? w : 0) - weights[i] * w;
      squares += cell * cell;
    }
    if (j >= tokens) {
      reading.extra += w;
      continue;
    }
    const std::ptrdiff_t away = static_cast<std::ptrdiff_t>(j) - position;
    if (away == 0) reading.self += w;
    if (away == -1) reading.previous += w;
    if (away == 1) reading.next += w;
    if (j == 0) reading.first += w;
    if (special[j]) reading.special += w;
    on_tokens += w;
    reading.distance += w * static_cast<double>(std::abs(away));
  }
  if (!std::isnan(on_tokens)) reading.distance = on_tokens > 0 ? reading.distance / on_tokens : 0;
  reading.effective = nothing ? 0 : std::exp(reading.entropy);
  reading.jacobian = std::sqrt(squares);
  return reading;
}

Reading read_uniform(const std::vector<bool>& seen, std::ptrdiff_t position, std::size_t extra,
                     const std::vector<bool>& special) {
  double count = 0;
  for (const bool one : seen) count += one ? 1 : 0;
  Numbers weights;
  for (const bool one : seen) weights.push_back(one ? 1 / count : 0);
  return read_row(weights, position, extra, special);
}

Numbers dropped_mass(const Problem& sparse) {
  Problem full = sparse;
  full.mask.left = full.mask.right = -1;
  full.mask.pattern = Pattern::None;
  full.mask.mistake = Mistake::None;
  full.naive = false;
  const Answer dense = attend(full);
  Numbers mass(sparse.batch * sparse.heads * sparse.queries);
  for (std::size_t b = 0; b < sparse.batch; ++b)
    for (std::size_t h = 0; h < sparse.heads; ++h)
      for (std::size_t i = 0; i < sparse.queries; ++i)
        for (std::size_t j = 0; j < sparse.keys; ++j) {
          const std::size_t row = (b * sparse.heads + h) * sparse.queries + i;
          const std::size_t cell = row * sparse.keys + j;
          if (dense.seen[cell] && !sees(sparse, b, h, i, j)) mass[row] += dense.weights[cell];
        }
  return mass;
}

}  // namespace oracle
