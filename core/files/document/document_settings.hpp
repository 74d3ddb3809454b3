// core/files/document: the settings of a Document in its JSON form, as setting_table.hpp has them. For .cpp
// files of this room only.
#pragma once

#include <string>

#include "core/document/document.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/json_writer.hpp"

namespace attnscope {

/// The embedding that goes with weights of that recipe: what a file means that does not say it.
Embedding usual_embedding(Recipe);

/// Every setting that the object holds; the others stay as they are. Throws FieldError.
void read_settings(JsonFields& root, const std::string& where, Document&);
/// Every setting that is not as usual, and those that are always said.
void add_settings(const Document&, JsonWriter&);

}  // namespace attnscope
