// Numbers edited by hand: what an edit changes and what it keeps, what a reset restores, and that the layer
// computes with the edited numbers.
#include <cmath>
#include <limits>
#include <map>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/analysis/reference.hpp"
#include "core/attention/embed.hpp"
#include "core/base/error.hpp"
#include "core/edited_documents.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"
#include "core/edits/numbers.hpp"
#include "core/engine/result.hpp"
#include "core/files/document/open.hpp"
#include "core/samples.hpp"

namespace attnscope::edit_numbers_test {

using namespace attnscope::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("every number of every block can be edited, and nothing else changes", "[edit]") {
  Document text = edit::biases(sentence(Recipe::Random, {"one two three", "a b"}), true);
  text = edit::bias_k(edit::memory(edit::kv_heads(text, 2), "un deux"), true);
  Document vectors = text;
  vectors.input.memory.change().clear();
  vectors.input.change<Vectors>().query = samples::Random(3).tensor({2, 3, 64});
  const std::map<const char*, Document> documents{
      {"text", text}, {"vectors", vectors}, {"given", given_document()}};
  std::size_t tried = 0;
  for (const auto& [name, document] : documents) {
    const std::map<Editable, Tensor> before = all_numbers(document);
    for (const auto& [block, numbers] : before) {
      INFO(name << " " << symbol(block));
      const Shape& shape = numbers.shape();
      const int rank = shape.rank();
      const Place last{block, rank < 2 ? 0 : shape[rank - 2] - 1, shape[rank - 1] - 1,
                       rank < 3 ? 0 : shape[0] - 1, rank < 4 ? 0 : shape[1] - 1};
      const Document edited = edit::number(document, last, 1.25f);
      CHECK_NOTHROW(check(edited));
      for (const auto& [other, was] : before) {
        const TensorPtr now = numbers_of(edited, other);
        REQUIRE(now);
        CHECK(differences(*now, was) == (other == block ? 1 : 0));
        if (other == block) CHECK(now->values().back() == 1.25f);
      }
      CHECK(edit::number(edited, last, 1.25f) == edited);
      CHECK(edit::number(document, last, numbers.values().back()) == document);
      ++tried;
    }
  }
  CHECK(tried == 12 + 11 + 5);
}

TEST_CASE("what normed queries and keys are multiplied with is edited and reset like weights", "[edit]") {
  Document document =
      edit::qk_norm(sentence(Recipe::Random, {"one two three"}), QkNorm::Kind::RootMeanSquare);
  const std::size_t blocks = all_numbers(document).size();
  CHECK(all_numbers(sentence(Recipe::Random, {"one two three"})).size() == blocks - 2);
  const Place second{Editable::QueryNorm, 0, 1};
  const Document edited = edit::number(document, second, 3);
  CHECK(edited.layer().weights.recipe == Recipe::Given);
  CHECK(edited.layer().weights.made_by == Recipe::Random);
  CHECK(numbers_of(edited, Editable::QueryNorm)->values()[1] == 3);
  CHECK(*numbers_of(edited, Editable::KeyNorm) == *numbers_of(document, Editable::KeyNorm));
  CHECK(reference_cell(edited, computed(edited)->layer().trace, 0, 0, 2, 1).score !=
        reference_cell(document, computed(document)->layer().trace, 0, 0, 2, 1).score);
  const Document back = edit::reset_number(edited, second);
  CHECK(back.layer().weights.recipe == Recipe::Random);
  CHECK(*numbers_of(back, Editable::QueryNorm) == *numbers_of(document, Editable::QueryNorm));
  CHECK(edit::zero(edited, Editable::KeyNorm).layer().weights[Parameter::KeyNorm]->matrix().isZero());
}

TEST_CASE("sinks are edited beside any recipe, and are 0 after a reset", "[edit]") {
  for (const Document& plain : {sentence(Recipe::HandBuilt, {"one two"}), given_document()}) {
    const Document document = edit::sinks(plain, true);
    const Document edited = edit::number(document, {Editable::SinkLogits, 0, 1}, -2.5f);
    CHECK(edited.layer().weights[Parameter::SinkLogits]->values()[1] == -2.5f);
    CHECK(edited.layer().weights.recipe == plain.layer().weights.recipe);
    CHECK(edited.layer().weights.head_names == plain.layer().weights.head_names);
    if (plain.layer().weights.recipe != Recipe::Given)
      CHECK(numbers_of(edit::reset(edited, Editable::SinkLogits), Editable::SinkLogits)->matrix().isZero());
  }
}

TEST_CASE("a layer computes with the edited token vectors", "[edit]") {
  samples::Random random(8);
  for (const Recipe recipe : {Recipe::Random, Recipe::HandBuilt}) {
    Document document = edit::memory(sentence(recipe, {"one two three", "a b"}), "un deux trois quatre");
    document.layer().masking.padding = true;
    for (int i = 0; i < 20; ++i) {
      document = edit::number(document, {Editable::Input, random.between(0, 2), random.between(0, 63), i % 2},
                              static_cast<float>(random.normal()));
      document =
          edit::number(document, {Editable::Memory, random.between(0, 3), random.between(0, 63), i % 2},
                       static_cast<float>(random.normal()));
    }
    const ResultPtr result = computed(document);
    CHECK(*result->layer().trace[Stage::Embed] == *document.input.from_text().edited);
    const Tensor x = *result->layer().trace[Stage::Position];
    const Tensor& w = *document.layer().weights[Parameter::WQuery];
    const std::int64_t half = recipe == Recipe::HandBuilt ? 32 : 0, width = 64 - half;
    for (std::int64_t token = 0; token < 3; ++token) {
      for (std::int64_t d = 0; d < 64;
           ++d) {  // positions are added to the same dimensions as before the edit
        double expected = static_cast<double>(document.input.from_text().edited->matrix(1)(token, d));
        const double angle = static_cast<double>(token) *
                             std::pow(10000.0, -2.0 * std::floor(static_cast<double>(d - half) / 2) /
                                                   static_cast<double>(width));
        const bool own_waves = recipe == Recipe::Random;  // the hand-built ones have other frequencies
        if (own_waves) expected += d % 2 == 0 ? std::sin(angle) : std::cos(angle);
        if (own_waves || d < half) CHECK(x.matrix(1)(token, d) == Approx(expected).margin(1e-5));
      }
      double q = 0;
      for (std::int64_t d = 0; d < 64; ++d)
        q += static_cast<double>(x.matrix(1)(token, d)) * static_cast<double>(w.matrix()(d, 8));
      CHECK(result->layer().trace[Stage::Query]->matrix(1, 1)(token, 0) == Approx(q).margin(1e-4));
    }
    const CellReference reference = reference_cell(document, result->layer().trace, 1, 3, 2, 1);
    CHECK(result->layer().trace[Stage::Score]->matrix(1, 3)(2, 1) == Approx(reference.score).margin(1e-3));
    CHECK(result->layer().trace[Stage::Softmax]->matrix(1, 3)(2, 1) == Approx(reference.weight).margin(1e-4));
  }
}

TEST_CASE("edited token vectors are the same layer as the same vectors from a file", "[edit]") {
  Document document = edit::memory(sentence(Recipe::Random, {"one two three"}), "un deux");
  document = edit::zero_row(document, {Editable::Input, 1});
  document = edit::one_hot_row(document, {Editable::Memory, 0, 5});
  Document vectors = document;
  vectors.input.numbers =
      Vectors{document.input.from_text().edited, document.input.from_text().edited_memory, nullptr};
  vectors.input.memory.change().clear();
  const ResultPtr a = computed(document), b = computed(vectors);
  for (const Stage stage :
       {Stage::Position, Stage::Memory, Stage::Query, Stage::Key, Stage::Softmax, Stage::Output})
    CHECK(*a->layer().trace[stage] == *b->layer().trace[stage]);
}

TEST_CASE("given keys are edited in the cache, the group of heads that reads them and nowhere else",
          "[edit]") {
  const Document document = given_document();
  const Document edited = edit::number(document, {Editable::Keys, 4, 1, 1, 1}, 3);
  CHECK(edited.input.given().key->matrix(1, 1)(4, 1) == 3.0f);
  CHECK(edited.input.given().query == document.input.given().query);
  const ResultPtr was = computed(document), now = computed(edited);
  const Tensor &q = *document.input.given().query, &k = *edited.input.given().key;
  for (std::int64_t h = 0; h < 4; ++h) {
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto score = now->layer().trace[Stage::Score]->matrix(1, h);
      if (h < 2) {
        CHECK(score(i, 5) == was->layer().trace[Stage::Score]->matrix(1, h)(i, 5));
      } else {
        const double expected =
            static_cast<double>(q.matrix(1, h)(i, 0)) * static_cast<double>(k.matrix(1, 1)(4, 0)) +
            static_cast<double>(q.matrix(1, h)(i, 1)) * 3;
        CHECK(score(i, 5) == Approx(expected).margin(1e-5));  // after the one key of the cache
      }
    }
  }
  const Document past = edit::number(document, {Editable::PastKeys, 0, 0, 0, 1}, 7);
  CHECK(computed(past)->layer().trace[Stage::Key]->matrix(0, 1)(0, 0) == 7.0f);
  CHECK(made_numbers(document, Editable::Keys) == nullptr);
  CHECK(edit::reset_number(edited, {Editable::Keys, 4, 1, 1, 1}) == edited);  // its old number is not known
}

