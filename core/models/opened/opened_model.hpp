// core/models/opened: an opened model: its weights, its tokenizer and facts from its files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

/// Metadata that `attnscope train` and the training page write into the header of a model's weights.
struct TrainedHere {
  std::string task, seed, steps;  // as written there
};

/// Immutable and shared.
struct OpenedModel {
  ModelPtr model;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer;  // null: the model reads pictures
  bool reads_numbers = false;  // its files have no tokenizer: a text is a list of token ids
  std::shared_ptr<const tokenizers::ChatFormat> chats;  // the chat template in its files; null: none was read
  std::string no_chat;                          // why it takes no chat; empty: it does, and `chats` is set
  std::optional<ImagePreparation> preparation;  // for a model of pictures
  std::filesystem::path path;                   // the folder or the .gguf file
  std::string name;                             // "SmolLM2-135M-Instruct"
  std::string storage;      // how most of its weights are stored: "Q4_1", "bfloat16", "float32"
  std::uint64_t bytes = 0;  // of its files with weights
  /// A hash of its config, of sizes and headers of its files and of some of their weights, to recognise the
  /// same model in another place.
  std::uint64_t fingerprint = 0;
  std::vector<std::int64_t> special;   // ids of special tokens
  std::optional<TrainedHere> trained;  // empty: AttnScope did not train it
  /// "30 layers × 9 heads"; for encoder-decoders both stacks: "6 + 6 layers × 8 heads".
  std::string heads_words() const;
};
using OpenedModelPtr = std::shared_ptr<const OpenedModel>;

/// Whether the path is a model: a folder with config.json, or a GGUF file, by its ending or its first bytes.
/// Reads nothing else.
bool is_model_path(const std::filesystem::path&);

/// Opens model and tokenizer. Throws Error naming the file, or Cancelled.
OpenedModelPtr open_whole_model(const std::filesystem::path&, Reading* = nullptr);

/// A token as shown: one line, never empty; white space alone as "␣"; an id below 0: "NaN".
std::string token_label(const OpenedModel&, std::int64_t id);
/// The label of a prediction: a class's name if the model has classes, else token_label().
std::string prediction_label(const OpenedModel&, std::int64_t id);

/// The token that stands for a masked word; -1 if the tokenizer names none or the model reads pictures.
std::int64_t mask_token(const OpenedModel&);
/// Its name, "[MASK]"; null if there is none.
const std::string* mask_name(const OpenedModel&);
/// The text that a token adds to what was said before it. The model reads text.
std::string text_of_token(const OpenedModel&, std::int64_t id);
/// The tokens of a text without those that the model's format puts around it. The model reads text.
std::vector<std::int64_t> plain_tokens(const OpenedModel&, std::string_view text);
/// Whether the model's format puts special tokens around a text, so that an empty one has tokens. The model
/// reads text.
bool puts_special_tokens(const OpenedModel&);
/// Whether its default chat template may ask for the date. Throws Error if there is no such template.
bool chat_may_ask_date(const OpenedModel&);

/// A text as a model reads it: its input, and labels for the rows of both stacks.
struct ModelTokens {
  ModelInput input;
  Sequence tokens;  // of `text` and `pair`; ranges are bytes of `text`, -1 where a token comes from elsewhere
                    // (of a chat: from its template)
  Sequence decoder_tokens;  // for a decoder that reads its own text (encoder-decoders); else empty
  std::string untold;       // a sentence on parts of the input that the model does not see as given:
                            // characters without a token, bits of a picture; empty = nothing
  /// Labels of the queries of an attention, and of its keys.
  const Sequence& queries_of(AttentionOf) const;
  const Sequence& keys_of(AttentionOf) const;
};
/// Throws Error if there are no tokens, more than the model has positions, no picture for a model that takes
/// one, or a chat that the template refuses.
ModelTokens tokens_of(const OpenedModel&, const ModelText&);
/// tokens_of() for a model that reads text, of any length; a chat is read as plain text.
ModelTokens text_tokens(const ModelSpec&, const tokenizers::Tokenizer&, const ModelText&);

}  // namespace attnscope
