// core/edits: the ways a person changes what is inside a model, and what it reads. Each takes a ModelContext
// and returns one; what the model does not have is refused in a sentence, as an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/document/model_context.hpp"

namespace attnscope::edit {

/// One attention of a block.
struct BlockAt {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0;
  bool operator==(const BlockAt&) const = default;
};

/// Which attention and block is looked at.
ModelContext looked_at(ModelContext, const BlockAt&);

/// Changes a head, in the place of what was done to it in the same rows; a change that holds everywhere takes
/// the place of all.
ModelContext put(ModelContext, const HeadChange&);
/// Takes the same change away where it is there, else puts it.
ModelContext toggled(ModelContext, const HeadChange&);
/// The head as the model has it.
ModelContext restored_head(ModelContext, const BlockAt&, int head);

/// What is changed of a block; one that changes nothing where there is none.
BlockChange change_of(const ModelContext&, const BlockAt&);
/// In the place of all that was changed of the block; none where it changes nothing.
ModelContext put(ModelContext, const BlockChange&);
/// Likewise one thing at a time; mlp_off() of cross-attention is that of the decoder's block.
ModelContext attention_off(ModelContext, const BlockAt&, bool off);
ModelContext mlp_off(ModelContext, const BlockAt&, bool off);
ModelContext mask_off(ModelContext, const BlockAt&, bool off);
ModelContext causal(ModelContext, const BlockAt&, bool on);
ModelContext temperature(ModelContext, const BlockAt&, double);
/// What q·k is multiplied with; nothing = as the model has it.
ModelContext scale(ModelContext, const BlockAt&, std::optional<double>);

/// Whether scores are multiplied with 1/√d_k, and the other way: off where they are, else on. The model's own
/// scale is no change.
bool is_divided(const ModelContext&, const BlockAt&);
ModelContext toggled_division(ModelContext, const BlockAt&);

/// How many changes there are: those of blocks, then those of heads, as ModelChanges has them.
std::size_t count_changes(const ModelContext&);
/// One of them in words: "layer 3 · ÷√dₖ off · MLP off", "head 1.5 · zeroed". Of encoder-decoders the place
/// names the attention: "cross-attention 3", "encoder head 1.5".
struct ChangeWords {
  std::string place;              // "layer 3"
  std::vector<std::string> what;  // "÷√dₖ off", "MLP off"; never none
  std::string line() const;
};
ChangeWords words_of_change(const ModelContext&, std::size_t index);
std::vector<ChangeWords> list_of_changes(const ModelContext&);
/// Without that one.
ModelContext without_change(ModelContext, std::size_t index);
ModelContext without_changes(ModelContext);

/// Another text; tokens that were appended to the one before go, as those of the decoder's text do. Throws
/// Error when it is not valid UTF-8.
ModelContext text(ModelContext, std::string);
ModelContext second_text(ModelContext, std::optional<std::string>);
ModelContext decoder_text(ModelContext, std::string);
/// Whether the model's format puts its own tokens around the text: a beginning, [CLS], [SEP].
ModelContext special_tokens(ModelContext, bool wanted);
/// The text is what a user says in a chat, whose template is told this day, "2026-11-27" (see
/// ModelText::chat_day); nothing: it is a text.
ModelContext chat(ModelContext, std::optional<std::string> day);
/// These tokens in the place of a text: "464, 3290" or "[464 3290]". Throws Error where there is none, or
/// something that is no token of the model.
ModelContext token_ids(ModelContext, std::string_view numbers);
ModelContext image(ModelContext, std::filesystem::path);
/// One token more behind what was said.
ModelContext appended(ModelContext, std::int64_t token);
/// With the first `count` of the appended tokens alone.
ModelContext continued_up_to(ModelContext, std::int64_t count);

}  // namespace attnscope::edit
