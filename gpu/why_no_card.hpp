// gpu: whether CUDA can be used, decided from what it said when asked. No CUDA header: the tests ask
// everything. C++17.
#pragma once

#include <string>

namespace attnscope::gpu {

/// Answers of CUDA, in the order of the questions; what comes after a bad one has not been asked.
struct CardAnswers {
  int driver = 0;  // the version of CUDA that the driver is made for, 13020 = 13.2; 0 = no driver
  int wanted = 0;  // by this build
  enum class Counting { Done, DriverTooOld, NoCard, Failed } counting = Counting::Done;
  std::string failure;  // as CUDA names it
  int cards = 0;
  bool describes = false;  // the first card says what it is
  std::string name;
  int major = 0, minor = 0;  // compute capability
};

/// One sentence for whoever looks at a slow program, or empty when the first card can be used.
std::string why_no_card(const CardAnswers&);

}  // namespace attnscope::gpu
