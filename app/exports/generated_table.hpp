// app/exports: the tokens that a model appended to its text, as a table, for the list of steps on the screen
// and for files.
#pragma once

#include "app/kit/table.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {

/// One row per step. `with_text`: preceded by a row for the text that they follow, as on the screen. The
/// reading must have a generation; the table refers to it and must not outlive it.
Table generated_table(const ModelReading&, bool with_text);

/// The token that this row of the table appends; null: the row is the text.
const GeneratedToken* generated_by(const ModelReading&, std::size_t row, bool with_text);

}  // namespace attnscope
