// tests: seeded tensors and Documents for the tests of the engine. They have their own generator, so that a
// change of the product's random numbers changes no test.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/document/document.hpp"

namespace attnscope::samples {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool coin() { return between(0, 1) == 1; }
  double normal() { return normal_(engine_); }

  TensorPtr tensor(const Shape& shape, double spread = 1) {
    auto made = std::make_shared<Tensor>(shape);
    for (float& value : made->values()) value = static_cast<float>(spread * normal());
    return made;
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

/// "t0 t1 …": distinct tokens.
inline Sequence sentence(std::int64_t tokens, std::string_view stem = "t") {
  Sequence made;
  for (std::int64_t t = 0; t < tokens; ++t) {
    made.tokens.push_back(fmt::format("{}{}", stem, t));
    made.text += fmt::format("{}{}", t == 0 ? "" : " ", made.tokens.back().text);
  }
  return made;
}

/// A Document from text with random weights; `lengths` are the tokens of each sequence.
inline Document text_document(Random& random, const std::vector<std::int64_t>& lengths, int heads,
                              int d_model, bool biases = true) {
  Document document;
  for (std::size_t b = 0; b < lengths.size(); ++b)
    document.input.sequences.change().push_back(sentence(lengths[b], fmt::format("s{}t", b)));
  document.layer().heads = heads;
  document.layer().d_model = d_model;
  Weights& weights = document.layer().weights;
  weights.recipe = Recipe::Given;
  weights.biases = biases;
  const double spread = 1 / std::sqrt(static_cast<double>(d_model));
  for (TensorPtr* block : {&weights[Parameter::WQuery], &weights[Parameter::WKey],
                           &weights[Parameter::WValue], &weights[Parameter::WOutput]})
    *block = random.tensor(Shape{d_model, d_model}, spread);
  if (!biases) return document;
  for (TensorPtr* block : {&weights[Parameter::BQuery], &weights[Parameter::BKey],
                           &weights[Parameter::BValue], &weights[Parameter::BOutput]})
    *block = random.tensor(Shape{d_model}, 0.3);
  return document;
}

/// A Document with given Q, K and V.
inline Document given_document(TensorPtr query, TensorPtr key, TensorPtr value) {
  Document document;
  Given& given = document.input.change<Given>();
  given.query = std::move(query);
  given.key = std::move(key);
  given.value = std::move(value);
  return document;
}

}  // namespace attnscope::samples
