// Typed lists of heads: reading, zeroing these heads or all others, and writing.
#include "core/edits/head_lists.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "core/edits/model.hpp"
#include "core/opened_models.hpp"
#include "support/letters_gpt.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::head_lists_test {
namespace {

using Catch::Matchers::Message;

/// 3 layers of 4 heads.
ModelContext letters(const test::TemporaryDirectory& directory) {
  write_letters_gpt(directory / "letters");
  return opened_models::within_of(open_whole_model(directory / "letters"), "ab c");
}

bool is_zeroed(const ModelContext& within, int block, int head) {
  return std::ranges::find(within.changes.heads, HeadChange{.block = block, .head = head}) !=
         within.changes.heads.end();
}

}  // namespace

TEST_CASE("listed heads are zeroed, or all others", "[model][edits]") {
  const test::TemporaryDirectory directory;
  const ModelContext within = letters(directory);
  const ModelContext two = edit::zeroed_heads(within, "2.3, 0.1");
  REQUIRE(two.changes.heads.size() == 2);
  CHECK(is_zeroed(two, 2, 3));
  CHECK(is_zeroed(two, 0, 1));
  CHECK(edit::list_of_zeroed(two) == "2.3, 0.1");
  CHECK(edit::list_of_zeroed(within).empty());
  CHECK(edit::zeroed_heads(within, " 2.3 0.1,\n2.3;").changes == two.changes);
  CHECK(edit::zeroed_heads(two, "1.0").changes.heads.size() == 1);  // these and no others

  const ModelContext circuit = edit::zeroed_but(two, "2.3, 0.1");
  REQUIRE(circuit.changes.heads.size() == 10);
  CHECK_FALSE(is_zeroed(circuit, 2, 3));
  CHECK_FALSE(is_zeroed(circuit, 0, 1));
  CHECK(is_zeroed(circuit, 0, 0));
  CHECK(is_zeroed(circuit, 2, 2));
  // A copied list can be pasted.
  CHECK(edit::zeroed_heads(within, edit::list_of_zeroed(circuit)).changes == circuit.changes);
}

TEST_CASE("other changes stay where heads are zeroed by a list", "[model][edits]") {
  const test::TemporaryDirectory directory;
  ModelContext within = edit::mlp_off(letters(directory), {AttentionOf::Decoder, 1}, true);
  const HeadChange mean{.block = 1, .head = 1, .kind = HeadChange::Kind::Mean},
      in_one_row{.block = 2, .head = 0, .rows = {1}};
  within = edit::put(edit::put(std::move(within), mean), in_one_row);
  within = edit::zeroed_heads(std::move(within), "0.0");
  CHECK(within.changes.blocks.size() == 1);
  CHECK(within.changes.heads.size() == 3);
  CHECK(edit::list_of_zeroed(within) == "0.0");
  within = edit::zeroed_but(std::move(within), "1.1");
  CHECK(within.changes.blocks.size() == 1);
  CHECK(std::ranges::find(within.changes.heads, mean) != within.changes.heads.end());
  CHECK(std::ranges::find(within.changes.heads, in_one_row) == within.changes.heads.end());
  CHECK(within.changes.heads.size() == 12);  // eleven zeroed heads, and the mean
}

TEST_CASE("what is no list of heads is refused in a sentence", "[model][edits]") {
  const test::TemporaryDirectory directory;
  const ModelContext within = letters(directory);
  for (const std::string list : {"1", "1.", ".2", "a.b", "1.2.3", "-1.2", "1.+2", "1.2x", "1.99999999999"}) {
    CAPTURE(list);
    CHECK_THROWS_MATCHES(
        edit::listed_heads(within, "0.0, " + list), Error,
        Message("Found \"" + list + "\" among the heads, expected a layer and a head with a dot between."));
  }
  for (const std::string list : {"3.0", "0.4", "99.99"}) {
    CAPTURE(list);
    CHECK_THROWS_MATCHES(
        edit::zeroed_but(within, list), Error,
        Message("There is no head \"" + list + "\"; the model has layers 0 to 2 with heads 0 to 3."));
  }
  CHECK_THROWS_MATCHES(edit::zeroed_heads(within, " , "), Error,
                       Message("There is no head in the list, expected layers and heads with dots between."));
  CHECK_THROWS_AS(edit::listed_heads(ModelContext{}, "0.0"), Error);
}

}  // namespace attnscope::head_lists_test
