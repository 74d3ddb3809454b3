// The examples that are shipped open, can be computed, and are what they are named after.
#include <catch2/catch_test_macros.hpp>

#include "core/document.hpp"
#include "core/files/open.hpp"

using namespace attnscope;

TEST_CASE("every shipped example opens and can be computed") {
  const std::vector<Example> examples = list_examples(ATTNSCOPE_ASSETS);
  REQUIRE(examples.size() >= 8);
  for (const Example& example : examples) {
    CAPTURE(example.name);
    const Document document = open_document(example.path);
    CHECK(document.title == example.name);
    CHECK_NOTHROW(check(document));
    const Document again = document_from_json(to_json(document), "round trip");
    CHECK(again.input.sequences == document.input.sequences);
  }
}

TEST_CASE("the opening example is the cat, eight hand-built heads, causal") {
  const Document document = open_document(list_examples(ATTNSCOPE_ASSETS).at(0).path);
  CHECK(document.title == "The cat sat on the mat");
  CHECK(document.input.sequences.at(0).tokens ==
        std::vector<std::string>{"The", "cat", "sat", "on", "the", "mat"});
  CHECK(document.embedding == Embedding::HandBuilt);
  CHECK(document.weights.recipe == Recipe::HandBuilt);
  CHECK(document.weights.head_names.size() == 8);
  CHECK(document.masking.causal);
  CHECK(check(document) == Dimensions{1, 8, 8, 6, 6, 64, 8, 8});
}

TEST_CASE("the banks are a batch of two of unequal length") {
  const std::filesystem::path examples = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples";
  const Document document = open_document(examples / "3-two-banks.json");
  CHECK(check(document).batch == 2);
  CHECK(sequence_length(document, 0) == 8);
  CHECK(sequence_length(document, 1) == 5);
  CHECK(document.masking.padding);
  CHECK_FALSE(document.masking.causal);
}
