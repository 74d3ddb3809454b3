// Norms by the kernels of every instruction set against those in double.
#include "core/blocks/norm_rows.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "core/base/random.hpp"
#include "core/streaming/border/instruction_sets.hpp"
#include "core/streaming/kernels/kernels.hpp"

namespace attnscope::norm_rows_test {
namespace {

template <class T>
TensorOf<T> drawn(const Shape& shape, std::uint64_t seed, double spread, double shift) {
  TensorOf<T> tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    tensor.data()[i] = static_cast<T>(static_cast<float>(
        shift + spread * random_normal(seed, stream_of("norm rows"), static_cast<std::uint64_t>(i))));
  return tensor;
}

}  // namespace

TEST_CASE("every instruction set's norms equal those in double", "[norm_rows]") {
  ThreadPool pool(2);
  for (const std::int64_t d : {1, 2, 7, 8, 17, 64, 100, 769}) {
    const auto x = drawn<double>(Shape{9, d}, 1, 0.5, 100), w = drawn<double>(Shape{d}, 2, 0.25, 1),
               b = drawn<double>(Shape{d}, 3, 1, 0);
    const Tensor x_float = drawn<float>(Shape{9, d}, 1, 0.5, 100),
                 w_float = drawn<float>(Shape{d}, 2, 0.25, 1), b_float = drawn<float>(Shape{d}, 3, 1, 0);
    for (const auto set : {streaming::InstructionSet::Baseline, streaming::InstructionSet::Avx2,
                           streaming::InstructionSet::Avx512, streaming::InstructionSet::Neon}) {
      const streaming::Kernels* const kernels = streaming::kernels_for(set);
      if (kernels == nullptr) continue;
      for (const NormKind kind : {NormKind::LayerNorm, NormKind::RmsNorm, NormKind::RmsNormOnePlus}) {
        CAPTURE(d, kernels->name, kind);
        const NormSettings settings{kind, 1e-5};
        TensorOf<double> expected(x.shape());
        normalise<double>(Work{pool, {}}, settings, {w.values(), b.values()}, x.matrix(), expected.matrix());
        Tensor found(Shape{9, d + 3});
        kernels->normalise({{x_float.data(), d},
                            9,
                            static_cast<int>(d),
                            is_centred(kind),
                            1e-5,
                            w_float.data(),
                            adds_one(kind) ? 1.0 : 0.0,
                            b_float.data(),
                            found.data(),
                            d + 3});
        for (std::int64_t row = 0; row < 9; ++row) {
          for (std::int64_t i = 0; i < d; ++i) {
            const double y = expected.data()[row * d + i];
            CHECK(std::abs(static_cast<double>(found.data()[row * (d + 3) + i]) - y) <=
                  6.1e-8 * std::abs(y) + 1e-9);  // rounded once
          }
          for (std::int64_t i = d; i < d + 3; ++i) CHECK(found.data()[row * (d + 3) + i] == 0);
        }
      }
    }
  }
}

TEST_CASE("rows of any stride are normed in place, each by itself", "[norm_rows]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  const Tensor x = drawn<float>(Shape{130, 70}, 4, 1, 0);
  const NormSettings settings{NormKind::LayerNorm, 1e-5};
  Tensor all = x;
  normalise_rows(work, settings, {}, {all.data(), 130, 64, 70}, {all.data(), 130, 64, 70});
  for (const std::int64_t row : {0, 1, 63, 64, 129}) {
    Tensor one(Shape{1, 64});
    normalise_rows(work, settings, {}, {x.data() + row * 70, 1, 64, 70}, {one.data(), 1, 64, 64});
    CHECK(std::equal(one.data(), one.data() + 64, all.data() + row * 70));
    CHECK(std::equal(x.data() + row * 70 + 64, x.data() + row * 70 + 70, all.data() + row * 70 + 64));
  }
}

}  // namespace attnscope::norm_rows_test
