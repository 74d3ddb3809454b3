// core/files/formats: JSON from files, checked: strict syntax, no duplicate keys, no deep nesting, and errors
// that name the source and the key. It includes the JSON library, so include it in .cpp files where possible.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/tensor.hpp"
#include "core/document/document.hpp"
#include "core/document/enum_names.hpp"

namespace attnscope {

/// Throws Error naming `where` and the line and column.
nlohmann::json parse_strict_json(std::string_view text, const std::string& where);
/// As above, for JSON that Python wrote: NaN, Infinity and -Infinity, which JSON does not allow, become the
/// strings "NaN", "Infinity" and "-Infinity".
nlohmann::json parse_python_json(std::string_view text, const std::string& where);
/// "line 3, column 5" for a byte offset.
std::string line_and_column(std::string_view text, std::size_t byte);

/// A value that does not fit, or an unknown key; key() names it, so that a damaged file can be read without
/// it.
class FieldError : public Error {
 public:
  FieldError(const std::string& where, std::string key, std::string problem);
  const std::string& key() const { return key_; }          // "mask.window.left"
  const std::string& problem() const { return problem_; }  // the sentence without the file's name

 private:
  std::string key_, problem_;
};

/// One object whose keys are read one by one; finish() then refuses the keys that were not read. Every getter
/// returns `fallback` if the key is missing and throws FieldError, naming the key and what was found, if the
/// value does not fit. References passed to the constructor must outlive the object.
class JsonFields {
 public:
  /// `path` names the object in messages: "" for the document, "mask" for the object under that key.
  JsonFields(const nlohmann::json& value, std::string path, const std::string& where);

  /// What messages call a key of this object: "mask.window.left".
  std::string key(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }
  /// Null if there is no such key.
  const nlohmann::json* find(const std::string& name);
  bool boolean(const std::string& name, bool fallback);
  std::string text(const std::string& name, std::string fallback);
  /// Between 0 or `least` and `most`, both included.
  std::uint64_t whole(const std::string& name, std::uint64_t fallback, std::uint64_t least,
                      std::uint64_t most);
  /// A finite float.
  float number(const std::string& name, float fallback);
  /// The index of the value in the list of allowed names.
  std::size_t choice(const std::string& name, std::size_t fallback,
                     std::initializer_list<std::string_view> names) {
    return choice(name, fallback, std::span(names.begin(), names.size()));
  }
  std::size_t choice(const std::string& name, std::size_t fallback, std::span<const std::string_view> names);
  /// An enumerator by its key (see enum_names.hpp).
  template <class E>
  E one_of(const std::string& name, E fallback) {
    constexpr auto keys = enum_column<E>(&EnumName::key);
    return static_cast<E>(choice(name, static_cast<std::size_t>(fallback), keys));
  }
  /// An int between `least` and `most`, both included and neither negative.
  int integer(const std::string& name, int fallback, int least, int most) {
    return static_cast<int>(whole(name, static_cast<std::uint64_t>(fallback),
                                  static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)));
  }
  /// Whole numbers from 0 to `most`, in an array.
  std::vector<std::int64_t> wholes(const std::string& name, std::uint64_t most);
  std::vector<std::string> texts(const std::string& name);
  std::vector<std::vector<std::string>> text_lists(const std::string& name);
  /// Nested arrays of `rank` levels; all rows have equal length and no level is empty. Null if the key is
  /// missing. Values are numbers or the strings "NaN", "Infinity", "-Infinity"; JSON null means -infinity if
  /// `null_hides`.
  TensorPtr tensor(const std::string& name, int rank, bool null_hides = false);

  [[noreturn]] void fail(const std::string& name, const std::string& expected,
                         const nlohmann::json& found) const;
  /// Throws FieldError if the object has a key that was never read.
  void finish() const;

 private:
  const nlohmann::json& value_;
  std::string path_;
  const std::string& where_;
  std::set<std::string> asked_;
};

/// document_from_json() for JSON that is already parsed.
Document document_from_value(const nlohmann::json&, const std::string& where);

}  // namespace attnscope
