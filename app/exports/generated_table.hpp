// app/exports: the tokens that a model appended to its text, as a table: the list of the steps on the screen,
// and the file.
#pragma once

#include "app/kit/table.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {

/// A row a step. `with_text`: before them a row for the text that they follow, as the screen has it. The
/// reading must have a generation; the table refers to it and must not outlive it.
Table generated_table(const ModelReading&, bool with_text);

/// What is appended by that row of the table; null: the row is the text.
const GeneratedToken* generated_by(const ModelReading&, std::size_t row, bool with_text);

}  // namespace attnscope
