#include "oracle/latent.hpp"

#include <cmath>

namespace oracle {

Numbers normed_columns(Numbers rows, std::size_t width, std::size_t count, const Numbers& weight,
                       double epsilon) {
  for (std::size_t row = 0; row < rows.size() / width; ++row) {
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) squares += rows[row * width + i] * rows[row * width + i];
    const double root = std::sqrt(squares / static_cast<double>(count) + epsilon);
    for (std::size_t i = 0; i < count; ++i) rows[row * width + i] *= (weight.empty() ? 1 : weight[i]) / root;
  }
  return rows;
}

Numbers columns(const Numbers& rows, std::size_t width, std::size_t first, std::size_t count) {
  Numbers cut;
  for (std::size_t row = 0; row < rows.size() / width; ++row)
    for (std::size_t i = 0; i < count; ++i) cut.push_back(rows[row * width + first + i]);
  return cut;
}

Numbers latent_keys(const Numbers& latent, const Numbers& w, const Numbers& b, const LatentKeys& n) {
  Numbers keys;
  const std::size_t width = n.content + n.shared;
  for (std::size_t s = 0; s < n.batch; ++s) {
    for (std::size_t h = 0; h < n.kv_heads; ++h) {
      for (std::size_t t = 0; t < n.tokens; ++t) {
        const double* token = &latent[(s * n.tokens + t) * width];
        for (std::size_t i = 0; i < n.shared; ++i) keys.push_back(token[n.content + i]);
        for (std::size_t i = 0; i < n.own; ++i) {
          const std::size_t column = h * n.own + i;
          double sum = b.empty() ? 0 : b[column];
          for (std::size_t d = 0; d < n.content; ++d) sum += token[d] * w[d * n.kv_heads * n.own + column];
          keys.push_back(sum);
        }
      }
    }
  }
  return keys;
}

}  // namespace oracle
