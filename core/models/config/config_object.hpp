// core/models: one object of config.json, read key by key with suspicion. For .cpp files of this room only,
// since it brings the JSON library along.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/files/formats/json_reader.hpp"
#include "core/models/config/families.hpp"

namespace attnscope {

/// The keys of an object, of which a missing one and one that is null mean the same. References and the path
/// given to the constructor must outlive it. Every getter throws FieldError, a sentence that names the file,
/// the key, what was found and what was expected.
class ConfigObject {
 public:
  ConfigObject(const nlohmann::json& value, std::string path, const std::string& where,
               std::span<const KeyAlias> aliases = {});

  /// Under its own name or another spelling of it; null when there is none. Throws where two spellings say
  /// different things.
  const nlohmann::json* find(std::string_view name) const;
  /// Also when it is null.
  bool has(std::string_view name) const;
  int whole(std::string_view name, int fallback, int least, int most) const;
  /// Above 0, or at least 0.
  double number(std::string_view name, double fallback, bool positive = true) const;
  bool boolean(std::string_view name, bool fallback) const;
  std::string text(std::string_view name, std::string_view fallback) const;
  ConfigObject object(std::string_view name) const { return {*find(name), key(name), where_}; }

  [[noreturn]] void fail(std::string_view name, const std::string& expected,
                         const nlohmann::json& found) const;
  [[noreturn]] void refuse(std::string_view name, const std::string& problem) const;
  const nlohmann::json& value() const { return value_; }
  const std::string& where() const { return where_; }
  /// "rope_parameters.factor".
  std::string key(std::string_view name) const;

 private:
  const nlohmann::json* under(std::string_view name) const;

  const nlohmann::json& value_;
  std::string path_;
  const std::string& where_;
  std::span<const KeyAlias> aliases_;
};

/// A value in a message: shortened, printable.
std::string shown(const nlohmann::json&);

}  // namespace attnscope
