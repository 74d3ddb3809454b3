// core/transformer/families: one object of config.json, read and checked key by key. Only .cpp files that
// read configs include it, since it includes the JSON library.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/files/formats/json_reader.hpp"
#include "core/transformer/families/family.hpp"

namespace attnscope {

// What sizes in configs may be at most.
inline constexpr int most_width = 65'536, most_blocks = 1024, most_vocabulary = 4'000'000,
                     most_positions = 1 << 24;

/// The keys of an object; a key that is null counts as missing. References and the path passed to the
/// constructor must outlive the object. Every getter throws FieldError naming the file, the key, what was
/// found and what was expected.
class ConfigObject {
 public:
  ConfigObject(const nlohmann::json& value, std::string path, const std::string& where,
               std::span<const KeyAlias> aliases = {});

  /// The value under the name or an alias; null if there is none. Throws FieldError if two spellings have
  /// different values.
  const nlohmann::json* find(std::string_view name) const;
  /// Also true for a key that is null.
  bool has(std::string_view name) const;
  int whole(std::string_view name, int fallback, int least, int most) const;
  /// Above 0, or at least 0 if not `positive`; within the range of floats.
  double number(std::string_view name, double fallback, bool positive = true) const;
  bool boolean(std::string_view name, bool fallback) const;
  std::string text(std::string_view name, std::string_view fallback) const;
  ConfigObject object(std::string_view name) const { return {*find(name), key(name), where_}; }

  [[noreturn]] void fail(std::string_view name, const std::string& expected,
                         const nlohmann::json& found) const;
  [[noreturn]] void refuse(std::string_view name, const std::string& problem) const;
  const nlohmann::json& value() const { return value_; }
  const std::string& where() const { return where_; }
  /// The key's full path: "rope_parameters.factor".
  std::string key(std::string_view name) const;

 private:
  const nlohmann::json* under(std::string_view name) const;

  const nlohmann::json& value_;
  std::string path_;
  const std::string& where_;
  std::span<const KeyAlias> aliases_;
};

/// Throws FieldError naming the key unless there is an activation of that name.
Activation activation_named(const ConfigObject&, std::string_view key, const std::string& name);

/// A value as messages print it: shortened, printable.
std::string shown(const nlohmann::json&);

}  // namespace attnscope
