// gpu: whether CUDA can be used, decided from what it said when asked. No CUDA header: the tests ask
// everything. C++17.
#pragma once

#include <string>
#include <vector>

namespace attnscope::gpu {

/// Answers of CUDA, in the order of the questions; what comes after a bad one has not been asked.
struct CardAnswers {
  int driver = 0;  // the version of CUDA that the driver is made for, 13020 = 13.2; 0 = no driver
  int wanted = 0;  // by this build
  enum class Counting { Done, DriverTooOld, NoCard, Failed } counting = Counting::Done;
  std::string failure;  // as CUDA names it
  struct Card {
    bool describes = false;  // it says what it is
    std::string name;
    int major = 0, minor = 0;  // compute capability
  };
  std::vector<Card> cards;
};

/// The number of the first card that can be used; -1: none.
int usable_card(const CardAnswers&);
/// One sentence for whoever looks at a slow program, or empty when a card can be used. Of several cards it
/// speaks of the first.
std::string why_no_card(const CardAnswers&);

/// What kernels can count on, 90 = compute capability 9.0: code compiled for an older card has no more than
/// that one had, wherever it runs. `ptx` and `binary` are what CUDA says of a kernel that is loaded, 0 =
/// nothing.
int usable_capability(int card, int ptx, int binary);

}  // namespace attnscope::gpu
