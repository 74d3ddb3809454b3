// One hand-built head: it has the pattern of its name, and the other heads keep their weights.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"
#include "core/engine/pipeline.hpp"
#include "core/text/tokenize.hpp"
#include "core/weights/make_weights.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::head_preset_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Keys = std::vector<std::int64_t>;

Document hand_built(int heads = 8, int d_model = 64) {
  const std::string text = "The cat sat on the mat because it was warm .";
  Document document;
  document.input.sequences = {{text, tokenize(text)}};
  document.layer().d_model = d_model;
  document.layer().heads = heads;
  return edit::recipe(document, Recipe::HandBuilt);
}

/// The key with the largest weight of each query.
Keys strongest(const Document& document, std::int64_t head) {
  const ResultPtr result = Pipeline(make_cpu_backend(1)).run(document);
  Keys keys;
  for (std::int64_t i = 0; i < result->layer().dimensions.queries; ++i)
    keys.push_back(result->layer().measures.row(0, head, i).strongest);
  return keys;
}

std::string refusal(const Document& document, std::int64_t head, HeadPreset preset) {
  return test::message_of<Error>([&] { edit::head_preset(document, head, preset); });
}

auto columns(const TensorPtr& block, std::int64_t head, std::int64_t d_k) {
  return block->matrix().middleCols(head * d_k, d_k);
}

}  // namespace

TEST_CASE("A preset makes any head do its one thing", "[preset]") {
  const Keys previous{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, next{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10};
  const Keys self{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  struct Size {
    int heads, d_model;
  };
  for (const Size size : {Size{8, 64}, Size{1, 64}, Size{2, 16}, Size{4, 32}, Size{16, 128}}) {
    const Document document = hand_built(size.heads, size.d_model);
    const int head = size.heads - 1;
    INFO(size.heads << " heads, d_model " << size.d_model);
    const auto made = [&](HeadPreset preset) {
      return strongest(edit::head_preset(document, head, preset), head);
    };
    Keys found = made(HeadPreset::PreviousToken);
    found[0] = 0;  // there is none before the first
    CHECK(found == previous);
    found = made(HeadPreset::NextToken);
    found[10] = 10;
    CHECK(found == next);
    CHECK(made(HeadPreset::FirstToken) == Keys(11, 0));
    found = made(HeadPreset::SameToken);
    if (found[4] == 0) found[4] = 4;  // "the" is "The" as well
    if (found[0] == 4) found[0] = 0;
    CHECK(found == self);
    const Document even = edit::head_preset(document, head, HeadPreset::Uniform);
    const ResultPtr result = Pipeline(make_cpu_backend(1)).run(even);
    CHECK((result->layer().trace[Stage::Softmax]->matrix(0, head).array() == 1.0f / 11).all());
  }
}

TEST_CASE("A preset leaves the other heads and the rest as they are", "[preset]") {
  const Document before = hand_built();
  const Document after = edit::head_preset(before, 4, HeadPreset::NextToken);
  for (std::int64_t h = 0; h < 8; ++h) {
    CHECK((columns(after.layer().weights[Parameter::WQuery], h, 8) ==
           columns(before.layer().weights[Parameter::WQuery], h, 8)) == (h != 4));
    CHECK((columns(after.layer().weights[Parameter::WKey], h, 8) ==
           columns(before.layer().weights[Parameter::WKey], h, 8)) == (h != 4));
    const auto at = static_cast<std::size_t>(h);
    CHECK(after.layer().weights.head_names[at] ==
          (h == 4 ? "next token" : before.layer().weights.head_names[at]));
  }
  CHECK(after.layer().weights[Parameter::WValue] == before.layer().weights[Parameter::WValue]);
  CHECK(after.layer().weights[Parameter::WOutput] == before.layer().weights[Parameter::WOutput]);
  CHECK(after.layer().weights.recipe == Recipe::Given);
  CHECK(after.layer().weights.made_by == Recipe::HandBuilt);
  // A head that the recipe builds the same way is the recipe's again.
  const Document again =
      edit::head_preset(edit::head_preset(before, 0, HeadPreset::Uniform), 0, HeadPreset::PreviousToken);
  CHECK(again.layer().weights.recipe == Recipe::HandBuilt);
  CHECK(*again.layer().weights[Parameter::WQuery] == *before.layer().weights[Parameter::WQuery]);
  CHECK(again.layer().weights.head_names == before.layer().weights.head_names);
  CHECK(edit::head_preset(before, 8, HeadPreset::Uniform) == before);
}

TEST_CASE("A preset takes the head's biases away", "[preset]") {
  Document document = edit::biases(edit::recipe(hand_built(), Recipe::Random), true);
  const Document after = edit::head_preset(document, 2, HeadPreset::Uniform);
  CHECK(columns(after.layer().weights[Parameter::BQuery], 2, 8).isZero(0));
  CHECK(columns(after.layer().weights[Parameter::BKey], 2, 8).isZero(0));
  CHECK(columns(after.layer().weights[Parameter::BQuery], 3, 8) ==
        columns(document.layer().weights[Parameter::BQuery], 3, 8));
  REQUIRE(after.layer().weights.head_names.size() == 8);
  CHECK(after.layer().weights.head_names[2] == "uniform");
  CHECK(after.layer().weights.head_names[3].empty());
}

TEST_CASE("What a preset cannot do it says", "[preset]") {
  const Document document = hand_built();
  const auto says = [](const std::string& message, const std::string& why) {
    CHECK_THAT(message, ContainsSubstring(why));
    CHECK(test::is_sentence(message));
  };
  says(refusal(edit::recipe(document, Recipe::Random), 1, HeadPreset::SameToken), "hand-built embeddings");
  says(refusal(edit::kv_heads(document, 2), 1, HeadPreset::Uniform), "shares its keys");
  says(refusal(edit::heads(document, 32), 1, HeadPreset::PreviousToken), "at least 4 numbers, and d_k is 2");
  Document other = document;
  other.layer().positions = Positions::RopeHalf;
  says(refusal(other, 1, HeadPreset::SameToken), "rotary");
  other.layer().positions = Positions::None;
  says(refusal(other, 1, HeadPreset::FirstToken), "sinusoidal");
  CHECK_NOTHROW(edit::head_preset(other, 1, HeadPreset::SameToken));
  CHECK_NOTHROW(edit::head_preset(edit::recipe(document, Recipe::Random), 1, HeadPreset::Uniform));
  Document given;
  given.input.numbers = Given{std::make_shared<const Tensor>(Shape{1, 2, 3, 4}),
                              std::make_shared<const Tensor>(Shape{1, 2, 3, 4}),
                              std::make_shared<const Tensor>(Shape{1, 2, 3, 4})};
  says(refusal(given, 1, HeadPreset::Uniform), "no weights");
}

}  // namespace attnscope::head_preset_test
