// The entropy of weights that are not the softmax of known scores.
#include <array>
#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/attention/row_math.hpp"

namespace attnscope::weights_entropy_test {

TEST_CASE("the entropy of a row of weights is that of their shares", "[measures]") {
  CHECK(entropy_of_weights(std::array{0.25f, 0.25f, 0.f, 0.25f, 0.25f}) == Catch::Approx(std::log(4.0)));
  CHECK(entropy_of_weights(std::array{0.f, 1.f}) == 0);
  CHECK(entropy_of_weights(std::array{0.f, 0.f}) == 0);
  CHECK(entropy_of_weights(std::array{0.25f, 0.25f}, 0.5) == Catch::Approx(std::log(2.0)));
  CHECK(std::isnan(entropy_of_weights(std::array{0.5f, std::nanf("")})));
  CHECK(std::isnan(entropy_of_weights(std::array{1.5f, -0.5f})));
}

}  // namespace attnscope::weights_entropy_test
