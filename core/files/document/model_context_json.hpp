// core/files/document: the model that a Document stands in, as files keep it: where it lies and its
// fingerprint, what it reads and what is changed inside it; never its weights.
#pragma once

#include <string>

#include "core/document/model_context.hpp"
#include "core/files/formats/json_reader.hpp"

namespace attnscope {

/// The object under "model".
std::string model_context_json(const ModelContext&);
/// ModelContext::model is null: the caller opens the model at ModelContext::path. Throws FieldError.
ModelContext read_within(const nlohmann::json& value, const std::string& where);

}  // namespace attnscope
