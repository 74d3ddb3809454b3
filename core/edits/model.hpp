// core/edits: the user's changes inside a model, and of its input. Each takes a ModelContext and returns one;
// throws Error, one sentence, for parts that the model does not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/document/model_context.hpp"
#include "core/document/settings.hpp"

namespace attnscope::edit {

/// One attention of a block.
struct BlockAt {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0;
  bool operator==(const BlockAt&) const = default;
};

/// Selects the attention and block on screen.
ModelContext looked_at(ModelContext, const BlockAt&);

/// Adds a change of a head and replaces that of the same rows; a change of all rows replaces all changes of
/// the head.
ModelContext put(ModelContext, const HeadChange&);
/// Removes the change if it exists, else adds it.
ModelContext toggled(ModelContext, const HeadChange&);
/// Removes all changes of the head.
ModelContext restored_head(ModelContext, const BlockAt&, int head);

/// The change of a block; a BlockChange without effect if there is none.
BlockChange change_of(const ModelContext&, const BlockAt&);
/// Replaces the change of the block; removes it if the new one has no effect.
ModelContext put(ModelContext, const BlockChange&);
/// Each sets one member of the block's change; mlp_off() for cross-attention applies to the decoder's block.
ModelContext attention_off(ModelContext, const BlockAt&, bool off);
ModelContext mlp_off(ModelContext, const BlockAt&, bool off);
ModelContext mask_off(ModelContext, const BlockAt&, bool off);
ModelContext causal(ModelContext, const BlockAt&, bool on);
ModelContext temperature(ModelContext, const BlockAt&, double);
/// The multiplier of q·k; nullopt = the model's own.
ModelContext scale(ModelContext, const BlockAt&, std::optional<double>);

/// Whether the block on screen can have these positions, see can_have_inside(); always those of the model.
bool can_have(const ModelContext&, Positions);

/// Whether the multiplier of the scores is not 1. toggled_division() sets it to 1 if so, else to the model's
/// own, or to 1/√d_k if the model's own is 1. The model's own scale is not a change.
bool is_divided(const ModelContext&, const BlockAt&);
ModelContext toggled_division(ModelContext, const BlockAt&);

/// The number of changes. Indices count those of blocks first, then those of heads.
std::size_t count_changes(const ModelContext&);
/// A change in words: "layer 3 · ÷√dₖ off · MLP off", "head 1.5 · zeroed". For encoder-decoders the place
/// names the attention: "cross-attention 3", "encoder head 1.5".
struct ChangeWords {
  std::string place;              // "layer 3"
  std::vector<std::string> what;  // "÷√dₖ off", "MLP off"; never empty
  std::string line() const;
};
ChangeWords words_of_change(const ModelContext&, std::size_t index);
std::vector<ChangeWords> list_of_changes(const ModelContext&);
/// Removes this change, or all.
ModelContext without_change(ModelContext, std::size_t index);
ModelContext without_changes(ModelContext);

/// Sets a text and drops appended tokens; text() and second_text() also drop token ids. Throws Error when it
/// is not valid UTF-8.
ModelContext text(ModelContext, std::string);
ModelContext second_text(ModelContext, std::optional<std::string>);
ModelContext decoder_text(ModelContext, std::string);
/// Whether the model's format puts its own tokens around the text: a beginning, [CLS], [SEP].
ModelContext special_tokens(ModelContext, bool wanted);
/// Treats the text as a user's message in a chat whose template gets this date, "2026-11-27" (see
/// ModelText::chat_day); nullopt: as plain text.
ModelContext chat(ModelContext, std::optional<std::string> day);
/// Replaces the text by token ids: "464, 3290" or "[464 3290]". Throws Error if there are none, or if one is
/// not a token of the model.
ModelContext token_ids(ModelContext, std::string_view numbers);
ModelContext image(ModelContext, std::filesystem::path);
/// Appends one token to the text.
ModelContext appended(ModelContext, std::int64_t token);
/// Keeps only the first `count` appended tokens.
ModelContext continued_up_to(ModelContext, std::int64_t count);

}  // namespace attnscope::edit
