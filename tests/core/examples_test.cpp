// The shipped examples open, can be computed, and show what their names say.
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/document/document.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/document/open.hpp"

namespace attnscope::examples_test {

TEST_CASE("every shipped example opens and can be computed") {
  const std::vector<Example> examples = list_examples(ATTNSCOPE_ASSETS);
  REQUIRE(examples.size() == 15);
  for (const Example& example : examples) {
    CAPTURE(example.name);
    const Document document = open_document(example.path);
    CHECK(document.title == example.name);
    if (document.within.read().is_unopened()) continue;  // see open_test.cpp
    CHECK_NOTHROW(check(document));
    const Document again = document_from_json(to_json(document), "round trip");
    CHECK(again.input.sequences == document.input.sequences);
  }
}

TEST_CASE("the opening example is the cat, eight hand-built heads, causal") {
  const Document document = open_document(list_examples(ATTNSCOPE_ASSETS).at(0).path);
  CHECK(document.title == "The cat sat on the mat");
  CHECK(texts_of(document.input.sequences.at(0).tokens) ==
        std::vector<std::string>{"The", "cat", "sat", "on", "the", "mat"});
  CHECK(document.embedding == Embedding::HandBuilt);
  CHECK(document.layer().weights.recipe == Recipe::HandBuilt);
  CHECK(document.layer().weights.head_names.size() == 8);
  CHECK(document.layer().masking.causal);
  CHECK(check(document) == Dimensions{1, 8, 8, 6, 6, 64, 8, 8});
}

TEST_CASE("the banks are a batch of two of unequal length") {
  const std::filesystem::path examples = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples";
  const Document document = open_document(examples / "3-two-banks.json");
  CHECK(check(document).batch == 2);
  CHECK(sequence_length(document, 0) == 8);
  CHECK(sequence_length(document, 1) == 5);
  CHECK(document.layer().masking.padding);
  CHECK_FALSE(document.layer().masking.causal);
}

TEST_CASE("examples are listed by the number in front of their names") {
  std::vector<std::string> names;
  for (const Example& example : list_examples(ATTNSCOPE_ASSETS)) names.push_back(example.name);
  CHECK(names.at(0) == "The cat sat on the mat");
  CHECK(names.at(4) == "Cross-attention");
  CHECK(names.at(8) == "Grouped queries: four heads share keys");
  CHECK(names.at(9) == "Decoding with a KV cache");
  CHECK(names.at(12) == "Gradients through the softmax");
}

TEST_CASE("the examples of single mechanisms have them") {
  const std::vector<Example> examples = list_examples(ATTNSCOPE_ASSETS);
  const auto open = [&](std::size_t i) { return open_document(examples.at(i).path); };
  CHECK_FALSE(open(4).input.memory.empty());
  CHECK(open(7).layer().positions == Positions::RopeHalf);
  CHECK(open(8).layer().kv_heads == 2);
  CHECK(check(open(9)).queries == 3);
  CHECK(check(open(9)).keys == 10);
  CHECK(open(10).layer().linear);
  CHECK(open(11).layer().masking.mistake == MaskMistake::AfterSoftmax);
  CHECK(open(12).loss.kind == Loss::Kind::MeanSquared);
}

TEST_CASE("RoPE, one token: scores depend on the distance alone, which is what the example shows") {
  const Document document = open_document(list_examples(ATTNSCOPE_ASSETS).at(7).path);
  const ResultPtr result = Pipeline(make_cpu_backend(1)).run(document);
  for (std::int64_t h = 0; h < result->layer().dimensions.heads; ++h) {
    const auto scores = result->layer().trace[Stage::Score]->matrix(0, h);
    for (Eigen::Index i = 1; i < scores.rows(); ++i)
      for (Eigen::Index j = 1; j < scores.cols(); ++j)
        CHECK(std::abs(scores(i, j) - scores(i - 1, j - 1)) < 1e-4f);
  }
}

}  // namespace attnscope::examples_test
