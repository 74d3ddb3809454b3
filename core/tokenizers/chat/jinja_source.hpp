// core/tokenizers/chat: normalises a chat template: resolves Jinja's white space control and the escapes in
// strings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope::tokenizers {

/// The template with white space around its tags resolved as by Jinja with trim_blocks and lstrip_blocks
/// (transformers' settings), comments emptied, and strings in double quotes with no escapes but \" and \\.
/// Throws Error, one sentence without the name of the file, if it is longer than 32 KB or has too many tags,
/// if a tag or a string does not end, if brackets do not match, or if transformers' sandbox would refuse it
/// (jinja_sandbox.hpp).
std::string resolved_jinja(std::string_view source);

struct JinjaPiece {
  char kind = 'd';   // 'd': plain text; '{': {{ … }}; '%': {% … %}
  std::string text;  // without the tag's delimiters
};
/// The same template split into pieces.
std::vector<JinjaPiece> jinja_pieces(std::string_view source);

}  // namespace attnscope::tokenizers
