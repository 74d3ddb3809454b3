// core/edits: access to the blocks of numbers.hpp in a Document, for reading and replacing. For the .cpp
// files of this folder only.
#pragma once

#include <memory>

#include "core/edits/numbers.hpp"

namespace attnscope::edit {

/// The place in the Document of a block's numbers; null if the Document cannot have such a block. The place
/// may hold null: token vectors that were not edited, a bias that is off.
TensorPtr* stored(Document&, Editable);
const TensorPtr* stored(const Document&, Editable);

/// The Document with the block replaced by one of the same shape. Weights become Given, and heads whose
/// queries or keys changed lose their names.
Document with_numbers(Document, Editable, std::shared_ptr<Tensor> numbers);

/// The Document without marks of editing where the numbers equal the made ones: no edited vectors, the recipe
/// instead of Given, and the names of heads whose weights are again those they were built with.
Document as_made(Document);

/// One of the four matrices, made by BlockRecipe::drawn and its gain; null if it is not drawn separately.
TensorPtr drawn_block(const Weights&, Projection, const Shape&);

}  // namespace attnscope::edit
