#include "core/transformer/families/config_object.hpp"

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {

using nlohmann::json;

ConfigObject::ConfigObject(const json& value, std::string path, const std::string& where,
                           std::span<const KeyAlias> aliases)
    : value_(value), path_(std::move(path)), where_(where), aliases_(aliases) {
  if (!value.is_object()) fail("", "an object", value);
}

const json* ConfigObject::under(std::string_view name) const {
  const auto at = value_.find(std::string(name));
  return at == value_.end() || at->is_null() ? nullptr : &*at;
}

const json* ConfigObject::find(std::string_view name) const {
  if (name.empty()) return nullptr;
  const json* found = under(name);
  for (const auto& [alias, own] : aliases_) {
    if (own != name) continue;
    const json* other = under(alias);
    if (other == nullptr) continue;
    if (found != nullptr && *found != *other)
      refuse(name, fmt::format("it is {}, and {}, another spelling of it, is {}.", shown(*found), key(alias),
                               shown(*other)));
    found = other;
  }
  return found;
}

bool ConfigObject::has(std::string_view name) const { return value_.contains(std::string(name)); }

int ConfigObject::whole(std::string_view name, int fallback, int least, int most) const {
  const json* found = find(name);
  if (found == nullptr) return fallback;
  const std::string expected = fmt::format("a whole number from {} to {}", least, most);
  if (!found->is_number_integer()) fail(name, expected, *found);
  const bool huge =
      found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  if (huge || found->get<std::int64_t>() < least || found->get<std::int64_t>() > most)
    fail(name, expected, *found);
  return found->get<int>();
}

double ConfigObject::number(std::string_view name, double fallback, bool positive) const {
  const json* found = find(name);
  if (found == nullptr) return fallback;
  const double value = found->is_number() ? found->get<double>() : -1;
  if (!std::isfinite(value) || value < 0 || (positive && value == 0))
    fail(name, positive ? "a number above 0" : "a number from 0 on", *found);
  // Settings are floats.
  if (const auto stored = static_cast<float>(value); !std::isfinite(stored) || (stored == 0) != (value == 0))
    fail(name, "a number that float32 holds", *found);
  return value;
}

bool ConfigObject::boolean(std::string_view name, bool fallback) const {
  const json* found = find(name);
  if (found == nullptr) return fallback;
  if (!found->is_boolean()) fail(name, "true or false", *found);
  return found->get<bool>();
}

std::string ConfigObject::text(std::string_view name, std::string_view fallback) const {
  const json* found = find(name);
  if (found == nullptr) return std::string(fallback);
  if (!found->is_string()) fail(name, "a string", *found);
  return found->get<std::string>();
}

void ConfigObject::fail(std::string_view name, const std::string& expected, const json& found) const {
  throw FieldError(where_, key(name),
                   fmt::format("{} is {}; {} was expected.", key(name).empty() ? "It" : key(name),
                               shown(found), expected));
}

void ConfigObject::refuse(std::string_view name, const std::string& problem) const {
  throw FieldError(where_, key(name), fmt::format("{}: {}", key(name), problem));
}

std::string ConfigObject::key(std::string_view name) const {
  return path_.empty() ? std::string(name) : name.empty() ? path_ : path_ + "." + std::string(name);
}

Activation activation_named(const ConfigObject& config, std::string_view key, const std::string& name) {
  const std::optional<Activation> activation = activation_from(name);
  if (!activation)
    config.refuse(key, fmt::format("{} is no activation that is known here.", in_quotes(name, 60)));
  return *activation;
}

std::string shown(const json& value) {
  const std::string text = in_quotes(value.dump(-1, ' ', false, json::error_handler_t::replace), 60);
  return text.substr(1, text.size() - 2);
}

}  // namespace attnscope