TEST_CASE("edited weights are given, and the recipe comes back with the last reset", "[edit]") {
  for (const Recipe recipe : {Recipe::Random, Recipe::HandBuilt}) {
    const Document document = sentence(recipe);
    const Place first{Editable::QueryWeights, 3, 10}, second{Editable::OutputWeights, 9, 2};
    const Document edited = edit::number(edit::number(document, first, 5), second, -5);
    CHECK(edited.layer().weights.recipe == Recipe::Given);
    CHECK(edited.layer().weights.made_by == recipe);
    CHECK(*made_numbers(edited, Editable::QueryWeights) == *document.layer().weights[Parameter::WQuery]);
    const Document half = edit::reset_number(edited, second);
    CHECK(half.layer().weights.recipe == Recipe::Given);
    CHECK(*half.layer().weights[Parameter::WOutput] == *document.layer().weights[Parameter::WOutput]);
    CHECK(half.layer().weights[Parameter::WQuery]->matrix()(3, 10) == 5.0f);
    const Document back = edit::reset_number(half, first);
    CHECK(back.layer().weights.recipe == recipe);
    CHECK(same_picture(back, document));
    CHECK(same_picture(edit::again(edited), document));
    CHECK(same_picture(edit::reset(edit::zero(document, Editable::KeyWeights), Editable::KeyWeights),
                       document));
    CHECK(edit::reset_number(document, first) == document);
  }
  const Document loaded = edit::recipe(sentence(Recipe::Random), Recipe::Given);
  const Document edited = edit::number(loaded, {Editable::KeyWeights, 0, 0}, 9);
  CHECK(made_numbers(edited, Editable::KeyWeights) == nullptr);
  CHECK(edit::reset(edited, Editable::KeyWeights) == edited);
  CHECK(edit::again(edited).layer().weights[Parameter::WKey] == edited.layer().weights[Parameter::WKey]);
}

