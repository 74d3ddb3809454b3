// app/cli/models: `attnscope atlas`: the effect of every head on the prediction, as a table for a script.
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
  std::optional<std::string> decoder_text;  // the beginning of the decoder's output, of an encoder-decoder
  AblationRequest request{.all_positions = true};
  bool prune = false;  // heads removed one after the other, not each alone
};

/// Writes a line for each head, atomically, or to the standard output if `out` is "-":
/// block,head,kl,top_logit_change,top_token,mean_kl,nll_change. Numbers in nats. The prediction is the token
/// after the text, for encoder-decoders the decoder's next token; the first masked token of the text, or the
/// token at request.row; or classes. mean_kl is empty unless all positions are asked for and have
/// predictions, nll_change also if no next tokens are predicted. Progress goes to stderr once it takes long.
/// All options but the model are used. Throws Error, or Cancelled once `stop` fires.
void atlas_command(const AtlasOptions&, ModelAtHand&, const std::stop_token& stop = {});

}  // namespace attnscope
