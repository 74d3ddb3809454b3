// The painted mask: strokes against a naive picture, and rules turned into paint against the rules.
#include <limits>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/document/mask.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/mask.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"

namespace attnscope::edit_mask_test {

namespace {

Document sample() {
  samples::Random random(4);
  return samples::text_document(random, {5, 3}, 4, 16);
}

ResultPtr computed(const Document& document) { return Pipeline(make_cpu_backend(1)).run(document); }

using Painted = std::set<std::array<std::int64_t, 4>>;  // b, h, query, key

Painted hidden(const Document& document) {
  const Dimensions size = check(document);
  Painted found;
  for (std::int64_t b = 0; b < size.batch; ++b)
    for (std::int64_t h = 0; h < size.heads; ++h)
      for (std::int64_t i = 0; i < size.queries; ++i)
        for (std::int64_t j = 0; j < size.token_keys(); ++j)
          if (edit::is_hidden_by_hand(document, b, h, i, j)) found.insert({b, h, i, j});
  return found;
}

}  // namespace

TEST_CASE("strokes hide and show the cells they pass, in the heads and sequences they are for", "[mask]") {
  samples::Random random(9);
  Document document = sample();
  Painted expected;
  for (int stroke = 0; stroke < 300; ++stroke) {
    edit::MaskBrush brush{random.between(0, 2) > 0, {}, {}};
    if (random.coin()) brush.sequence = random.between(0, 1);
    if (random.coin()) brush.head = random.between(0, 3);
    std::vector<edit::MaskCell> cells;
    for (std::int64_t i = random.between(1, 4); i > 0; --i)
      cells.push_back({random.between(-1, 5), random.between(-1, 5)});
    document = edit::hidden_cells(std::move(document), brush, cells);
    for (const edit::MaskCell& cell : cells) {
      if (cell.query < 0 || cell.query > 4 || cell.key < 0 || cell.key > 4) continue;
      for (std::int64_t b = 0; b < 2; ++b)
        for (std::int64_t h = 0; h < 4; ++h) {
          if (b != brush.sequence.value_or(b) || h != brush.head.value_or(h)) continue;
          if (brush.hides) expected.insert({b, h, cell.query, cell.key});
          if (!brush.hides) expected.erase({b, h, cell.query, cell.key});
        }
    }
    REQUIRE(hidden(document) == expected);
    if (expected.empty()) CHECK_FALSE(document.layer().masking.additive);
  }
  const ResultPtr result = computed(document);
  for (const auto& [b, h, i, j] : expected)
    CHECK(result->layer().trace[Stage::Softmax]->matrix(b, h)(i, j) == 0.0f);
  CHECK(hidden(edit::clear_hand_mask(document)).empty());
}

TEST_CASE("a painted mask is one matrix until a stroke tells heads or sequences apart", "[mask]") {
  const edit::MaskRange range{1, 3, 0, 2};
  const Document all = edit::hidden_cells(sample(), {}, range);
  CHECK(all.layer().masking.additive->shape() == Shape{1, 1, 5, 5});
  CHECK(hidden(all).size() == 4 * 8);
  const Document head =
      edit::hidden_cells(all, {.hides = true, .sequence = {}, .head = 2}, edit::MaskRange{4, 9, 4, 9});
  CHECK(head.layer().masking.additive->shape() == Shape{1, 4, 5, 5});
  CHECK(hidden(head).size() == 4 * 8 + 2);
  const Document one = edit::hidden_cells(head, {.hides = false, .sequence = 1, .head = 0}, range);
  CHECK(one.layer().masking.additive->shape() == Shape{2, 4, 5, 5});
  CHECK(hidden(one).size() == 4 * 8 + 2 - 4);
  // A stroke that changes nothing makes no new block.
  CHECK(edit::hidden_cells(one, {.hides = true, .sequence = 0, .head = 0}, range) == one);
  CHECK(edit::hidden_cells(sample(), {.hides = false, .sequence = {}, .head = {}}, range)
            .layer()
            .masking.additive == nullptr);
  CHECK(edit::hidden_cells(one, {}, edit::MaskRange{7, 9, 0, 2}) == one);
  CHECK_FALSE(
      edit::hidden_cells(all, {.hides = false, .sequence = {}, .head = {}}, range).layer().masking.additive);
  CHECK_THROWS_AS(edit::hidden_cells(all, {.hides = true, .sequence = {}, .head = 4}, range), Error);
  // Added numbers from a file stay beside painted cells.
  Document added = sample();
  added.layer().masking.additive = samples::Random(1).tensor({1, 1, 5, 5});
  const float kept = added.layer().masking.additive->values()[3];
  added = edit::hidden_cells(added, {}, edit::MaskRange{0, 1, 0, 2});
  CHECK(added.layer().masking.additive->values()[3] == kept);
  CHECK(edit::is_hidden_by_hand(added, 1, 1, 0, 1));
  CHECK_FALSE(edit::is_hidden_by_hand(added, 1, 1, 0, 2));
}

TEST_CASE("a rule taken as painted hides the same cells, and each can be painted", "[mask]") {
  samples::Random random(12);
  for (int round = 0; round < 400; ++round) {
    Document document = samples::any_document(random);
    INFO("round " << round);
    const ResultPtr was = computed(document);
    const Dimensions size = was->layer().dimensions;
    const MaskRule before(document, was->layer().trace);
    const std::optional<std::int64_t> head =
        random.coin() ? std::optional(random.between(0, size.heads - 1)) : std::nullopt;
    const Document painted = edit::mask_from_rule(document, was->layer().trace, head);
    const ResultPtr now = computed(painted);
    const MaskRule after(painted, now->layer().trace);
    for (std::int64_t b = 0; b < size.batch; ++b)
      for (std::int64_t h = 0; h < size.heads; ++h)
        for (std::int64_t i = 0; i < size.queries; ++i)
          for (std::int64_t j = 0; j < size.keys; ++j)
            REQUIRE(after.allows(b, h, i, j) == before.allows(b, h, i, j));
    if (!head || size.heads == 1) {
      const Masking& masking = painted.layer().masking;
      CHECK((!masking.causal && masking.window.open() && masking.sparsity.kind == Sparsity::Kind::None &&
             masking.heads.empty()));
    }
    if (painted.layer().masking.padding) continue;
    const std::int64_t h = head.value_or(0);  // now any cell of that head can be shown, whatever hid it
    const Document shown = edit::hidden_cells(painted, {.hides = false, .sequence = {}, .head = h},
                                              edit::MaskRange{0, size.queries, 0, size.keys});
    const MaskRule all(shown, now->layer().trace);
    for (std::int64_t i = 0; i < size.queries; ++i) CHECK(all.allowed_keys(0, h, i) == size.keys);
  }
}

TEST_CASE("a rule is painted as one matrix where it is the same for all", "[mask]") {
  Document document = sample();
  document.layer().masking.causal = document.layer().masking.padding = true;
  const Document painted = edit::mask_from_rule(document, {});
  CHECK(painted.layer().masking.additive->shape() == Shape{1, 1, 5, 5});
  CHECK(painted.layer().masking.padding);
  CHECK(hidden(painted).size() == 8 * 10);
  CHECK(*computed(painted)->layer().trace[Stage::Softmax] ==
        *computed(document)->layer().trace[Stage::Softmax]);
  CHECK(edit::mask_from_rule(sample(), {}).layer().masking == Masking{});
  document.layer().masking.sparsity.kind = Sparsity::Kind::Lsh;
  CHECK_THROWS_AS(edit::mask_from_rule(document, {}), Error);
}

}  // namespace attnscope::edit_mask_test
