// core/tokenizers/chat: a chat template as Jinja reads it, with its white space and the escapes of its
// strings resolved.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope::tokenizers {

/// The same template with white space around its tags resolved as Jinja does with trim_blocks and
/// lstrip_blocks (transformers' settings), comments emptied and strings in double quotes with no escapes but
/// \" and \\. Throws Error, one sentence without the name of the file: it is longer than 32 KB or has too
/// many tags, a tag or a string does not end, brackets do not fit, transformers' sandbox refuses it
/// (jinja_sandbox.hpp).
std::string resolved_jinja(std::string_view source);

struct JinjaPiece {
  char kind = 'd';   // 'd': text as it stands; '{': {{ … }}; '%': {% … %}
  std::string text;  // without the tag's signs
};
/// The same template in pieces.
std::vector<JinjaPiece> jinja_pieces(std::string_view source);

}  // namespace attnscope::tokenizers
