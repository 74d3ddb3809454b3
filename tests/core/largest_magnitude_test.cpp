// The largest magnitude in a part of a matrix.
#include <limits>

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

}  // namespace attnscope::largest_magnitude_test
