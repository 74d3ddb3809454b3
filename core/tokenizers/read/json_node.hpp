// core/tokenizers/read: one value of a tokenizer file with its path, so that errors can name it. Only .cpp
// files of this room include it, since it includes the JSON library.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace attnscope::tokenizers {

/// Every getter throws Error beginning with the path if a value does not fit. Null counts as missing. The
/// value must outlive the node.
class JsonNode {
 public:
  JsonNode(const nlohmann::json* value, std::string path) : value_(value), path_(std::move(path)) {}

  explicit operator bool() const { return value_ != nullptr && !value_->is_null(); }
  /// A field of this object; converts to false if it is missing. Throws Error if this node is not an object.
  JsonNode operator[](const std::string& name) const;
  /// The elements of this array; none if it is missing.
  std::vector<JsonNode> elements() const;
  const nlohmann::json& value() const { return *value_; }
  const std::string& path() const { return path_; }

  std::string text() const;
  std::string text_or(std::string fallback) const { return *this ? text() : std::move(fallback); }
  bool boolean_or(bool fallback) const;
  std::uint64_t whole(std::uint64_t most) const;
  std::uint64_t whole_or(std::uint64_t fallback, std::uint64_t most) const {
    return *this ? whole(most) : fallback;
  }
  double number() const;
  /// A string of exactly one character.
  std::string character_or(std::string fallback) const;

  /// Throws Error: "`path` must be `expected`, found …."
  [[noreturn]] void fail(const std::string& expected) const;
  /// Throws Error: "`path` type "Foo" is not supported."
  [[noreturn]] void refuse_type(const std::string& type) const;

 private:
  const nlohmann::json* value_;
  std::string path_;
};

}  // namespace attnscope::tokenizers
