// core/tokenizers/chat: a template rendered as Jinja does with transformers' settings. It knows the part of
// the language that chat templates use; what it does not know is a problem with a name, never another text.
#pragma once

#include <string>
#include <vector>

#include "core/tokenizers/chat/jinja.hpp"
#include "core/tokenizers/chat/jinja_source.hpp"

namespace attnscope::tokenizers {

/// `variables` is a JSON object; a null in it is none, as in Python. A text of more than 4 MB, texts of more
/// than 64 MB together, two million steps and deep recursion are problems, too. Any number of threads may
/// call it. Throws nothing but std::bad_alloc.
JinjaText run_jinja(const std::vector<JinjaPiece>&, const std::string& variables, const Day& today);

}  // namespace attnscope::tokenizers
