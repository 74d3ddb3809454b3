// core/edits: the ways a person changes what is inside a model, and what it reads. Each takes a Within and
// returns one; what the model does not have is refused in a sentence, as an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/document/within.hpp"

namespace attnscope::edit {

/// One attention of a block.
struct BlockAt {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0;
  bool operator==(const BlockAt&) const = default;
};

/// Which attention and block is looked at.
Within looked_at(Within, const BlockAt&);

/// Changes a head, in the place of what was done to it in the same rows; a change that holds everywhere takes
/// the place of all.
Within put(Within, const HeadChange&);
/// Takes the same change away where it is there, else puts it.
Within toggled(Within, const HeadChange&);
/// The head as the model has it.
Within restored_head(Within, const BlockAt&, int head);

/// What is changed of a block; one that changes nothing where there is none.
BlockChange change_of(const Within&, const BlockAt&);
/// In the place of all that was changed of the block; none where it changes nothing.
Within put(Within, const BlockChange&);
/// Likewise one thing at a time; mlp_off() of cross-attention is that of the decoder's block.
Within attention_off(Within, const BlockAt&, bool off);
Within mlp_off(Within, const BlockAt&, bool off);
Within mask_off(Within, const BlockAt&, bool off);
Within causal(Within, const BlockAt&, bool on);
Within temperature(Within, const BlockAt&, double);
/// What q·k is multiplied with; nothing = as the model has it.
Within scale(Within, const BlockAt&, std::optional<double>);

/// Whether scores are multiplied with 1/√d_k, and the other way: off where they are, else on. The model's own
/// scale is no change.
bool is_divided(const Within&, const BlockAt&);
Within toggled_division(Within, const BlockAt&);

/// How many changes there are: those of blocks, then those of heads, as ModelChanges has them.
std::size_t count_changes(const Within&);
/// One of them in words: "layer 3 · ÷√dₖ off · MLP off", "head 1.5 · zeroed". Of encoder-decoders the place
/// names the attention: "cross-attention 3", "encoder head 1.5".
struct ChangeWords {
  std::string place;              // "layer 3"
  std::vector<std::string> what;  // "÷√dₖ off", "MLP off"; never none
  std::string line() const;
};
ChangeWords words_of_change(const Within&, std::size_t index);
std::vector<ChangeWords> list_of_changes(const Within&);
/// Without that one.
Within without_change(Within, std::size_t index);
Within without_changes(Within);

/// Another text; tokens that were appended to the one before go, as those of the decoder's text do. Throws
/// Error when it is not valid UTF-8.
Within text(Within, std::string);
Within second_text(Within, std::optional<std::string>);
Within decoder_text(Within, std::string);
/// Whether the model's format puts its own tokens around the text: a beginning, [CLS], [SEP].
Within special_tokens(Within, bool wanted);
/// The text is what a user says in a chat, whose template is told this day, "2026-11-27" (see
/// ModelText::chat_day); nothing: it is a text.
Within chat(Within, std::optional<std::string> day);
/// These tokens in the place of a text: "464, 3290" or "[464 3290]". Throws Error where there is none, or
/// something that is no token of the model.
Within token_ids(Within, std::string_view numbers);
Within image(Within, std::filesystem::path);
/// One token more behind what was said.
Within appended(Within, std::int64_t token);
/// With the first `count` of the appended tokens alone.
Within continued_up_to(Within, std::int64_t count);

}  // namespace attnscope::edit
