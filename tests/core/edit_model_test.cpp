// Edits of changes inside a model, and their names.
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/edits/model.hpp"
#include "core/models/changes.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::edit_model_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Kind = HeadChange::Kind;
using Lines = std::vector<std::string>;
namespace fs = std::filesystem;

ModelContext opened(ModelPtr model) {
  const auto whole = std::make_shared<OpenedModel>();
  whole->model = std::move(model);
  ModelContext within;
  within.model = whole;
  return within;
}

/// GPT-2 of 3 layers with 4 heads of 4.
ModelContext gpt() {
  const test::TemporaryDirectory directory;
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  return opened(open_model(directory / "gpt"));
}

ModelContext t5() { return opened(open_model(fs::path(ATTNSCOPE_TESTS) / "goldens/models/t5_gated")); }

Lines lines(const ModelContext& within) {
  Lines all;
  for (const edit::ChangeWords& words : edit::list_of_changes(within)) all.push_back(words.line());
  return all;
}

}  // namespace

TEST_CASE("changes are listed in words, those of blocks first", "[edits][changes]") {
  ModelContext within = gpt();
  within = edit::put(within, HeadChange{.block = 1, .head = 3});
  within = edit::put(within, HeadChange{.block = 0, .head = 2, .kind = Kind::Mean});
  within = edit::put(within, HeadChange{.block = 2, .head = 0, .kind = Kind::Zero, .rows = {4}});
  within = edit::toggled_division(within, {.block = 2});
  within = edit::mlp_off(within, {.block = 2}, true);
  within = edit::temperature(within, {.block = 1}, 0.25);
  within = edit::mask_off(within, {.block = 1}, true);
  within = edit::attention_off(within, {.block = 0}, true);
  within = edit::scale(within, {.block = 0}, 0.125);
  CHECK(lines(within) == Lines{"layer 2 · ÷√dₖ off · MLP off", "layer 1 · temperature 0.25 · mask off",
                               "layer 0 · scores × 0.125 · attention off", "head 1.3 · zeroed",
                               "head 0.2 · mean of its outputs", "head 2.0 · zeroed · in row 4"});
  CHECK(edit::count_changes(within) == 6);
  CHECK(lines(edit::without_change(within, 1)) ==
        Lines{"layer 2 · ÷√dₖ off · MLP off", "layer 0 · scores × 0.125 · attention off", "head 1.3 · zeroed",
              "head 0.2 · mean of its outputs", "head 2.0 · zeroed · in row 4"});
  CHECK(lines(edit::without_change(within, 4)).size() == 5);
  CHECK(lines(edit::without_change(within, 4))[4] == "head 2.0 · zeroed · in row 4");
  CHECK(edit::without_change(within, 6) == within);
  CHECK(lines(edit::without_changes(within)).empty());
}

TEST_CASE("a head has one change at a time, and the same one again takes it away", "[edits][changes]") {
  const HeadChange zero{.block = 1, .head = 3}, uniform{.block = 1, .head = 3, .kind = Kind::Uniform},
      row{.block = 1, .head = 3, .kind = Kind::Mean, .rows = {2}}, other{.block = 1, .head = 2};
  ModelContext within = edit::put(edit::put(gpt(), zero), other);
  within = edit::put(within, uniform);
  CHECK(within.changes.heads == std::vector{uniform, other});
  within = edit::put(within, row);
  CHECK(within.changes.heads == std::vector{uniform, other, row});
  CHECK(edit::put(within, zero).changes.heads == std::vector{zero, other});
  CHECK(edit::toggled(within, uniform).changes.heads == std::vector{other, row});
  // A change of all rows replaces one of a single row.
  CHECK(edit::toggled(edit::toggled(within, uniform), uniform).changes.heads == std::vector{other, uniform});
  CHECK(edit::restored_head(within, {.block = 1}, 3).changes.heads == std::vector{other});
}

TEST_CASE("a block that is as the model has it is no change", "[edits][changes]") {
  const ModelContext own = gpt();
  const edit::BlockAt at{.block = 1};
  CHECK(edit::is_divided(own, at));
  ModelContext off = edit::toggled_division(own, at);
  CHECK_FALSE(edit::is_divided(off, at));
  CHECK(off.changes.blocks == std::vector{BlockChange{.block = 1, .scale = 1}});
  CHECK(edit::toggled_division(off, at) == own);
  CHECK(edit::scale(own, at, 0.5) == own);  // 1/√4
  off = edit::mask_off(edit::temperature(off, at, 3), at, true);
  CHECK(edit::change_of(off, at) == BlockChange{.block = 1, .mask_off = true, .scale = 1, .temperature = 3});
  off = edit::mask_off(edit::temperature(edit::toggled_division(off, at), at, 1), at, false);
  CHECK(off == own);
  CHECK_THROWS_WITH(edit::causal(own, at, true), ContainsSubstring("Layer 1 cannot be made causal: it is."));
  // Of several changes of one block, as files may have them, the last counts and is kept.
  ModelContext twice = own;
  twice.changes.blocks = {
      {.block = 1, .scale = 1}, {.block = 0, .mask_off = true}, {.block = 1, .temperature = 2}};
  CHECK(edit::mask_off(twice, at, true).changes.blocks ==
        std::vector<BlockChange>{{.block = 1, .mask_off = true, .temperature = 2},
                                 {.block = 0, .mask_off = true}});
}

