#include "core/tokenizers/word_level.hpp"

namespace attnscope::tokenizers {

void WordLevel::encode(std::string_view word, bool, std::vector<WordToken>& to) const {
  const Id known = vocabulary().id(word);
  to.push_back({known != no_id ? known : unknown_, 0, static_cast<std::uint32_t>(word.size())});
}

}  // namespace attnscope::tokenizers
