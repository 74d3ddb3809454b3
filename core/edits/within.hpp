// core/edits: Documents that stand in a model: what of them is said and what follows from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/document/document.hpp"

namespace attnscope {

/// Without what follows from the model: input, layer, sizes. Two Documents that say the same compare equal,
/// whatever has been computed of them. A lone layer as it is.
Document what_is_said(const Document&);

/// Texts that can be typed: those of the sequences of a lone layer that came as text; of a model its text,
/// and what the decoder has said where it reads a text of its own.
std::size_t typed_texts(const Document&);
const std::string& typed_text(const Document&, std::size_t index);
/// Which of them the queries of the shown layer are of: of a batch that of the sequence, of a model with two
/// texts that of the attention that is looked at.
std::size_t text_in_sight(const Document&, std::int64_t sequence);

namespace edit {

/// edit::text() of a lone layer. In a model: the text that it reads; tokens that were appended are dropped
/// with it. Throws Error when it is not valid UTF-8.
Document typed_text(Document, std::size_t index, std::string text);

}  // namespace edit
}  // namespace attnscope
