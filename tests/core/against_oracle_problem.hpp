// tests: settings, sizes and mask of a Document as a problem of the oracle.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/compare.hpp"
#include "core/document/document.hpp"
#include "oracle/oracle.hpp"

namespace attnscope::against_oracle {

inline std::size_t unsigned_(std::int64_t value) { return static_cast<std::size_t>(value); }
inline oracle::Numbers numbers(const TensorPtr& tensor) {
  return tensor ? compare::in_double(*tensor) : oracle::Numbers{};
}

/// The settings and sizes; q, k and v are filled in later.
oracle::Problem problem_of(const Document& document, const Dimensions& size);

}  // namespace attnscope::against_oracle
