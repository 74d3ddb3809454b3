// When edits of numbers by hand are kept: with gains, typed texts, seeds and widths, files, and what check()
// says.
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
#include "core/edits/numbers.hpp"
#include "core/engine/result.hpp"
#include "core/files/document/open.hpp"
#include "core/samples.hpp"

namespace attnscope::edit_kept_test {

using namespace attnscope::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a gain multiplies what the recipe makes and what was edited", "[edit]") {
  const Document document = sentence(Recipe::HandBuilt);
  const Document louder = edit::gain(document, Editable::KeyWeights, 3);
  const auto is_times = [](const Tensor& now, const Tensor& was, float factor) {
    bool same = now.shape() == was.shape();
    for (std::size_t i = 0; same && i < was.values().size(); ++i)
      same = now.values()[i] == was.values()[i] * factor;
    return same;
  };
  CHECK(louder.layer().weights.recipe == Recipe::HandBuilt);
  CHECK(louder.layer().weights.head_names == document.layer().weights.head_names);
  CHECK(gain_of(louder, Editable::KeyWeights) == 3.0f);
  CHECK(is_times(*louder.layer().weights[Parameter::WKey], *document.layer().weights[Parameter::WKey], 3));
  CHECK(louder.layer().weights[Parameter::WQuery] == document.layer().weights[Parameter::WQuery]);
  CHECK(same_picture(edit::gain(louder, Editable::KeyWeights, 1),
                     document));  // the same bits, however often it moved
  CHECK(is_times(*edit::heads(louder, 4).layer().weights[Parameter::WKey],
                 *edit::heads(document, 4).layer().weights[Parameter::WKey], 3));
  CHECK(is_times(*edit::seed(louder, 9).layer().weights[Parameter::WKey],
                 *edit::seed(document, 9).layer().weights[Parameter::WKey], 3));

  Document edited = edit::number(louder, {Editable::KeyWeights, 0, 0}, 6);
  edited = edit::gain(edited, Editable::KeyWeights, 0.5f);
  CHECK(edited.layer().weights[Parameter::WKey]->matrix()(0, 0) == Approx(1));
  CHECK(edited.layer().weights[Parameter::WKey]->matrix()(1, 1) ==
        Approx(0.5f * document.layer().weights[Parameter::WKey]->matrix()(1, 1)));
  CHECK(is_times(*made_numbers(edited, Editable::KeyWeights), *document.layer().weights[Parameter::WKey],
                 0.5f));

  const Document brighter = edit::gain(document, Editable::Input, 2);
  CHECK(brighter.embedding_gain == 2.0f);
  CHECK_FALSE(brighter.input.from_text().edited);
  CHECK(is_times(*computed(brighter)->layer().trace[Stage::Embed],
                 *computed(document)->layer().trace[Stage::Embed], 2));
  const Document typed = edit::text(brighter, 0, "another text"),
                 plain = edit::text(document, 0, "another text");
  CHECK(is_times(*numbers_of(typed, Editable::Input), *numbers_of(plain, Editable::Input), 2));
  Document touched = edit::gain(edit::number(brighter, {Editable::Input, 0, 1}, 8), Editable::Input, 4);
  CHECK(touched.input.from_text().edited->matrix(0)(0, 1) == 16.0f);
  CHECK(same_picture(edit::reset_number(touched, {Editable::Input, 0, 1}),
                     edit::gain(document, Editable::Input, 4)));
}

