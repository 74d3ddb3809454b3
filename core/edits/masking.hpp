// core/edits: words of an encoder's text behind the mask token that it was trained to fill, and back. The
// text itself has the masks; which word was there is kept beside it (ModelText::masked).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// Whether the model fills masks: it predicts masked tokens and its tokenizer knows the mask.
bool fills_masks(const OpenedModel&);
/// The word whose masks a row of the text's tokens is one of; nothing where it is none, or was typed.
std::optional<MaskedWord> masked_word(const ModelContext&, const ModelTokens&, std::int64_t row);
/// The token that a row had before it was masked.
std::optional<std::int64_t> masked_token(const ModelContext&, const ModelTokens&, std::int64_t row);
/// The word that toggled_mask() would mask; nothing where the row's token is of none.
std::optional<std::string> maskable_word(const ModelContext&, const ModelTokens&, std::int64_t row);
/// The masked words that are still masked where another text takes the place of the one that is read: those
/// in the part that both begin with or end with.
std::vector<MaskedWord> masked_words_kept(const ModelContext&, std::string_view text);

namespace edit {

/// The word that a row's token is of goes, with all its tokens, behind as many masks; where the row stands
/// for a mask that this made, the word comes back. Throws Error with a sentence where the model fills no
/// masks, where the token is of no word of the text, or where the mask was typed.
ModelContext toggled_mask(ModelContext, std::int64_t row);

}  // namespace edit
}  // namespace attnscope
