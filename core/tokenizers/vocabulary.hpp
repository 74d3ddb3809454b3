// core/tokenizers: the tokens of a model and their ids.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace attnscope::tokenizers {

using Id = std::int32_t;
inline constexpr Id no_id = -1;

struct IdOf {
  std::string token{};
  Id id = no_id;
};

/// Immutable; ids may have gaps.
class Vocabulary {
 public:
  /// Throws Error naming the token if an id occurs twice, is negative or is far above the number of tokens.
  /// If equal tokens have different ids, id() gives the last one.
  explicit Vocabulary(std::vector<IdOf> tokens);
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  /// no_id if there is no such token.
  Id id(std::string_view token) const {
    const auto found = ids_.find(token);
    return found == ids_.end() ? no_id : found->second;
  }
  /// Null if there is no such id.
  const std::string* token(Id id) const {
    return id >= 0 && id < limit() && places_[static_cast<std::size_t>(id)] >= 0
               ? &tokens_[static_cast<std::size_t>(places_[static_cast<std::size_t>(id)])].token
               : nullptr;
  }
  const std::vector<IdOf>& tokens() const { return tokens_; }
  /// One more than the largest id.
  Id limit() const { return static_cast<Id>(places_.size()); }

 private:
  std::vector<IdOf> tokens_;
  std::vector<std::int32_t> places_;  // by id: the index into tokens_; -1 = none
  std::unordered_map<std::string_view, Id> ids_;
};

}  // namespace attnscope::tokenizers
