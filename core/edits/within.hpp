// core/edits: Documents in a model: the part that is set by the user, as opposed to what follows from the
// model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/document/document.hpp"

namespace attnscope {

/// The Document without input, layer and sizes, which follow from the model. Two Documents with the same
/// settings compare equal, whatever has been computed for them. A single layer is returned unchanged.
Document what_is_said(const Document&);

/// The texts that can be typed. For a single layer with text input: those of its sequences. For a model: its
/// text, and its second text or the decoder's text if it has one; none if it reads an image.
std::size_t typed_texts(const Document&);
const std::string& typed_text(const Document&, std::size_t index);
/// The index of the text that the queries of the shown layer come from: the sequence of a batch; for
/// encoder-decoders the text of the attention on screen.
std::size_t shown_text_index(const Document&, std::int64_t sequence);

namespace edit {

/// edit::text() for a single layer. In a model: sets a text of its input and drops appended tokens. Throws
/// Error when it is not valid UTF-8.
Document typed_text(Document, std::size_t index, std::string text);

}  // namespace edit
}  // namespace attnscope
