// core/models: a model that a person opened: its weights, its tokenizer and what is said of its file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/document/input.hpp"
#include "core/document/model_context.hpp"
#include "core/files/formats/reading.hpp"
#include "core/models/model.hpp"
#include "core/models/pictures/image_input.hpp"
#include "core/models/run_model.hpp"
#include "core/text/token.hpp"

namespace attnscope {

namespace tokenizers {
struct ChatFormat;
class Tokenizer;
}  // namespace tokenizers

/// What `attnscope train` and the training page write into the header of a model's weights.
struct TrainedHere {
  std::string task, seed, steps;  // as they are written there
};

/// Immutable and shared.
struct OpenedModel {
  ModelPtr model;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer;  // null: of a model of pictures
  bool reads_numbers = false;  // its files have no tokenizer: a text is the numbers of tokens
  std::shared_ptr<const tokenizers::ChatFormat> chats;  // what its files say of chats; null: nothing was read
  std::string no_chat;  // a sentence that says why it takes none; empty: it does, and `chats` is there
  std::optional<ImagePreparation> preparation;  // of a model of pictures
  std::filesystem::path path;                   // of the folder or the .gguf file
  std::string name;                             // "SmolLM2-135M-Instruct"
  std::string storage;      // how most of its weights are stored: "Q4_1", "bfloat16", "float32"
  std::uint64_t bytes = 0;  // of its files with weights
  /// Of its config, of sizes and headers of its files and of some of their weights: another model has
  /// another, the same one elsewhere the same.
  std::uint64_t fingerprint = 0;
  std::vector<std::int64_t> special;   // numbers of special tokens
  std::optional<TrainedHere> trained;  // empty: this program did not train it
  /// "30 layers × 9 heads"; of encoder-decoders both: "6 + 6 layers × 8 heads".
  std::string heads_words() const;
};
using OpenedModelPtr = std::shared_ptr<const OpenedModel>;

/// Whether a path is taken for a model: a folder with config.json, or a GGUF file, by its ending or its first
/// bytes. Looks at nothing else.
bool is_model_path(const std::filesystem::path&);

/// Model and tokenizer. Throws Error with a sentence that names the file, or Cancelled.
OpenedModelPtr open_whole_model(const std::filesystem::path&, Reading* = nullptr);

/// A token as it is shown: never empty, one line; white space alone as "␣"; below 0: "NaN".
std::string token_label(const OpenedModel&, std::int64_t id);
/// What a prediction names: a class's name where the model has classes, otherwise token_label().
std::string prediction_label(const OpenedModel&, std::int64_t id);

/// What a text is to a model: its input, and labels of the rows of both stacks.
struct ModelTokens {
  ModelInput input;
  Sequence tokens;  // of `text` and `pair`; ranges are bytes of `text`, -1 where a token comes from elsewhere
                    // (of a chat: from its template)
  Sequence decoder_tokens;  // of a decoder that reads a text of its own (encoder-decoders); else empty
  std::string untold;       // a sentence that says what of the input the model does not see as it was given:
                            // characters without a token, bits of a picture; empty = nothing
  /// Of the rows of an attention, and of its keys.
  const Sequence& queries_of(AttentionOf) const;
  const Sequence& keys_of(AttentionOf) const;
};
/// Throws Error with a sentence: no token at all, more than the model has positions, no picture where it
/// takes one, a chat that the template refuses.
ModelTokens tokens_of(const OpenedModel&, const ModelText&);
/// The same of a model that reads a text, of any length; a chat counts as its text.
ModelTokens text_tokens(const ModelSpec&, const tokenizers::Tokenizer&, const ModelText&);

}  // namespace attnscope
