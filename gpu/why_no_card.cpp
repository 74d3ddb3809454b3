#include "gpu/why_no_card.hpp"

#include <algorithm>

namespace attnscope::gpu {

namespace {

std::string in_words(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

int usable_card(const CardAnswers& a) {
  for (std::size_t i = 0; i < a.cards.size(); ++i)
    if (a.cards[i].describes && a.cards[i].major * 10 + a.cards[i].minor >= 75) return static_cast<int>(i);
  return -1;
}

int usable_capability(int card, int ptx, int binary) {
  // The driver may have translated code for 7.5 to 9.0, without the kernels' bodies for 8.0.
  return std::min(card, ptx > 0 ? ptx : binary);
}

std::string why_no_card(const CardAnswers& a) {
  using Counting = CardAnswers::Counting;
  const std::string so = ", so the CPU computes everything.";
  if (a.driver == 0) return "This computer has no NVIDIA driver" + so;
  if (a.counting == Counting::DriverTooOld)
    return "The NVIDIA driver is made for CUDA " + in_words(a.driver) + "; this build wants " +
           in_words(a.wanted) + " or newer" + so;
  if (a.counting == Counting::NoCard || (a.counting == Counting::Done && a.cards.empty()))
    return "The NVIDIA driver finds no graphics card" + so;
  if (a.counting == Counting::Failed)
    return "The NVIDIA driver does not start: " + a.failure + ". The CPU computes everything.";
  if (usable_card(a) >= 0) return {};
  const CardAnswers::Card& first = a.cards.front();
  if (!first.describes) return "The graphics card does not say what it is" + so;
  return first.name + " has compute capability " + std::to_string(first.major) + "." +
         std::to_string(first.minor) + "; 7.5 or newer is needed" + so;
}

}  // namespace attnscope::gpu