TEST_CASE("encoder-decoders name the attention, and scores that are not divided can be", "[edits][changes]") {
  ModelContext within = t5();
  const edit::BlockAt cross{AttentionOf::Cross, 0}, encoder{AttentionOf::Encoder, 0};
  CHECK_FALSE(edit::is_divided(within, cross));
  within = edit::toggled_division(within, cross);
  CHECK(edit::is_divided(within, cross));
  within = edit::mlp_off(within, cross, true);  // the decoder block's
  within = edit::attention_off(within, encoder, true);
  within = edit::put(within, HeadChange{.of = AttentionOf::Cross, .head = 1});
  within = edit::put(within, HeadChange{.of = AttentionOf::Encoder, .head = 0, .kind = Kind::Identity});
  CHECK(lines(within) == Lines{"cross-attention 0 · ÷√dₖ on", "decoder layer 0 · MLP off",
                               "encoder layer 0 · attention off", "cross head 0.1 · zeroed",
                               "encoder head 0.0 · same token"});
  CHECK_NOTHROW(check(within.changes, within.model->model->spec));
  within = edit::looked_at(within, cross);
  CHECK(within.of == AttentionOf::Cross);
  CHECK_THROWS_WITH(edit::looked_at(within, {AttentionOf::Decoder, 9}),
                    ContainsSubstring("There is no layer 9"));
}

TEST_CASE("random edits of a model are always what a model can have", "[edits][changes]") {
  std::mt19937 chance(9);
  const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
  ModelContext within = gpt();
  for (int i = 0; i < 500; ++i) {
    const edit::BlockAt at{.block = below(3)};
    constexpr Kind kinds[]{Kind::Zero, Kind::Mean, Kind::Uniform, Kind::PreviousToken, Kind::FirstToken};
    switch (below(9)) {
      case 0:
        within = edit::put(within, HeadChange{.block = at.block, .head = below(4), .kind = kinds[below(5)]});
        break;
      case 1: within = edit::toggled(within, HeadChange{.block = at.block, .head = below(4)}); break;
      case 2: within = edit::restored_head(within, at, below(4)); break;
      case 3: within = edit::toggled_division(within, at); break;
      case 4: within = edit::temperature(within, at, 1 + below(3)); break;
      case 5: within = edit::mask_off(within, at, below(2) == 0); break;
      case 6: within = edit::attention_off(within, at, below(2) == 0); break;
      case 7: within = edit::mlp_off(within, at, below(2) == 0); break;
      default: within = edit::without_change(within, static_cast<std::size_t>(below(8)));
    }
    CHECK_NOTHROW(check(within.changes, within.model->model->spec));
    CHECK(within.changes.blocks.size() <= 3);
    CHECK(within.changes.heads.size() <= 12);
    CHECK(edit::list_of_changes(within).size() == edit::count_changes(within));
    for (const BlockChange& change : within.changes.blocks)
      CHECK(change != BlockChange{.block = change.block});
  }
}

TEST_CASE("texts and tokens are what the model reads", "[edits]") {
  ModelContext within = edit::text(gpt(), "one two");
  within = edit::appended(edit::appended(within, 3), 4);
  CHECK(within.input.continued == std::vector<std::int64_t>{3, 4});
  CHECK(edit::continued_up_to(within, 1).input.continued == std::vector<std::int64_t>{3});
  CHECK(edit::continued_up_to(edit::text(within, "other"), 1).input.continued.empty());
  CHECK(edit::decoder_text(within, "x").input.decoder_text == "x");
  CHECK(edit::decoder_text(within, "x").input.continued.empty());
  CHECK(edit::second_text(within, "y").input.pair == "y");
  CHECK(edit::image(within, "a.png").input.image == "a.png");
  CHECK_FALSE(edit::special_tokens(within, false).input.special);
  CHECK(edit::special_tokens(within, false).input.continued.empty());
  CHECK(edit::chat(within, "2024-02-29").input.chat_day == "2024-02-29");
  CHECK(edit::chat(within, "2024-02-29").input.continued.empty());
  CHECK_FALSE(edit::chat(edit::second_text(within, "y"), "2024-02-29").input.pair);
  CHECK_FALSE(edit::second_text(edit::chat(within, "2024-02-29"), "y").input.chat_day);
  CHECK_FALSE(edit::chat(edit::chat(within, "2024-02-29"), std::nullopt).input.chat_day);
  CHECK_FALSE(edit::token_ids(edit::chat(within, "2024-02-29"), "3").input.chat_day);
  const ModelContext numbers = edit::token_ids(edit::second_text(within, "y"), " [3, 22\t0] ");
  CHECK(numbers.input.ids == std::vector<std::int64_t>{3, 22, 0});
  CHECK(numbers.input.text.empty());
  CHECK_FALSE(numbers.input.pair);
  CHECK(edit::text(numbers, "a").input.ids.empty());
  CHECK_THROWS_WITH(edit::token_ids(within, "1 23"),
                    "Found \"23\" among the tokens' numbers, which is no token of the model.");
  CHECK_THROWS_WITH(edit::token_ids(within, "1 2x"), ContainsSubstring("Found \"2x\""));
  CHECK_THROWS_WITH(edit::token_ids(within, "-1"), ContainsSubstring("Found \"-1\""));
  CHECK_THROWS_WITH(edit::token_ids(within, " ,"), ContainsSubstring("There is no number of a token"));
  CHECK_THROWS_WITH(edit::text(within, "\xff"), "The text is not valid UTF-8.");
  CHECK_THROWS_WITH(edit::appended(within, small_models::gpt_tokens),
                    "Token 23 cannot follow; the model has tokens 0 to 22.");
  CHECK_THROWS_WITH(edit::put(within, HeadChange{.block = 3}), ContainsSubstring("There is no head 3.0"));
  CHECK_THROWS_WITH(edit::temperature(within, {.block = 0}, 0),
                    ContainsSubstring("The temperature of layer 0 is 0"));
  CHECK_THROWS_WITH(edit::put(ModelContext{}, HeadChange{}), ContainsSubstring("No model is open"));
}

}  // namespace attnscope::edit_model_test