TEST_CASE("a head keeps its name until what it looks at is edited", "[edit]") {
  const Document document = edit::kv_heads(sentence(Recipe::HandBuilt), 4);
  const std::vector<std::string> names = document.layer().weights.head_names;
  REQUIRE(names.size() == 8);
  const auto names_without = [&](std::vector<std::size_t> heads) {
    std::vector<std::string> left = names;
    for (const std::size_t head : heads) left[head].clear();
    return left;
  };
  CHECK(edit::number(document, {Editable::QueryWeights, 0, 17}, 9).layer().weights.head_names ==
        names_without({2}));
  CHECK(edit::number(document, {Editable::KeyWeights, 0, 17}, 9).layer().weights.head_names ==
        names_without({4, 5}));
  CHECK(edit::zero(document, Editable::ValueWeights).layer().weights.head_names == names);
  CHECK(edit::zero(document, Editable::OutputWeights).layer().weights.head_names == names);
  Document edited = edit::number(document, {Editable::QueryWeights, 0, 17}, 9);
  edited = edit::number(edited, {Editable::QueryWeights, 0, 0}, 9);
  CHECK(edited.layer().weights.head_names == names_without({0, 2}));
  CHECK(edit::reset_number(edited, {Editable::QueryWeights, 0, 17}).layer().weights.head_names ==
        names_without({0}));
  CHECK(
      edit::initialise(document, Editable::KeyWeights, Initialiser::Identity, 1).layer().weights.head_names ==
      std::vector<std::string>(8));
}