TEST_CASE("typing, seeds and widths let go of what was edited", "[edit]") {
  const Document document = sentence(Recipe::Random, {"one two", "three four"});
  Document edited = edit::number(document, {Editable::Input, 0, 0}, 9);
  edited = edit::number(edited, {Editable::QueryWeights, 0, 0}, 9);
  const auto keeps = [](const Document& d) {
    CHECK_NOTHROW(check(d));
    return std::pair(d.input.from_text().edited != nullptr, d.layer().weights.recipe == Recipe::Given);
  };
  CHECK(keeps(edited) == std::pair(true, true));
  CHECK(keeps(edit::text(edited, 1, "five six")) == std::pair(false, true));
  CHECK(keeps(edit::texts(edited, {"one", "two"})) == std::pair(false, true));
  CHECK(keeps(edit::memory(edited, "un deux")) == std::pair(true, true));
  CHECK(keeps(edit::heads(edited, 4)) == std::pair(true, true));
  CHECK(keeps(edit::d_model(edited, 32)) == std::pair(false, false));
  CHECK(keeps(edit::kv_heads(edited, 2)) == std::pair(true, false));
  CHECK(keeps(edit::d_v(edited, 3)) == std::pair(true, false));
  CHECK(keeps(edit::d_k(edited, 3)) == std::pair(true, false));
  CHECK(keeps(edit::seed(edited, 8)) == std::pair(false, false));
  CHECK(keeps(edit::biases(edited, true)) == std::pair(true, false));
  CHECK(keeps(edit::recipe(edited, Recipe::HandBuilt)) == std::pair(false, false));
  CHECK(same_picture(edit::recipe(edited, Recipe::Random),
                     edit::reset(edit::number(document, {Editable::Input, 0, 0}, 9), Editable::KeyWeights)));
  const Document built = edit::number(sentence(Recipe::HandBuilt), {Editable::QueryWeights, 0, 0}, 9);
  CHECK(keeps(edit::heads(built, 4)).second == false);  // four hand-built heads differ from eight
  Document padded = edited;
  padded.input.padded_length = 5;
  CHECK(keeps(edit::cached(padded, 1)).first == false);
  Document second = edit::number(edit::memory(document, "un deux"), {Editable::Memory, 0, 0}, 9);
  CHECK(second.input.from_text().edited_memory);
  CHECK_FALSE(edit::memory(second, "un deux").input.from_text().edited_memory);
  CHECK(edit::text(second, 0, "other words").input.from_text().edited_memory);

  const Document next = edit::new_seed(edited);
  CHECK(next.layer().weights.seed != edited.layer().weights.seed);
  CHECK(next.layer().weights.seed < 100'000);
  CHECK(next.layer().weights.recipe == Recipe::Random);
  CHECK(same_picture(edit::new_seed(edited), next));
}

TEST_CASE("documents with edited numbers are saved and opened", "[edit][json]") {
  Document document = edit::memory(sentence(Recipe::HandBuilt), "le chat");
  document = edit::gain(edit::number(document, {Editable::Input, 1, 2}, 0.1f), Editable::Input, 1.5f);
  document = edit::number(document, {Editable::Memory, 0, 3}, -7);
  document = edit::initialise(document, Editable::ValueWeights, Initialiser::Orthogonal, 12);
  document = edit::gain(document, Editable::OutputWeights, 0.3f);
  const auto opened = [](const Document& d) { return document_from_json(to_json(d), "x"); };
  for (const bool by_hand : {false, true}) {
    if (by_hand) document = edit::number(document, {Editable::QueryWeights, 4, 4}, 2);
    const Document back = opened(document);
    CHECK(same_picture(back, document));
    CHECK((all_numbers(back) == all_numbers(document)));
    CHECK(back.layer().weights.made_by == document.layer().weights.made_by);
    CHECK(back.layer().weights.blocks == document.layer().weights.blocks);
    CHECK(back.embedding_gain == 1.5f);
    CHECK(back.layer().weights.head_names == document.layer().weights.head_names);
    CHECK_NOTHROW(check(back));
  }
  CHECK(same_picture(edit::reset_number(opened(document), {Editable::QueryWeights, 4, 4}),
                     edit::reset_number(document, {Editable::QueryWeights, 4, 4})));

  const auto refused = [](const std::string& keys) {
    return refusal(
        [&] { document_from_json(R"({"attnscope": 1, "text": ["a"], )" + keys + "}", "bad.json"); });
  };
  CHECK_THAT(refused(R"("embedding_gain": 0)"), ContainsSubstring("\"embedding_gain\""));
  CHECK_THAT(refused(R"("blocks": {"query": {"gain": -1}})"), ContainsSubstring("\"blocks.query.gain\""));
  CHECK_THAT(refused(R"("blocks": {"query": {"initialiser": "he"}})"),
             ContainsSubstring("\"blocks.query.initialiser\""));
  CHECK_THAT(refused(R"("blocks": {"bias": {}})"), ContainsSubstring("\"blocks.bias\""));
  CHECK_THAT(refused(R"("initialiser": "zeros")"), ContainsSubstring("\"initialiser\""));
  CHECK_THAT(refused(R"("edited_vectors": [[1]])"), ContainsSubstring("\"edited_vectors\""));
  for (const std::string key : {"edited_vectors", "edited_memory"})
    CHECK_THAT(refused(R"("vectors": {"query": [[[1]]]}, ")" + key + R"(": [[[1]]])"),
               ContainsSubstring("bad.json") && ContainsSubstring("Edited token vectors belong to a text; "
                                                                  "where numbers are given, those are "
                                                                  "edited."));
}

TEST_CASE("check() says what is wrong with edited vectors and gains", "[edit]") {
  const Document document = sentence(Recipe::Random);
  const auto sentence_of = [&](const auto& change) {
    Document broken = document;
    change(broken);
    return refusal([&] { check(broken); });
  };
  CHECK(sentence_of([](Document& d) {
          d.input.change<FromText>().edited = std::make_shared<const Tensor>(Shape{1, 5, 64});
        }) ==
        "The edited vectors of the text have shape [1, 5, 64]; they must be [sequences, tokens, d_model] = "
        "[1, 6, 64].");
  CHECK(sentence_of([](Document& d) { d.embedding_gain = 0; }) ==
        "The gain of the embedding is 0; it must be a finite number above 0.");
  CHECK(sentence_of([](Document& d) { d.layer().weights.of(Projection::Value).gain = -2; }) ==
        "The gain of W_V is -2; it must be a finite number above 0.");
  CHECK(refusal([&] { check(edit::d_model(edit::initialiser(document, Initialiser::Orthogonal), 2048)); }) ==
        "Orthogonal weights are made for sizes up to 1024; these are 2048 wide.");
}

}  // namespace attnscope::edit_kept_test
