// app/pages/model: activation patching of the model's text and another one, as numbers to display: the share
// of the clean answer that each head restores.
#pragma once

#include <string>
#include <vector>

#include "app/scene/scene.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {

/// Share of each head, patched in all rows. 0: the corrupted text's answer stays; 1: it becomes the clean
/// text's.
struct PatchedShares {
  std::vector<double> exact, estimated;  // NaN: unknown yet; `estimated` may be empty
  std::vector<double> shown;             // exact if known, else estimated
  std::vector<bool> is_estimate;
};
PatchedShares shares_of(const PatchingReading&);

/// The heads with the largest shown share first.
std::vector<std::size_t> largest_first(const PatchedShares&);

/// Why nothing is patched now, in a sentence; empty if the reading has numbers.
std::string why_not_patched(const Scene&);

}  // namespace attnscope
