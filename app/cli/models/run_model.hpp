// app/cli/models: `attnscope run`, a model as a program: a text or tokens in, the outputs of transformers
// out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/chat/chat_text.hpp"
#include "app/cli/models/model_at_hand.hpp"
#include "core/models/run_model.hpp"
#include "core/readouts/text/sampling.hpp"

namespace attnscope {

/// Tensors that can be written besides.
enum class ModelPart : std::uint8_t { Queries, Keys, Values, Entropy, Received, Lens };
/// The names of --emit: "q", "k", "v", "entropy", "received", "lens".
std::optional<ModelPart> model_part_from(std::string_view name);

/// The names of the tensors: those of transformers' outputs, or of TransformerLens' hook points.
enum class TensorNames : std::uint8_t { Transformers, TransformerLens };
/// "transformers", "transformer-lens".
std::optional<TensorNames> tensor_names_from(std::string_view name);

/// A head by its block and its index in the block, of the stack that gives the model's output.
struct HeadAt {
  int block = 0, head = 0;
};

struct RunModelOptions {
  std::filesystem::path model, out;
  // Exactly one of these is the input.
  std::optional<std::string> text;
  std::optional<std::filesystem::path> text_file, batch, image;
  std::optional<std::vector<std::int64_t>> ids;
  ChatOptions chat;
  std::optional<std::string> pair, decoder_text;
  std::set<ModelPart> emit;
  TensorNames names = TensorNames::Transformers;
  int first_block = 0, last_block = -1;  // whose attention is written; -1: the last block
  std::vector<HeadAt> ablated;
  int generate = 0;           // tokens that follow,
  SamplingSettings sampling;  // chosen like this
};

/// The tokens of one sequence.
struct RanTokens {
  std::vector<std::int64_t> ids;  // generated ones are the last; empty: a picture
  std::size_t given = 0;          // how many of them were given; the rest was generated
  std::vector<std::int64_t> decoder_ids = {};
};

/// Writes input_ids, attentions.{i} [batch][heads][n][n], hidden_states.{i} (0 = embeddings),
/// last_hidden_state, logits, pooler_output, as transformers returns them; for encoder-decoders encoder_…,
/// decoder_… and cross_…; with --emit q.{i}, k.{i}, v.{i} [batch][heads][n][d_k], after rotary positions,
/// entropy.{i} [batch][heads][n] and received.{i} [batch][heads][keys], and the logit lens: the ten likeliest
/// tokens of hidden_states.{i} and of the stream between attention and MLP of layer i, as log-probabilities
/// lens.{i} and lens_middle.{i} [batch][n][10] with token ids lens_ids.{i} and lens_middle_ids.{i}. A query
/// without a visible key has zeros. With TransformerLens' names it writes input_ids, the tensors of
/// hook_tensors() for these blocks, and logits instead. Written atomically. All options but the model are
/// used. Throws Error, or Cancelled once `stop` fires.
std::vector<RanTokens> run_model_command(const RunModelOptions&, ModelAtHand&,
                                         const std::stop_token& stop = {});

}  // namespace attnscope
