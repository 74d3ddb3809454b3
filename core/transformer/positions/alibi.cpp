#include "core/transformer/positions/alibi.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>

namespace attnscope {
namespace {

template <class T>
class AlibiBias final : public PositionBias<T> {
 public:
  explicit AlibiBias(std::int64_t heads) : slopes_(alibi_slopes(heads)) {}
  T at(std::int64_t head, std::int64_t query, std::int64_t key) const override {
    return static_cast<T>(-slopes_[static_cast<std::size_t>(head)] *
                          static_cast<double>(std::abs(key - query)));
  }
  std::optional<std::int64_t> row(std::int64_t, std::int64_t) const override { return std::nullopt; }

 private:
  std::vector<double> slopes_;
};

}  // namespace

std::vector<double> alibi_slopes(std::int64_t heads) {
  const auto lower = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  std::vector<double> slopes;
  for (std::int64_t i = 1; i <= lower; ++i)
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(i) / static_cast<double>(lower)));
  for (std::int64_t i = 1; std::ssize(slopes) < heads; i += 2)
    slopes.push_back(std::exp2(-4.0 * static_cast<double>(i) / static_cast<double>(lower)));
  return slopes;
}

template <class T>
std::unique_ptr<const PositionBias<T>> alibi_bias(const BiasSource<T>& of) {
  return std::make_unique<AlibiBias<T>>(of.heads);
}

template std::unique_ptr<const PositionBias<float>> alibi_bias(const BiasSource<float>&);
template std::unique_ptr<const PositionBias<double>> alibi_bias(const BiasSource<double>&);

}  // namespace attnscope
