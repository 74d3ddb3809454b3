// app/views/model: errors about a file of texts, in a form that can be translated.
#pragma once

#include <string>

#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// The sentence with marks, see Words: the text after "Line 3 of "a.txt":" is translated by itself; the
/// model's family and its masked token are not translated.
std::string list_problem(const std::string& sentence, const OpenedModel&);

}  // namespace attnscope
