// core/files/document: the model that a Document stands in, as files keep it: where it lies and its
// fingerprint, what it reads and what is changed inside it; never its weights.
#pragma once

#include <string>

#include "core/document/within.hpp"
#include "core/files/formats/json_reader.hpp"

namespace attnscope {

/// The object under "model".
std::string within_json(const Within&);
/// Within::model is null: the caller opens the model at Within::path. Throws FieldError.
Within read_within(const nlohmann::json& value, const std::string& where);

}  // namespace attnscope
