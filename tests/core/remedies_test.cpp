// Sizes of a layer that do not fit together, remedies that do, and a layer small enough to be read.
#include "core/edits/remedies.hpp"

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"
#include "core/samples.hpp"

namespace attnscope::remedies_test {
namespace {

using enum LayerNumber;

Document built_by_hand() {
  samples::Random random(1);
  return edit::recipe(samples::text_document(random, {6}, 8, 64), Recipe::HandBuilt);
}

/// The sentence; empty where the Document is accepted.
std::string refusal_of(const Document& document) {
  try {
    check_any_length(document);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool is_accepted(const Document& document) {
  try {
    check_any_length(document);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("numbers that do not fit are named, and every remedy is the nearest number that does") {
  struct Case {
    Document document;
    std::vector<LayerNumber> unfitting;
    std::vector<Remedy> remedies;
  };
  const Document usual = built_by_hand();
  Document short_padding = usual;
  short_padding.input.padded_length = 3;
  const std::vector<Case> cases{
      {usual, {}, {}},
      {edit::heads(usual, 3), {Heads, Width}, {{Heads, 4}, {Width, 66}}},
      {edit::heads(usual, 7), {Heads, Width}, {{Heads, 8}, {Width, 70}}},  // 63 is odd
      {edit::heads(usual, 0), {Heads}, {{Heads, 1}}},
      {edit::heads(usual, -1), {Heads}, {{Heads, 1}}},
      {edit::d_model(usual, 65), {Width}, {{Width, 64}}},
      {edit::d_model(usual, 0), {Width}, {{Width, 16}}},
      {edit::d_model(usual, 6000), {Width}, {{Width, 4096}}},
      {edit::kv_heads(usual, 3), {KeyHeads, Heads}, {{KeyHeads, 4}}},
      {edit::d_v(usual, 5000), {ValueWidth}, {{ValueWidth, 0}}},
      {edit::d_k(usual, 5000), {KeyWidth}, {{KeyWidth, 0}}},
      {edit::d_k(usual, -1), {KeyWidth}, {{KeyWidth, 0}}},
      {edit::heads(edit::d_k(usual, 5000), 7), {KeyWidth}, {{KeyWidth, 4096}}},
      {edit::heads(edit::d_k(usual, 12), 7), {}, {}},  // heads with a separate d_k need not divide d_model
      {edit::kv_heads(edit::heads(edit::d_k(usual, 12), 7), 2),
       {KeyHeads, Heads},
       {{KeyHeads, 1}, {Heads, 8}}},
      {edit::d_model(edit::d_k(usual, 12), 65), {Width}, {{Width, 66}}},
      {edit::d_model(edit::d_k(usual, 4096), 2048), {KeyWidth}, {{KeyWidth, 0}}},  // 2048 × 8 · 4096 numbers
      {short_padding, {PaddedLength}, {{PaddedLength, 0}}},
  };
  for (const Case& c : cases) {
    INFO("heads " << c.document.layer().heads << ", d_model " << c.document.layer().d_model << ", kv heads "
                  << c.document.layer().kv_heads);
    CHECK(is_accepted(c.document) == c.unfitting.empty());
    CHECK(unfitting_numbers(c.document) == c.unfitting);
    CHECK(remedies(c.document) == c.remedies);
    for (const Remedy& remedy : c.remedies)
      if (remedy.value < 4096) CHECK(is_accepted(remedied(c.document, remedy)));
  }
}

TEST_CASE("weights from a file keep their width, and what is not about sizes has no remedy") {
  Document given = built_by_hand();
  given.layer().weights.recipe = Recipe::Given;
  given.layer().weights.made_by = Recipe::Given;
  CHECK(is_accepted(given));
  const Document other = edit::d_model(given, 128);
  CHECK_FALSE(is_accepted(other));
  CHECK(remedies(other) == std::vector<Remedy>{{Width, 64}});
  CHECK(is_accepted(remedied(other, {Width, 64})));
  Document silent = built_by_hand();
  silent.input.sequences.change().front() = {};
  CHECK_FALSE(is_accepted(silent));
  CHECK(unfitting_numbers(silent).empty());
  CHECK(remedies(silent).empty());
}

TEST_CASE("the small model has eight dimensions and two heads, whatever the layer was") {
  Document odd = built_by_hand();
  odd.layer().kv_heads = 2;
  odd.layer().d_v = 5;
  odd.layer().positions = Positions::RopeHalf;
  odd.layer().position_settings.rope_dims = 8;
  odd.layer().masking.heads = {5, 6};
  for (const Document& document : {built_by_hand(), edit::mute(built_by_hand(), 6), odd}) {
    const Document small = edit::small_model(document);
    const Dimensions d = check(small);
    CHECK(d.d_model == 8);
    CHECK(d.heads == 2);
    CHECK(d.d_k == 4);
    CHECK(d.d_v == 4);
    CHECK(small.input == document.input);
    CHECK(small.layer().weights.seed == document.layer().weights.seed);
    CHECK(edit::small_model(small) == small);
  }
  samples::Random random(2);
  const Document given = samples::given_document(random.tensor({1, 4, 3, 2}), random.tensor({1, 2, 5, 2}),
                                                 random.tensor({1, 2, 5, 7}));
  CHECK(edit::small_model(given) == given);
}

TEST_CASE("what is said of a number before it is chosen is what its refusal says") {
  const Document usual = built_by_hand(), shared = edit::kv_heads(usual, 4);
  Document edited = usual;
  edited.layer().weights.recipe = Recipe::Given;
  edited.layer().weights.made_by = Recipe::HandBuilt;
  int refused = 0;
  const auto compare = [&](const Document& before, LayerNumber what, int value, const Document& after) {
    INFO("number " << static_cast<int>(what) << " becomes " << value);
    CHECK(why_unfit(before, what, value) == refusal_of(after));
    refused += why_unfit(before, what, value).empty() ? 0 : 1;
  };
  for (const int heads : {-1, 0, 1, 2, 3, 7, 8, 16}) {
    compare(usual, Heads, heads, edit::heads(usual, heads));
    compare(shared, Heads, heads, edit::heads(shared, heads));  // 2 heads share no keys any more
  }
  for (const int width : {-1, 0, 1, 12, 64, 65, 128, 6000}) {
    compare(usual, Width, width, edit::d_model(usual, width));
    compare(edited, Width, width, edit::d_model(edited, width));
  }
  for (const int heads : {1, 2, 3, 8, 9}) compare(usual, KeyHeads, heads, edit::kv_heads(usual, heads));
  for (const int width : {5, 8, 5000}) compare(usual, ValueWidth, width, edit::d_v(usual, width));
  for (const int width : {12, 5000}) compare(usual, KeyWidth, width, edit::d_k(usual, width));
  CHECK(refused == 4 + 4 + 6 + 6 + 2 + 1 + 1);
}

}  // namespace attnscope::remedies_test
