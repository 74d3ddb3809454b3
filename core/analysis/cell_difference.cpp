#include "core/analysis/cell_difference.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace attnscope {

Tensor cell_difference(const Tensor& a, const Tensor& b, CellDifference kind, const std::stop_token& stop) {
  constexpr std::size_t piece = 1 << 16;  // cells between two checks of `stop`
  Tensor out(a.shape());
  const auto x = a.values(), y = b.values();
  const auto to = out.values();
  const auto of = [&](float p, float q) {
    if (p == q) return 0.0f;
    if (kind == CellDifference::Doublings) return std::log2(std::abs(p)) - std::log2(std::abs(q));
    return kind == CellDifference::Magnitude ? std::abs(p - q) : p - q;
  };
  for (std::size_t first = 0; first < to.size(); first += piece) {
    if (stop.stop_requested()) throw Cancelled();
    for (std::size_t i = first; i < std::min(to.size(), first + piece); ++i) to[i] = of(x[i], y[i]);
  }
  return out;
}

}  // namespace attnscope
