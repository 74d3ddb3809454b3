// app/pages/model: activation patching of the model's text and another one, as numbers for the eye: shares of
// the clean answer that heads bring back.
#pragma once

#include <string>
#include <vector>

#include "app/scene/scene.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {

/// Of each head in all rows; 0: the corrupted text's answer stays, 1: it is the clean one's.
struct PatchedShares {
  std::vector<double> exact, estimated;  // NaN: not known yet; `estimated` may be without any
  std::vector<double> shown;             // exact where it is known
  std::vector<bool> is_estimate;
};
PatchedShares shares_of(const PatchingReading&);

/// The heads with the largest shown share first.
std::vector<std::size_t> largest_first(const PatchedShares&);

/// A sentence why nothing is patched now; empty where the reading has numbers.
std::string why_not_patched(const Scene&);

}  // namespace attnscope
