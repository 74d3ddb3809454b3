#include "gpu/why_no_card.hpp"

namespace attnscope::gpu {

namespace {

std::string in_words(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::string why_no_card(const CardAnswers& a) {
  using Counting = CardAnswers::Counting;
  const std::string so = ", so the CPU computes everything.";
  if (a.driver == 0) return "This computer has no NVIDIA driver" + so;
  if (a.counting == Counting::DriverTooOld)
    return "The NVIDIA driver is made for CUDA " + in_words(a.driver) + "; this build wants " +
           in_words(a.wanted) + " or newer" + so;
  if (a.counting == Counting::NoCard || (a.counting == Counting::Done && a.cards == 0))
    return "The NVIDIA driver finds no graphics card" + so;
  if (a.counting == Counting::Failed)
    return "The NVIDIA driver does not start: " + a.failure + ". The CPU computes everything.";
  if (!a.describes) return "The graphics card does not say what it is" + so;
  if (a.major * 10 + a.minor < 75)
    return a.name + " has compute capability " + std::to_string(a.major) + "." + std::to_string(a.minor) +
           "; 7.5 or newer is needed" + so;
  return {};
}

}  // namespace attnscope::gpu
