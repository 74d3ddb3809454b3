// The kernels of every instruction set of this machine against plain loops in double, at sizes that fill
// vectors and at those that do not.
#include <cmath>
#include <cstdint>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/activation.hpp"
#include "core/base/random.hpp"
#include "core/training/kernels/kernels.hpp"

namespace attnscope::training::kernels_test {
namespace {

using Numbers = std::vector<float>;

Numbers some(std::size_t count, std::uint64_t stream, double size = 1) {
  Numbers numbers(count);
  fill_normal(numbers, 3, stream, size);
  return numbers;
}

double relative(double found, double expected) {
  return std::abs(found - expected) / (1 + std::abs(expected));
}

template <class Check>
void every_kernel(Check check) {
  int found = 0;
  for (const char* name : {"baseline", "AVX2", "AVX-512"}) {
    const Kernels<float>* const one = kernels_named(name);
    if (one == nullptr) continue;
    ++found;
    INFO(one->name);
    check(*one);
  }
  CHECK(found > 0);
  CHECK(kernels_named("AVX3") == nullptr);
}

}  // namespace

TEST_CASE("products of any size, of a matrix and of its transpose", "[training]") {
  every_kernel([](const Kernels<float>& kernels) {
    for (const int rows : {1, 3, 4, 8, 13, 29})
      for (const int columns : {1, 5, 16, 17, 33, 48, 81, 130})
        for (const int depth : {1, 7, 20})
          for (const bool turned : {false, true}) {
            INFO(rows << " x " << columns << " x " << depth << (turned ? ", turned" : ""));
            const auto size = [](int a, int b) {
              return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
            };
            const Numbers a = some(size(rows, depth), 1), b = some(size(depth, columns + 2), 2),
                          bias = some(static_cast<std::size_t>(columns), 3);
            Numbers out = some(size(rows, columns + 3), 4);
            const Numbers before = out;
            kernels.multiply({a.data(), turned ? 1 : depth, turned ? rows : 1, b.data(), columns + 2,
                              out.data(), columns + 3, rows, columns, depth, bias.data(), out.data(),
                              columns + 3});
            double worst = 0;
            for (int r = 0; r < rows; ++r)
              for (int c = 0; c < columns + 3; ++c) {
                const std::size_t at = size(r, columns + 3) + static_cast<std::size_t>(c);
                double expected = before[at];
                if (c < columns) {
                  expected += bias[static_cast<std::size_t>(c)];
                  for (int k = 0; k < depth; ++k)
                    expected +=
                        static_cast<double>(a[turned ? size(k, rows) + static_cast<std::size_t>(r)
                                                     : size(r, depth) + static_cast<std::size_t>(k)]) *
                        static_cast<double>(b[size(k, columns + 2) + static_cast<std::size_t>(c)]);
                }
                worst = std::max(worst, relative(out[at], expected));
              }
            CHECK(worst < 2e-6);
          }
  });
}

TEST_CASE("softmax of rows sees what it may see and nothing else", "[training]") {
  every_kernel([](const Kernels<float>& kernels) {
    constexpr int keys = 21, stride = 32, count = 5, first = 7;
    for (const bool causal : {false, true}) {
      Numbers rows = some(count * stride, 5, 3);
      const Numbers scores = rows;
      kernels.softmax({rows.data(), stride, count, first, keys, causal, 0.5f, 0.25f});
      for (int r = 0; r < count; ++r) {
        const int end = causal ? first + r + 1 : keys;
        double sum = 0;
        std::vector<double> expected(stride);
        for (int j = 0; j < end; ++j) {
          const double score = 0.5 * static_cast<double>(scores[static_cast<std::size_t>(r * stride + j)]) -
                               0.25 * std::abs(first + r - j);
          expected[static_cast<std::size_t>(j)] = std::exp(score);
          sum += expected[static_cast<std::size_t>(j)];
        }
        for (int j = 0; j < stride; ++j)
          CHECK(relative(rows[static_cast<std::size_t>(r * stride + j)],
                         expected[static_cast<std::size_t>(j)] / sum) < 1e-6);
      }
    }
  });
}

TEST_CASE("the activation and its slope", "[training]") {
  every_kernel([](const Kernels<float>& kernels) {
    const Numbers x = some(103, 6, 3);
    Numbers y(x.size()), d(x.size(), 1.0f);
    kernels.activate(x.data(), y.data(), std::ssize(x));
    kernels.activate_backward(x.data(), d.data(), std::ssize(x));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = x[i];
      CHECK(relative(y[i], activate(Activation::GeluTanh, at)) < 1e-6);
      CHECK(relative(d[i], activation_slope(Activation::GeluTanh, at)) < 2e-6);
    }
  });
}

TEST_CASE("cross-entropy of logits of any size", "[training]") {
  every_kernel([](const Kernels<float>& kernels) {
    for (const double size : {0.1, 3.0, 60.0}) {
      constexpr int classes = 19, stride = 32, count = 4;
      Numbers logits = some(count * stride, 8, size);
      const Numbers before = logits;
      const std::int32_t targets[count] = {0, 18, 7, 7};
      const double loss = kernels.cross_entropy(logits.data(), stride, count, classes, targets, 0.25f);
      double expected = 0;
      for (int r = 0; r < count; ++r) {
        const auto at = [&](int c) {
          return static_cast<double>(before[static_cast<std::size_t>(r * stride + c)]);
        };
        double most = at(0), sum = 0;
        for (int c = 0; c < classes; ++c) most = std::max(most, at(c));
        for (int c = 0; c < classes; ++c) sum += std::exp(at(c) - most);
        expected += most + std::log(sum) - at(targets[r]);
        for (int c = 0; c < classes; ++c) {
          const double p = std::exp(at(c) - most) / sum - (c == targets[r] ? 1 : 0);
          CHECK(std::abs(static_cast<double>(logits[static_cast<std::size_t>(r * stride + c)]) - 0.25 * p) <
                1e-6);
        }
      }
      CHECK(relative(loss, expected) < 2e-6);
    }
  });
}

}  // namespace attnscope::training::kernels_test
