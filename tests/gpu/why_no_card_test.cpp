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

  answers.cards = 1;
  CHECK(why_no_card(answers) == "The graphics card does not say what it is, so the CPU computes everything.");

  answers.describes = true;
  answers.name = "Tesla V100";
  answers.major = 7;
  CHECK(why_no_card(answers) ==
        "Tesla V100 has compute capability 7.0; 7.5 or newer is needed, so the CPU computes everything.");
  answers.minor = 5;
  CHECK(why_no_card(answers).empty());
  answers.major = 12, answers.minor = 0;
  CHECK(why_no_card(answers).empty());
}

}  // namespace attnscope::why_no_card_test
