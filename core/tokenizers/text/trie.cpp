#include "core/tokenizers/text/trie.hpp"

namespace attnscope::tokenizers {

Trie::Trie() : ids_{-1} {}

void Trie::insert(std::string_view word, std::int32_t id) {
  std::uint32_t node = 0;
  for (const char letter : word) {
    const auto byte = static_cast<unsigned char>(letter);
    std::uint32_t next = child(node, byte);
    if (next == 0) {
      next = static_cast<std::uint32_t>(ids_.size());
      ids_.push_back(-1);
      if (node == 0) {
        first_[byte] = next;
      } else {
        children_.assign(key(node, byte), next);
      }
    }
    node = next;
  }
  ids_[node] = id;
}

}  // namespace attnscope::tokenizers
