// core/document: the model that a layer belongs to: the model, its input, the changes inside it and the block
// on screen. The rest of such a Document follows from this: its input is the vectors that enter the block,
// its layer is that of the block (see core/models/opened/layer_document.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/document/model_changes.hpp"

namespace attnscope {

struct OpenedModel;  // core/models/opened/opened_model.hpp

/// A word of a text that is replaced by mask tokens.
struct MaskedWord {
  std::int64_t at = 0;               // the byte of the text where the masks begin
  std::string word;                  // the word that was there
  std::vector<std::int64_t> tokens;  // of the word; there are as many consecutive masks
  bool operator==(const MaskedWord&) const = default;
};

/// The input of a model. Fields that the model has no use for are ignored.
struct ModelText {
  std::string text;                         // valid UTF-8
  std::optional<std::string> pair;          // the second text of an encoder that takes pairs
  std::optional<std::string> decoder_text;  // encoder-decoders: the decoder's text so far
  std::vector<std::int64_t> continued;  // tokens appended to it (to decoder_text if the decoder has its own
                                        // text): generated, or chosen from the prediction
  std::filesystem::path image;          // models of pictures; empty = none yet
  std::vector<MaskedWord> masked;       // of `text`, in its order: words that a click has replaced by masks
  bool special = true;            // what the model's format puts around the text: a beginning, [CLS], [SEP]
  std::vector<std::int64_t> ids;  // if not empty: token ids that replace text and pair
  /// A date like "2026-11-27": `text` is a user's message in a chat, and the model reads it in its chat
  /// template, which can use this date. `special` and `pair` are ignored then.
  std::optional<std::string> chat_day;
  bool operator==(const ModelText&) const = default;
};

struct ModelContext {
  std::shared_ptr<const OpenedModel>
      model;                      // null: a single layer without a model, or the model is not opened yet
  std::filesystem::path path;     // of the model; empty: there is none
  std::uint64_t fingerprint = 0;  // of its files, see OpenedModel; 0 = unknown
  ModelText input;
  ModelChanges changes;
  AttentionOf of = AttentionOf::Decoder;  // the attention on screen,
  int block = 0;                          // and its block
  bool operator==(const ModelContext&) const = default;
  explicit operator bool() const { return model != nullptr; }
  /// Read from a file: the window opens the model before it shows the Document.
  bool is_unopened() const { return !model && !path.empty(); }
};

}  // namespace attnscope
