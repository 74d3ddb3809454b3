// core/edits: replacing words of an encoder's text by mask tokens, and back. The text itself contains the
// masks; the original words are kept in ModelText::masked.
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
/// The masked word that a row of the text's tokens belongs to; nullopt if the row is not a mask, or was
/// typed.
std::optional<MaskedWord> masked_word(const ModelContext&, const ModelTokens&, std::int64_t row);
/// The token that a row had before it was masked.
std::optional<std::int64_t> masked_token(const ModelContext&, const ModelTokens&, std::int64_t row);
/// The word that toggled_mask() would mask; nullopt if the row's token belongs to no word.
std::optional<std::string> maskable_word(const ModelContext&, const ModelTokens&, std::int64_t row);
/// The masked words that stay masked when the text is replaced: those in the common beginning or end of both
/// texts.
std::vector<MaskedWord> masked_words_kept(const ModelContext&, std::string_view text);

namespace edit {

/// Replaces the word of a row's token by as many masks as it has tokens; if the row is such a mask, restores
/// the word. Throws Error with a sentence if the model fills no masks, if the token belongs to no word of the
/// text, or if the mask was typed.
ModelContext toggled_mask(ModelContext, std::int64_t row);

}  // namespace edit
}  // namespace attnscope
