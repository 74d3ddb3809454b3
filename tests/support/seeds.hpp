// tests: one seed per run of the suite, from which every random case takes its own. ATTNSCOPE_SEED chooses
// another; a failure names the seed of its run and of its case.
#pragma once

#include <cstdint>
#include <string_view>

namespace attnscope::seeds {

/// ATTNSCOPE_SEED, or 1.
std::uint64_t of_run();
/// A seed for case `index` of a suite of cases.
std::uint64_t of_case(std::string_view suite, std::uint64_t index);

}  // namespace attnscope::seeds
