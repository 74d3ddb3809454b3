// Why the CPU computes, for each answer that CUDA can give.
#include "gpu/why_no_card.hpp"

#include <catch2/catch_test_macros.hpp>

namespace attnscope::why_no_card_test {

TEST_CASE("Whatever keeps a graphics card from computing is one sentence") {
  using gpu::CardAnswers;
  using gpu::why_no_card;
  CardAnswers answers;
  answers.wanted = 13000;
  CHECK(why_no_card(answers) == "This computer has no NVIDIA driver, so the CPU computes everything.");

  answers.driver = 12040;
  answers.counting = CardAnswers::Counting::DriverTooOld;
  CHECK(why_no_card(answers) ==
        "The NVIDIA driver is made for CUDA 12.4; this build wants 13.0 or newer, so the CPU computes "
        "everything.");

  answers.driver = 13020;
  answers.counting = CardAnswers::Counting::Failed;
  answers.failure = "system not yet initialized";
  CHECK(why_no_card(answers) ==
        "The NVIDIA driver does not start: system not yet initialized. The CPU computes everything.");

  answers.counting = CardAnswers::Counting::NoCard;
  CHECK(why_no_card(answers) == "The NVIDIA driver finds no graphics card, so the CPU computes everything.");
  answers.counting = CardAnswers::Counting::Done;
  CHECK(why_no_card(answers) == "The NVIDIA driver finds no graphics card, so the CPU computes everything.");

  answers.cards.resize(1);
  CHECK(why_no_card(answers) == "The graphics card does not say what it is, so the CPU computes everything.");

  answers.cards[0] = {true, "Tesla V100", 7, 0};
  CHECK(why_no_card(answers) ==
        "Tesla V100 has compute capability 7.0; 7.5 or newer is needed, so the CPU computes everything.");
  CHECK(gpu::usable_card(answers) == -1);
  answers.cards[0].minor = 5;
  CHECK(why_no_card(answers).empty());
  answers.cards[0].major = 12, answers.cards[0].minor = 0;
  CHECK(why_no_card(answers).empty());
  CHECK(gpu::usable_card(answers) == 0);

  // Behind a card that is too old, or that says nothing, may stand one that can be used.
  answers.cards = {{true, "Tesla V100", 7, 0}, {}, {true, "NVIDIA H200", 9, 0}};
  CHECK(why_no_card(answers).empty());
  CHECK(gpu::usable_card(answers) == 2);
}

TEST_CASE("Kernels have what the older of card and code has") {
  using gpu::usable_capability;
  CHECK(usable_capability(90, 90, 90) == 90);
  CHECK(usable_capability(89, 86, 86) == 86);
  CHECK(usable_capability(90, 75, 90) == 75);  // loaded from code that knows no matrix units
  CHECK(usable_capability(90, 0, 80) == 80);
  CHECK(usable_capability(120, 120, 120) == 120);
}

}  // namespace attnscope::why_no_card_test
