// core/models/opened: a text as what a user says in a chat.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/tokenizers/chat/chat_template.hpp"
#include "core/tokenizers/text/characters.hpp"

namespace attnscope {

struct UserChat {
  std::string text;  // what the chat template made: special tokens stand in it
  /// Where in it the user's words stand, without the white space that the template strips; of size 0 where it
  /// changes them.
  std::size_t at = 0, size = 0;
  std::size_t skipped = 0;  // bytes of the user's words in front of that

  /// A part of `text` as a part of what the user said; nothing where it comes from the template.
  std::optional<tokenizers::Range> in_said(const tokenizers::Range&) const;
};

/// With the default template, which is told `day`, "2026-11-27". Throws Error with a sentence.
UserChat user_chat(const tokenizers::ChatFormat&, const std::string& said, const std::string& day);

}  // namespace attnscope
