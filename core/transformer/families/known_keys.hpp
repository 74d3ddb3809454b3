// core/transformer/families: which keys of a config.json may be there: those that are read, those that change
// no number, and those whose value means that they are off.
#pragma once

#include <string_view>

#include "core/transformer/families/config_object.hpp"

namespace attnscope {

/// Throws FieldError saying that the value would change what a model of the family computes.
[[noreturn]] void refuse_change(const ConfigObject&, const Family&, std::string_view name,
                                const nlohmann::json& value);

/// Throws FieldError unless the key is missing or has the value that another setting implies.
void need_implied(const ConfigObject&, const Family&, std::string_view name, int implied);

/// Throws FieldError naming the first key that is neither read for the family nor harmless, unless its value
/// means that it is off: null, false, 0, NaN or empty, and for factors and counts 1. Of names on no list a
/// list, an object, NaN and Infinity pass, too: as notes of the program that wrote the file.
void refuse_unknown_keys(const ConfigObject&, const Family&);

}  // namespace attnscope
