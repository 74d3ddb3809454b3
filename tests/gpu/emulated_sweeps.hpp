// tests: sweeps on emulated cards, and numbers whose scores are exact.
#pragma once

#include <cstdint>

#include "core/streaming_cases.hpp"
#include "gpu/emulated_device.hpp"
#include "gpu/sweeps.hpp"

namespace attnscope::emulator {

struct Setup {
  gpu::Arithmetic arithmetic = gpu::Arithmetic::Float;
  Schedule schedule = Schedule::Lazy;
  std::uint64_t seed = 1;
  int blocks = 3;
  /// Work that is never stale: asking for it is a barrier, which may stand in for one that is missing.
  bool never_stale = true;
  std::int64_t cells_at_once = std::int64_t{1} << 24;
  /// Products of warpgroups, for which heads have to have 33 to 64 or 97 to 128 numbers.
  bool groups = false;
};
/// Both arithmetics and products of warpgroups on both schedules.
inline constexpr Setup setups[] = {
    {gpu::Arithmetic::Float, Schedule::Lazy},
    {gpu::Arithmetic::Float, Schedule::Adversarial},
    {gpu::Arithmetic::Bfloat, Schedule::Lazy},
    {gpu::Arithmetic::Bfloat, Schedule::Adversarial},
    {gpu::Arithmetic::Bfloat, Schedule::Lazy, 1, 3, true, 1 << 24, true},
    {gpu::Arithmetic::Bfloat, Schedule::Adversarial, 1, 3, true, 1 << 24, true}};
/// Heads of d numbers, or of more where the setup's products want that: padded to 64 or 128.
inline std::int64_t width(const Setup& setup, std::int64_t d) { return setup.groups ? d + 32 : d; }

Sweep sweep(const AttentionProblem&, const SweepRequest&, const Setup&);
Tensor tile(const AttentionProblem&, const TileRequest&, const Setup&);
PooledTile pooled_tile(const AttentionProblem&, const TileRequest&, const PooledCells&, const Setup&);

/// A problem in quarters, which bfloat16 and float32 hold exactly with all of its scores; each score is
/// higher by `offset` (3008 is a bfloat16, too). Full attention, scale 1.
std::unique_ptr<streaming_cases::Case> in_quarters(samples::Random& random,
                                                   const streaming_cases::Sizes& sizes, float offset);

}  // namespace attnscope::emulator
