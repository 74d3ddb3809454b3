// app/views/model: what is wrong with a file of texts, so that it can be said in any language.
#pragma once

#include <string>

#include "core/models/opened/opened_model.hpp"

namespace attnscope {

/// The sentence with marks, see Words: what stands behind "Line 3 of "a.txt":" is a text by itself; the name
/// of the model's family and its masked token are no words of a language.
std::string list_problem(const std::string& sentence, const OpenedModel&);

}  // namespace attnscope
