// tests/core: tensors as programs dump them, and the message when such a file is refused.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/tensor.hpp"
#include "core/files/document/open.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::test {

inline Tensor random_tensor(Shape shape, std::uint64_t seed) {
  Tensor tensor(shape);
  fill_normal(tensor.values(), seed, 0, 1);
  return tensor;
}

/// Rows that add up to 1; the keys after the query's own are 0.
inline Tensor causal_weights(Shape shape) {
  Tensor weights = random_tensor(shape, 5);
  const std::int64_t keys = shape[shape.rank() - 1], queries = shape[shape.rank() - 2];
  for (std::int64_t row = 0; row < weights.size() / keys; ++row) {
    float* const w = weights.data() + row * keys;
    double sum = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      w[j] = j <= row % queries ? std::exp(w[j]) : 0;
      sum += static_cast<double>(w[j]);
    }
    for (std::int64_t j = 0; j < keys; ++j) w[j] = static_cast<float>(static_cast<double>(w[j]) / sum);
  }
  return weights;
}

inline std::string refusal_of(const std::filesystem::path& path, std::string_view layer = {}) {
  const std::string message = message_of<Error>([&] { open_document(path, layer); });
  CHECK(is_sentence(message));
  CHECK_THAT(message, Catch::Matchers::ContainsSubstring(path.filename().native()));
  return message;
}

}  // namespace attnscope::test
