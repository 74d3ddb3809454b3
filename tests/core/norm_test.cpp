// The norms against the naive ones in double, against ONNX's tests, and their gradients against finite
// differences.
#include "core/base/norm.hpp"

#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/compare.hpp"
#include "oracle/blocks.hpp"
#include "support/onnx_cases.hpp"

namespace attnscope::norm_test {
namespace {

using compare::difference;

template <class T>
TensorOf<T> drawn(Shape shape, std::uint64_t seed, double scale = 1, double shift = 0) {
  TensorOf<T> tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    tensor.data()[i] = static_cast<T>(
        scale * random_normal(seed, stream_of("norm test"), static_cast<std::uint64_t>(i)) + shift);
  return tensor;
}

template <class T>
TensorOf<T> normalised(const NormSettings& settings, const NormParameters<T>& parameters,
                       const TensorOf<T>& x, int threads = 2) {
  ThreadPool pool(threads);
  TensorOf<T> y(x.shape());
  normalise<T>(Work{pool, {}}, settings, parameters, x.matrix(), y.matrix());
  return y;
}

std::vector<double> row_of(const auto& tensor, std::int64_t row) {
  const auto values = tensor.matrix().row(row);
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("norms equal the naive ones in double", "[norm]") {
  for (const std::int64_t d : {1, 2, 7, 64, 769}) {
    CAPTURE(d);
    // Far from zero, where a variance by the mean of squares would lose its digits.
    const Tensor x = drawn<float>(Shape{9, d}, 1, 0.5, 100), w = drawn<float>(Shape{d}, 2, 0.25, 1),
                 b = drawn<float>(Shape{d}, 3);
    const NormParameters<float> both{w.values(), b.values()}, weight{w.values(), {}};
    const NormSettings layer{NormKind::LayerNorm, 1e-5}, rms{NormKind::RmsNorm, 1e-6};
    const Tensor y = normalised(layer, both, x), z = normalised(rms, weight, x);
    const std::vector<double> wide(w.values().begin(), w.values().end()),
        bias(b.values().begin(), b.values().end());
    for (std::int64_t row = 0; row < 9; ++row) {
      // A few roundings of a float.
      CHECK(difference<float>(
                y.values().subspan(static_cast<std::size_t>(row * d), static_cast<std::size_t>(d)),
                oracle::layer_norm(row_of(x, row), wide, bias, 1e-5), 3e-7)
                .empty());
      CHECK(difference<float>(
                z.values().subspan(static_cast<std::size_t>(row * d), static_cast<std::size_t>(d)),
                oracle::root_mean_square_norm(row_of(x, row), wide, 1e-6), 3e-7)
                .empty());
    }
    CHECK(normalised(layer, both, x, 1) == y);
  }
}

TEST_CASE("a weight that is stored as what is added to one", "[norm]") {
  const Tensor x = drawn<float>(Shape{3, 8}, 4), w = drawn<float>(Shape{8}, 5, 0.25);
  Tensor more = w;
  for (float& value : more.values()) value += 1;
  const NormSettings plain{NormKind::RmsNorm, 1e-6}, one_plus{NormKind::RmsNormOnePlus, 1e-6};
  const Tensor expected = normalised(plain, {more.values(), {}}, x),
               found = normalised(one_plus, {w.values(), {}}, x);
  CHECK(difference<float>(found.values(), compare::in_double(expected), 2e-7).empty());
}

TEST_CASE("rows are not normed where the norm is none", "[norm]") {
  const Tensor x = drawn<float>(Shape{3, 8}, 4);
  CHECK_THROWS_AS(normalised({NormKind::None, 1e-5}, NormParameters<float>{}, x), Error);
  CHECK_FALSE(adds_one(NormKind::None));
}

TEST_CASE("gradients of norms equal finite differences", "[norm]") {
  for (const NormSettings settings :
       {NormSettings{NormKind::LayerNorm, 1e-5}, NormSettings{NormKind::RmsNorm, 1e-6},
        NormSettings{NormKind::RmsNormOnePlus, 1e-6}}) {
    const Shape shape{4, 6};
    TensorOf<double> x = drawn<double>(shape, 6), w = drawn<double>(Shape{6}, 7),
                     b = drawn<double>(Shape{6}, 8);
    const TensorOf<double> d_y = drawn<double>(shape, 9);
    ThreadPool pool(2);
    const NormGradients<double> gradients = normalise_backward<double>(
        Work{pool, {}}, settings, {w.values(), b.values()}, std::as_const(x).matrix(), d_y.matrix());
    const auto loss = [&] {
      const TensorOf<double> y = normalised<double>(settings, {w.values(), b.values()}, x);
      return y.matrix().cwiseProduct(d_y.matrix()).sum();
    };
    const auto check = [&](TensorOf<double>& of, const TensorOf<double>& found) {
      REQUIRE(found.size() == of.size());
      for (std::int64_t i = 0; i < of.size(); ++i) {
        constexpr double step = 1e-5;
        const double was = of.data()[i];
        of.data()[i] = was + step;
        const double above = loss();
        of.data()[i] = was - step;
        const double below = loss();
        of.data()[i] = was;
        CHECK(std::abs((above - below) / (2 * step) - found.data()[i]) < 1e-7);
      }
    };
    check(x, gradients.x);
    check(w, gradients.weight);
    check(b, gradients.bias);
  }
}

TEST_CASE("ONNX's norm tests pass", "[norm][onnx]") {
  const std::vector<OnnxCase> cases = onnx_cases("onnx_norm");
  if (cases.empty()) SKIP("no folder shared/vectors/onnx_norm");
  int seen = 0;
  for (const OnnxCase& one : cases) {
    const bool layer = one.name.find("layer_normalization") != std::string::npos;
    if (!layer && one.name.find("rms_normalization") == std::string::npos) continue;
    INFO("case " << one.name);
    const Tensor x = one.input("X");
    const int rank = x.shape().rank(), axis = one.attributes.value("axis", -1);
    std::int64_t d = 1;
    for (int i = axis < 0 ? rank + axis : axis; i < rank; ++i) d *= x.shape()[i];
    const Tensor rows = Tensor(x).reshaped(Shape{x.size() / d, d});
    const Tensor weight = one.input("scale"), bias = one.has_input("B") ? one.input("B") : Tensor();
    const NormSettings settings{layer ? NormKind::LayerNorm : NormKind::RmsNorm,
                                one.attributes.value("epsilon", 1e-5)};
    const Tensor y = normalised(settings, {weight.values(), bias.values()}, rows);
    CHECK(difference<float>(y.values(), compare::in_double(one.outputs().at("Y")), 1e-6).empty());
    ++seen;
  }
  CHECK(seen == 38);
}

}  // namespace attnscope::norm_test
