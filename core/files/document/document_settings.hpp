// core/files/document: the settings of a Document in its JSON form, as setting_table.hpp has them. For .cpp
// files of this room only.
#pragma once

#include <string>

#include "core/document/document.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/json_writer.hpp"

namespace attnscope {

/// The embedding that a file with this recipe means if it does not name one.
Embedding usual_embedding(Recipe);

/// Reads every setting that the object holds; the others keep their values. Throws FieldError.
void read_settings(JsonFields& root, const std::string& where, Document&);
/// The same for the settings of attention_only(), the others keep their values.
void read_attention_settings(JsonFields& root, const std::string& where, LayerSpec&);
void add_attention_settings(const LayerSpec&, JsonWriter&);
/// Writes every setting that differs from its default, and those that are always written.
void add_settings(const Document&, JsonWriter&);

}  // namespace attnscope