TEST_CASE("rows become zero, one-hot, noise or copies", "[edit]") {
  const Document document = sentence(Recipe::Random);
  const Columns head{8, 16};
  const auto row = [](const Document& d, std::int64_t at) {
    const float* first = d.layer().weights[Parameter::WKey]->data() + at * 64;
    return std::vector<float>(first, first + 64);
  };
  const std::vector<float> was = row(document, 5);
  const auto expect = [&](const Document& d, const auto& number) {
    const std::vector<float> now = row(d, 5);
    for (std::size_t i = 0; i < 64; ++i) CHECK(now[i] == (i >= 8 && i < 16 ? number(i) : was[i]));
    CHECK(row(d, 4) == row(document, 4));
  };
  const Place at{Editable::KeyWeights, 5, 11};
  expect(edit::zero_row(document, at, head), [](std::size_t) { return 0.0f; });
  expect(edit::one_hot_row(document, at, head), [](std::size_t i) { return i == 11 ? 1.0f : 0.0f; });
  expect(edit::copy_row(document, {Editable::QueryWeights, 2}, at, head), [&](std::size_t i) {
    return document.layer().weights[Parameter::WQuery]->matrix()(2, static_cast<std::int64_t>(i));
  });
  const Document noisy = edit::noise_row(document, at, {0.5f, 3}, head);
  expect(noisy, [&](std::size_t i) { return row(noisy, 5)[i]; });
  CHECK(row(edit::noise_row(document, at, {0.5f, 3}, head), 5) == row(noisy, 5));
  CHECK(row(edit::noise_row(document, at, {0.5f, 4}, head), 5) != row(noisy, 5));
  CHECK(row(edit::reset_row(noisy, at, head), 5) == was);
  const Document wide = edit::noise_row(edit::d_model(document, 1024), {Editable::ValueWeights, 7}, {2, 3});
  double squares = 0;
  for (std::int64_t i = 0; i < 1024; ++i)
    squares += std::pow(static_cast<double>(wide.layer().weights[Parameter::WValue]->matrix()(7, i)), 2);
  CHECK(squares / 1024 == Approx(4).epsilon(0.2));  // standard error 4.4 %
  const std::vector<float> numbers{1, 2, 3};
  const Document pasted = edit::paste_row(document, {Editable::KeyWeights, 5, 61}, numbers);
  const std::vector<float> written = row(pasted, 5);
  CHECK(std::vector<float>(written.end() - 3, written.end()) == numbers);
  CHECK(row(pasted, 5)[60] == was[60]);
  CHECK(numbers_of(edit::zero(document, Editable::Input), Editable::Input)->matrix().isZero());
}

TEST_CASE("what cannot be edited is refused in one sentence", "[edit]") {
  const Document document = sentence(Recipe::Random);
  const float nan_ = std::numeric_limits<float>::quiet_NaN(),
              infinite = std::numeric_limits<float>::infinity();
  CHECK(refusal([&] {
          edit::number(document, {Editable::QueryWeights, 3, 5}, nan_);
        }) == "W_Q[3, 5] cannot be nan: an edited number must be finite.");
  CHECK(refusal([&] {
          edit::number(document, {Editable::Input, 0, 0}, infinite);
        }) == "X[0, 0] cannot be inf: an edited number must be finite.");
  CHECK(refusal([&] {
          edit::number(document, {Editable::KeyWeights, 64, 0}, 1);
        }) == "W_K [64, 64] has no row 64 with columns 0 to 0.");
  CHECK(refusal([&] {
          edit::number(document, {Editable::KeyWeights, 0, 64}, 1);
        }) == "W_K [64, 64] has no row 0 with columns 64 to 64.");
  CHECK(refusal([&] {
          edit::zero_row(document, {Editable::Input, 0, 0, 1});
        }) == "X [1, 6, 64] has no row 0 with columns 0 to 63.");
  CHECK(refusal([&] {
          edit::number(document, {Editable::QueryBias, 0, 0}, 1);
        }) == "There is no b_Q whose numbers could be edited.");
  CHECK(refusal([&] {
          edit::number(document, {Editable::Keys, 0, 0}, 1);
        }) == "There is no K whose numbers could be edited.");
  CHECK(refusal([&] { edit::zero(given_document(), Editable::QueryWeights); }) ==
        "There is no W_Q whose numbers could be edited.");
  CHECK(refusal([&] { edit::paste_row(document, {Editable::Input}, std::vector<float>{nan_}); }) ==
        "A row with NaN or infinite numbers cannot be pasted: edited numbers must be finite.");
  CHECK(refusal([&] {
          edit::noise_row(document, {Editable::Input}, {-1, 0});
        }) == "The deviation of noise is -1; it must be a finite number of at least 0.");
  CHECK(refusal([&] { edit::initialise(document, Editable::Input, Initialiser::Xavier, 0); }) ==
        "X has no initialiser; W_Q, W_K, W_V and W_O have.");
  CHECK(refusal([&] { edit::gain(document, Editable::QueryWeights, 0); }) ==
        "The gain of W_Q cannot be 0; it must be a finite number above 0.");
  CHECK(refusal([&] { edit::gain(edit::biases(document, true), Editable::QueryBias, 2); }) ==
        "b_Q has no gain; X, W_Q, W_K, W_V and W_O have.");
  CHECK(refusal([&] { edit::gain(given_document(), Editable::Input, 2); }) ==
        "There is no X whose numbers could be edited.");
  Document large = edit::number(document, {Editable::QueryWeights, 0, 0}, 3e38f);
  CHECK(refusal([&] { edit::gain(large, Editable::QueryWeights, 2); }) ==
        "Multiplied by 2 the numbers are too large to be stored.");
}

}  // namespace attnscope::edit_numbers_test
