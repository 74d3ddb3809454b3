// tests: which fault of the list the program has; 0, and it has none.
#pragma once

#include <cstdlib>

inline const int attnscope_mutant = [] {
  const char* chosen = std::getenv("ATTNSCOPE_MUTANT");
  return chosen == nullptr ? 0 : std::atoi(chosen);
}();
