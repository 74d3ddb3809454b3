// core/tokenizers/chat: renders a template as Jinja does with transformers' settings. Supports the part of
// the language that chat templates use; anything else gives a named problem, never a different text.
#pragma once

#include <string>
#include <vector>

#include "core/text/day.hpp"
#include "core/tokenizers/chat/jinja.hpp"
#include "core/tokenizers/chat/jinja_source.hpp"

namespace attnscope::tokenizers {

/// `variables` is a JSON object; null becomes Python's None. Texts above 4 MB, more than 64 MB of texts
/// together, more than two million steps, and deep recursion are problems, too. Thread-safe. Throws only
/// std::bad_alloc.
JinjaText run_jinja(const std::vector<JinjaPiece>&, const std::string& variables, const Day& today);

}  // namespace attnscope::tokenizers
