// app/cli/models: `attnscope atlas`: what the prediction owes to every head, as a table for a script.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/models/model_at_hand.hpp"
#include "core/readouts/ablations.hpp"

namespace attnscope {

struct AtlasOptions {
  std::filesystem::path model, out;
  std::optional<std::string> text;  // one of these two
  std::optional<std::vector<std::int64_t>> ids;
  std::optional<std::string> decoder_text;  // what the decoder of an encoder-decoder has said so far
  AblationRequest request{.all_positions = true};
  bool prune = false;  // heads removed one after the other, not each alone
};

/// Writes a line for each head, atomically, or to the standard output where `out` is "-":
/// block,head,kl,top_logit_change,top_token,mean_kl,nll_change. Numbers in nats. What is predicted: the token
/// behind the text, of encoder-decoders what the decoder says next; the first masked token of the text, or
/// that at request.row; classes. mean_kl is empty unless all positions are asked for and have predictions,
/// nll_change also where no next tokens are predicted. How far it is goes to stderr once it takes long. Of
/// the options everything but the model counts. Throws Error, or Cancelled once `stop` fires.
void atlas_command(const AtlasOptions&, ModelAtHand&, const std::stop_token& stop = {});

}  // namespace attnscope
