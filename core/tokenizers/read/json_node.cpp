#include "core/tokenizers/read/json_node.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {
namespace {

std::string what_is(const nlohmann::json* value) {
  if (value == nullptr) return "nothing";
  if (value->is_string()) return in_quotes(value->get_ref<const std::string&>(), 40);
  if (value->is_array()) return value->empty() ? "an empty array" : "an array";
  return value->is_object() ? "an object" : value->dump();
}

}  // namespace

JsonNode JsonNode::operator[](const std::string& name) const {
  std::string path = path_.empty() ? name : path_ + "." + name;
  if (!*this) return {nullptr, std::move(path)};
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(name);
  return {found == value_->end() ? nullptr : &*found, std::move(path)};
}

std::vector<JsonNode> JsonNode::elements() const {
  std::vector<JsonNode> found;
  if (!*this) return found;
  if (!value_->is_array()) fail("an array");
  for (std::size_t i = 0; i < value_->size(); ++i) {
    found.emplace_back(&(*value_)[i], fmt::format("{}[{}]", path_, i));
  }
  return found;
}

std::string JsonNode::text() const {
  if (!*this || !value_->is_string()) fail("a string");
  return value_->get<std::string>();
}

bool JsonNode::boolean_or(bool fallback) const {
  if (!*this) return fallback;
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

std::uint64_t JsonNode::whole(std::uint64_t most) const {
  if (!*this || !value_->is_number_unsigned() || value_->get<std::uint64_t>() > most) {
    fail(fmt::format("a whole number from 0 to {}", most));
  }
  return value_->get<std::uint64_t>();
}

double JsonNode::number() const {
  if (!*this || !value_->is_number()) fail("a number");
  return value_->get<double>();
}

std::string JsonNode::character_or(std::string fallback) const {
  std::string found = text_or(std::move(fallback));
  if (count_characters(found) != 1) fail("one character");
  return found;
}

void JsonNode::fail(const std::string& expected) const {
  throw Error(fmt::format("{} must be {}, found {}.", printable(path_), expected, what_is(value_)));
}

void JsonNode::refuse_type(const std::string& type) const {
  throw Error(fmt::format("{} type {} is not supported.", printable(path_), in_quotes(type, 40)));
}

}  // namespace attnscope::tokenizers
