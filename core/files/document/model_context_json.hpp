// core/files/document: the ModelContext in its JSON form: the model's path and fingerprint, its inputs and
// the changes inside it; never its weights.
#pragma once

#include <string>

#include "core/document/model_context.hpp"
#include "core/files/formats/json_reader.hpp"

namespace attnscope {

/// The object for the key "model".
std::string model_context_json(const ModelContext&);
/// ModelContext::model is null: the caller opens the model at ModelContext::path. Throws FieldError.
ModelContext read_within(const nlohmann::json& value, const std::string& where);

}  // namespace attnscope
