// core/edits: where the blocks of numbers.hpp are kept in a Document, and how a changed one gets there. For
// the .cpp files of this room only.
#pragma once

#include <memory>

#include "core/edits/numbers.hpp"

namespace attnscope::edit {

/// Where the Document keeps the numbers of a block; null when it can have no such block. The place may be
/// empty: token vectors that were not edited, a bias that is off.
TensorPtr* stored(Document&, Editable);
const TensorPtr* stored(const Document&, Editable);

/// The Document with another block of the same shape. Weights are Given from then on, and heads whose queries
/// or keys changed lose their names.
Document with_numbers(Document, Editable, std::shared_ptr<Tensor> numbers);

/// The same Document without the traces of editing where nothing differs from what was made: no edited
/// vectors, the recipe instead of Given, names of the heads that do again what they were built for.
Document as_made(Document);

/// One of the four matrices as BlockRecipe::drawn and its gain have it; null when it is not drawn by itself.
TensorPtr drawn_block(const Weights&, Projection, const Shape&);

}  // namespace attnscope::edit
