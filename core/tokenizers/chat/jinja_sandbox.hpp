// core/tokenizers/chat: checks that refuse a template before it is parsed.
#pragma once

#include <string>
#include <vector>

namespace attnscope::tokenizers {

/// `tags`: the contents of each {{ … }} and {% … %}, with each string literal replaced by "s", or by "" if it
/// is empty. Throws Error if a template changes a list, or sets a field of anything but its own variable, so
/// that a value could contain itself (transformers' sandbox refuses that, too); and if it divides by an
/// unknown number, repeats a text without a limit, slices with a step, or splits at a text that may be empty.
void check_sandbox(const std::vector<std::string>& tags);

}  // namespace attnscope::tokenizers
