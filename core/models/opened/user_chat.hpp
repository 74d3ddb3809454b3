// core/models/opened: a text as a user's message in a chat.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/tokenizers/chat/chat_template.hpp"
#include "core/tokenizers/text/characters.hpp"

namespace attnscope {

struct UserChat {
  std::string text;  // the rendered chat template, with its special tokens
  /// The place of the user's words in `text`, without the white space that the template strips; size 0 if the
  /// template changes them.
  std::size_t at = 0, size = 0;
  std::size_t skipped = 0;  // bytes of the user's words before that place

  /// The part of the user's words that a part of `text` holds; nothing if it comes from the template.
  std::optional<tokenizers::Range> in_said(const tokenizers::Range&) const;
};

/// With the default template, which gets the date `day`, "2026-11-27". Throws Error.
UserChat user_chat(const tokenizers::ChatFormat&, const std::string& said, const std::string& day);

}  // namespace attnscope
