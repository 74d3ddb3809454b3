// Settings that several keys and controls switch in the same way.
#include "core/edits/switches.hpp"

#include <catch2/catch_test_macros.hpp>

#include "core/samples.hpp"

namespace attnscope::switches_test {

TEST_CASE("Scaling is turned on and off, and a factor of one's own counts as off") {
  samples::Random random(3);
  Document document = samples::text_document(random, {3}, 2, 8);
  document.layer().scaling.kind = Scaling::Kind::InverseSqrtDk;
  CHECK(edit::is_divided(document));
  const Document off = edit::divided(document, false);
  CHECK_FALSE(edit::is_divided(off));
  CHECK(off.layer().scaling.kind == Scaling::Kind::Off);
  CHECK(edit::divided(off, true) == document);
  document.layer().scaling = {Scaling::Kind::Factor, 0.3f};
  CHECK_FALSE(edit::is_divided(document));
}

TEST_CASE("The usual masks are one choice, and every other rule stays") {
  samples::Random random(4);
  Document document = samples::text_document(random, {3, 2}, 2, 8);
  document.layer().masking.window = {1, 0};
  for (int choice = 0; choice < 4; ++choice) {
    const Document next = edit::with_mask_choice(document, choice);
    CHECK(edit::mask_choice(next) == choice);
    CHECK(next.layer().masking.causal == (choice == 1 || choice == 3));
    CHECK(next.layer().masking.padding == (choice >= 2));
    CHECK(next.layer().masking.window == document.layer().masking.window);
  }
}

}  // namespace attnscope::switches_test
