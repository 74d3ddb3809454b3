// The largest magnitude in a part of a matrix.
#include <limits>
#include <span>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/analysis/value_range.hpp"

namespace attnscope::largest_magnitude_test {

TEST_CASE("the largest magnitude of a part leaves out what is not finite and what lies beside it") {
  Tensor numbers(Shape{3, 4});
  auto m = numbers.matrix();
  m << 1, -7, 2, 100,  //
      0, 3, -5, 4,     //
      -900, 6, 1, 2;
  const auto most = [&](const MatrixPart& part) {
    const Tensor& known = numbers;
    return largest_magnitude(known.matrix(), part);
  };
  CHECK(most({0, 0, 3, 4}) == 900);
  CHECK(most({0, 1, 3, 2}) == 7);
  CHECK(most({1, 0, 1, 4}) == 5);
  CHECK(most({0, 0, 0, 4}) == 0);
  m(1, 1) = std::numeric_limits<float>::infinity();
  m(1, 2) = std::numeric_limits<float>::quiet_NaN();
  m(1, 3) = -std::numeric_limits<float>::infinity();
  CHECK(most({1, 0, 1, 4}) == 0);
  CHECK(most({0, 1, 3, 2}) == 7);
}

TEST_CASE("of many numbers the largest magnitude and those that are not finite are found wherever they are") {
  constexpr float infinity = std::numeric_limits<float>::infinity(),
                  nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(largest_magnitude(std::span<const float>{}) == 0);
  CHECK(count_not_finite({}) == 0);
  for (const std::size_t count : {1, 7, 8, 33, 1000}) {
    CAPTURE(count);
    std::vector<float> numbers(count, -0.25f);
    for (const std::size_t at : {std::size_t{0}, count / 2, count - 1}) {
      numbers[at] = -std::numeric_limits<float>::max();
      CHECK(largest_magnitude(numbers) == std::numeric_limits<float>::max());
      CHECK(count_not_finite(numbers) == 0);
      for (const float other : {infinity, -infinity, nan, -nan}) {
        numbers[at] = other;
        CHECK(largest_magnitude(numbers) == (count == 1 ? 0 : 0.25f));
        CHECK(count_not_finite(numbers) == 1);
      }
      numbers[at] = -0.25f;
    }
    CHECK(largest_magnitude(std::vector<float>(count, nan)) == 0);
    CHECK(count_not_finite(std::vector<float>(count, infinity)) == static_cast<std::int64_t>(count));
    CHECK(largest_magnitude(std::vector<float>(count, -1e-42f)) == 1e-42f);  // subnormal
  }
}

}  // namespace attnscope::largest_magnitude_test
