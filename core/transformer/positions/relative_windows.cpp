#include "core/transformer/positions/relative_windows.hpp"

#include <cstdlib>

#include "core/base/random.hpp"

namespace attnscope {
namespace {

template <class T>
class WindowBias final : public PositionBias<T> {
 public:
  explicit WindowBias(const BiasSource<T>& of) : of_(of) {}
  T at(std::int64_t head, std::int64_t query, std::int64_t key) const override {
    const std::optional<std::int64_t> offset = row(query, key);
    if (!offset) return T{0};
    if (of_.table != nullptr) return of_.table->matrix()(*offset, head);
    const std::uint64_t index =
        (static_cast<std::uint64_t>(head) << 32) + static_cast<std::uint64_t>(*offset);
    return static_cast<T>(
        static_cast<float>(random_normal(of_.seed, stream_of("window position bias"), index)));
  }
  std::optional<std::int64_t> row(std::int64_t query, std::int64_t key) const override {
    return window_offset(of_.image, query, key);
  }

 private:
  BiasSource<T> of_;
};

}  // namespace

std::optional<std::int64_t> window_offset(const ImageWindows& image, std::int64_t query, std::int64_t key) {
  if (query < 0) return std::nullopt;
  const std::int64_t side = image.side, rows = query / image.grid - key / image.grid,
                     columns = query % image.grid - key % image.grid;
  if (std::abs(rows) >= side || std::abs(columns) >= side) return std::nullopt;
  return (rows + side - 1) * (2 * side - 1) + columns + side - 1;
}

template <class T>
std::unique_ptr<const PositionBias<T>> window_bias(const BiasSource<T>& of) {
  return std::make_unique<WindowBias<T>>(of);
}

template std::unique_ptr<const PositionBias<float>> window_bias(const BiasSource<float>&);
template std::unique_ptr<const PositionBias<double>> window_bias(const BiasSource<double>&);

}  // namespace attnscope
