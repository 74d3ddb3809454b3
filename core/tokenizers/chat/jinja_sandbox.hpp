// core/tokenizers/chat: what a template is refused for before it is read.
#pragma once

#include <string>
#include <vector>

namespace attnscope::tokenizers {

/// `tags`: what stands in each {{ … }} and {% … %}, with "s" for each of its strings and "" for empty ones.
/// Throws Error, a sentence, where a list is changed or something else than a variable of its own gets a
/// field, so that a value could contain itself (transformers' sandbox refuses that, too); and where a
/// template divides by something unknown, repeats a text without a limit, cuts with steps or splits at a text
/// that may be empty.
void check_sandbox(const std::vector<std::string>& tags);

}  // namespace attnscope::tokenizers
