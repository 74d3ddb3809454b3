#include "core/transformer/positions/relative_buckets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/number_checks.hpp"
#include "core/base/random.hpp"

namespace attnscope {
namespace {

template <class T>
class BucketBias final : public PositionBias<T> {
 public:
  explicit BucketBias(const BiasSource<T>& of) : of_(of) {}
  T at(std::int64_t head, std::int64_t query, std::int64_t key) const override {
    const std::int64_t bucket = bucket_of(key - query);
    if (of_.table != nullptr) return of_.table->matrix()(bucket, head);
    const auto index = (static_cast<std::uint64_t>(head) << 16) + static_cast<std::uint64_t>(bucket);
    return static_cast<T>(
        static_cast<float>(random_normal(of_.seed, stream_of("relative position bias"), index)));
  }
  std::optional<std::int64_t> row(std::int64_t query, std::int64_t key) const override {
    return bucket_of(key - query);
  }

 private:
  std::int64_t bucket_of(std::int64_t distance) const {
    const PositionSettings& settings = of_.settings;
    return relative_bucket(distance, settings.buckets, settings.bucket_distance, settings.buckets_two_sided);
  }
  BiasSource<T> of_;
};

}  // namespace

std::int64_t relative_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t max_distance,
                             bool two_sided) {
  std::int64_t first = 0;
  if (two_sided) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    distance = std::abs(distance);
  } else {
    distance = distance < 0 ? -distance : 0;
  }
  const std::int64_t exact = buckets / 2;
  if (distance < exact) return first + distance;
  // In float32, as in T5's code: the rounding decides on which side of a boundary a distance falls.
  const float share =
      std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
      static_cast<float>(std::log(static_cast<double>(max_distance) / static_cast<double>(exact)));
  const auto grown = exact + static_cast<std::int64_t>(share * static_cast<float>(buckets - exact));
  return first + std::min(grown, buckets - 1);
}

void check_buckets(const PositionSettings& settings) {
  const bool two_sided = settings.buckets_two_sided;
  check_range("The number of buckets", settings.buckets, two_sided ? 4 : 2, 4096);
  if (two_sided)
    check_even("The number of buckets", settings.buckets, " with a side before and a side after");
  check_range("The bucket distance", settings.bucket_distance,
              least_bucket_distance(settings.buckets, two_sided), 1 << 24);
}

template <class T>
std::unique_ptr<const PositionBias<T>> bucket_bias(const BiasSource<T>& of) {
  return std::make_unique<BucketBias<T>>(of);
}

template std::unique_ptr<const PositionBias<float>> bucket_bias(const BiasSource<float>&);
template std::unique_ptr<const PositionBias<double>> bucket_bias(const BiasSource<double>&);

}  // namespace attnscope
