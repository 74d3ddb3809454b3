// tests/support: slow tests of unchanged code run in three parts, another part with each commit.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "support/sanitizers.hpp"

namespace attnscope::test {

/// Whether this third has its turn, given by tests/run in ATTNSCOPE_THIRD; without it all have.
inline bool has_turn(int third) {
  const char* chosen = std::getenv("ATTNSCOPE_THIRD");
  return chosen == nullptr || std::atoi(chosen) == third;
}

/// Which of `parts` has its turn with this commit. Empty: all have, without a commit's number
/// (ATTNSCOPE_COMMIT) or with ATTNSCOPE_TURN=012, as in tests/run --all.
inline std::optional<std::size_t> part_of_commit(std::size_t parts) {
  const char* const turn = std::getenv("ATTNSCOPE_TURN");
  const char* const commit = std::getenv("ATTNSCOPE_COMMIT");
  if (commit == nullptr || (turn != nullptr && std::string_view(turn) == "012")) return std::nullopt;
  return std::strtoull(commit, nullptr, 10) % parts;
}

}  // namespace attnscope::test

/// At the top of a test case.
#define ATTNSCOPE_THIRD(third)           \
  if (!attnscope::test::has_turn(third)) \
  SKIP("trained with another commit (tests/run --all trains everything)")
/// The same for training that is too long for a sanitizer, ten times slower: it is skipped there.
#define ATTNSCOPE_LONG_THIRD(third)                                                                   \
  if (attnscope::test::under_address_sanitizer()) SKIP("trained without the address sanitizer only"); \
  ATTNSCOPE_THIRD(third)
