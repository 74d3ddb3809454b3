// tests/support: what takes long and is sure not to have changed is tested in three parts, another one with
// each commit.
#pragma once

#include <cstdlib>

#include "support/sanitizers.hpp"

namespace attnscope::test {

/// Whether this third has its turn. tests/run says which (ATTNSCOPE_THIRD); without it, all have.
inline bool has_turn(int third) {
  const char* chosen = std::getenv("ATTNSCOPE_THIRD");
  return chosen == nullptr || std::atoi(chosen) == third;
}

}  // namespace attnscope::test

/// At the top of a test case.
#define ATTNSCOPE_THIRD(third)           \
  if (!attnscope::test::has_turn(third)) \
  SKIP("trained with another commit (tests/run --all trains everything)")
/// The same of what trains for so long that a sanitizer, ten times slower, is spared it.
#define ATTNSCOPE_LONG_THIRD(third)                                                                   \
  if (attnscope::test::under_address_sanitizer()) SKIP("trained without the address sanitizer only"); \
  ATTNSCOPE_THIRD(third)
