// core/document: the model that a layer is looked at in: which one, what it reads, what is changed inside it
// and which of its blocks is on screen. The rest of such a Document follows from this: its input are the
// vectors that enter the block, its layer is the block (see core/models/opened/layer_document.hpp).
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

/// A word of a text that mask tokens stand for.
struct MaskedWord {
  std::int64_t at = 0;               // the byte of the text where the masks begin
  std::string word;                  // that was there
  std::vector<std::int64_t> tokens;  // of it: as many masks stand there, one behind the other
  bool operator==(const MaskedWord&) const = default;
};

/// What a model reads. Of the fields those count that the model has a use for.
struct ModelText {
  std::string text;                         // valid UTF-8
  std::optional<std::string> pair;          // the second text of an encoder that takes pairs
  std::optional<std::string> decoder_text;  // encoder-decoders: what the decoder has said so far
  std::vector<std::int64_t> continued;  // tokens behind it (behind decoder_text where there is a decoder with
                                        // its own text): generated, or chosen from the prediction
  std::filesystem::path image;          // models of pictures; empty = none yet
  std::vector<MaskedWord> masked;       // of `text`, in its order: words that a click put mask tokens for
  bool special = true;            // what the model's format puts around the text: a beginning, [CLS], [SEP]
  std::vector<std::int64_t> ids;  // where not empty, the tokens themselves, in the place of text and pair
  /// A day like "2026-11-27": `text` is what a user says in a chat, and the model reads what its chat
  /// template makes of that, which is told this day where it asks. `special` and `pair` do not count then.
  std::optional<std::string> chat_day;
  bool operator==(const ModelText&) const = default;
};

struct ModelContext {
  std::shared_ptr<const OpenedModel>
      model;                      // null: the layer stands by itself, or the model is still to be opened
  std::filesystem::path path;     // where it lies; empty: there is none
  std::uint64_t fingerprint = 0;  // of its files, see OpenedModel; 0 = not known
  ModelText input;
  ModelChanges changes;
  AttentionOf of = AttentionOf::Decoder;  // the attention that is looked at,
  int block = 0;                          // and its block
  bool operator==(const ModelContext&) const = default;
  explicit operator bool() const { return model != nullptr; }
  /// Read from a file: the window opens the model before it shows it.
  bool is_unopened() const { return !model && !path.empty(); }
};

}  // namespace attnscope
