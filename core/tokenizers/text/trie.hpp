// core/tokenizers/text: a trie of words, and the hash table with 64-bit keys that it uses.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope::tokenizers {

/// A map from 64-bit keys (any but ~0) to values; keys are never removed.
template <class Value>
class FlatMap {
 public:
  const Value* find(std::uint64_t key) const {
    if (entries_.empty()) return nullptr;
    for (std::size_t at = slot(key);; at = (at + 1) & (entries_.size() - 1)) {
      if (entries_[at].first == key) return &entries_[at].second;
      if (entries_[at].first == free_key) return nullptr;
    }
  }
  /// A later value for the same key replaces the earlier one.
  void assign(std::uint64_t key, Value value) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    std::size_t at = slot(key);
    while (entries_[at].first != key && entries_[at].first != free_key) at = (at + 1) & (entries_.size() - 1);
    if (entries_[at].first == free_key) ++size_;
    entries_[at] = {key, value};
  }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint64_t free_key = ~std::uint64_t{0};

  std::size_t slot(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> shift_);
  }
  void grow() {
    const std::vector<std::pair<std::uint64_t, Value>> old = std::move(entries_);
    shift_ = old.empty() ? 60 : shift_ - 1;
    entries_.assign(old.empty() ? 16 : 2 * old.size(), {free_key, Value{}});
    size_ = 0;
    for (const auto& [key, value] : old) {
      if (key != free_key) assign(key, value);
    }
  }

  std::vector<std::pair<std::uint64_t, Value>> entries_;
  std::size_t size_ = 0;
  int shift_ = 60;
};

class Trie {
 public:
  Trie();

  /// A later id for the same word replaces the earlier one. `id` must not be negative; an empty word is never
  /// found.
  void insert(std::string_view word, std::int32_t id);
  /// Calls visit(length, id) for each word that `text` begins with, the shortest first.
  template <class Visit>
  void prefixes(std::string_view text, Visit visit) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      node = child(node, static_cast<unsigned char>(text[i]));
      if (node == 0) return;
      if (ids_[node] >= 0) visit(i + 1, ids_[node]);
    }
  }
  /// The longest such word; length 0 if there is none.
  std::pair<std::size_t, std::int32_t> longest(std::string_view text) const {
    std::pair<std::size_t, std::int32_t> found{0, -1};
    prefixes(text, [&](std::size_t length, std::int32_t id) { found = {length, id}; });
    return found;
  }
  bool begins_any(char byte) const { return first_[static_cast<unsigned char>(byte)] != 0; }

 private:
  static std::uint64_t key(std::uint32_t node, unsigned char byte) { return std::uint64_t{node} << 8 | byte; }
  std::uint32_t child(std::uint32_t node, unsigned char byte) const {
    if (node == 0) return first_[byte];
    const std::uint32_t* found = children_.find(key(node, byte));
    return found == nullptr ? 0 : *found;
  }

  std::array<std::uint32_t, 256> first_{};  // the root's children; 0 = none
  FlatMap<std::uint32_t> children_;
  std::vector<std::int32_t> ids_;  // of each node; -1 = no word ends here
};

}  // namespace attnscope::tokenizers
