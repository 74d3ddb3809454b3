// core/models/config: the head of a model, chosen from those of its family by the name of the architecture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/family.hpp"

namespace attnscope {

/// Null if the family has no such head, and for the plain next-token head of a decoder.
const HeadRow* find_head(const Family&, std::string_view architecture);

/// Names of classes by index: the head's own, or "id2label". Other entries (null, lists, objects) are
/// skipped: a wrong name is no reason to refuse weights.
std::vector<std::string> classes_of(const HeadRow&, const ConfigObject&);

}  // namespace attnscope
