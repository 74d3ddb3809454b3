// app/cli: `attnscope atlas`: what the prediction owes to every head, as a table for a script.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/readouts/ablations.hpp"

namespace attnscope {

struct AtlasOptions {
  std::filesystem::path model, out;
  std::optional<std::string> text;  // one of these two
  std::optional<std::vector<std::int64_t>> ids;
  AblationRequest request{.all_positions = true};
  bool prune = false;  // heads removed one after the other, not each alone
};

/// Writes a line for each head, atomically: block,head,kl,top_logit_change,top_token,mean_kl,nll_change.
/// Numbers in nats; the last two are empty unless all positions are asked for. How far it is goes to stderr
/// once it takes long. Throws Error.
void atlas_command(const AtlasOptions&);

}  // namespace attnscope
