#include "core/files/formats/json_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_set>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr int max_depth = 32;

/// The value as found, short enough for a message.
std::string describe(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
    case json::value_t::boolean:
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
    case json::value_t::number_float: return value.dump();
    case json::value_t::string: return in_quotes(value.get_ref<const std::string&>(), 40);
    case json::value_t::array: return value.empty() ? "an empty array" : "an array";
    default: return "an object";
  }
}

/// Reads nested arrays as numbers; the first element of each level sets the length of the others.
class TensorReader {
 public:
  TensorReader(const json& value, int rank, bool null_hides) : null_hides_(null_hides) {
    const json* level = &value;
    for (int axis = 0; axis < rank; ++axis) {
      if (!level->is_array() || level->empty()) {
        problem_ = level;
        return;
      }
      sizes_.push_back(static_cast<std::int64_t>(level->size()));
      level = &level->front();
    }
    read(value, 0);
  }

  /// The first value that does not fit; null if all do.
  const json* problem() const { return problem_; }
  TensorPtr take() { return std::make_shared<const Tensor>(Shape(std::span(sizes_)), std::move(values_)); }

 private:
  void read(const json& value, std::size_t axis) {
    if (axis == sizes_.size()) {
      read_number(value);
    } else if (!value.is_array() || static_cast<std::int64_t>(value.size()) != sizes_[axis]) {
      problem_ = &value;
    } else {
      for (const json& element : value) {
        read(element, axis + 1);
        if (problem_ != nullptr) return;
      }
    }
  }

  void read_number(const json& value) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (value.is_number() && std::isfinite(value.get<float>())) {
      values_.push_back(value.get<float>());
    } else if (value == "NaN") {
      values_.push_back(std::numeric_limits<float>::quiet_NaN());
    } else if (value == "Infinity") {
      values_.push_back(infinity);
    } else if (value == "-Infinity" || (null_hides_ && value.is_null())) {
      values_.push_back(-infinity);
    } else {
      problem_ = &value;
    }
  }

  bool null_hides_;
  std::vector<std::int64_t> sizes_;
  std::vector<float> values_;
  const json* problem_ = nullptr;
};

}  // namespace

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", line, before.size() - start + 1);
}

FieldError::FieldError(const std::string& where, std::string key, std::string problem)
    : Error(fmt::format("{}: {}", in_quotes(where), problem)),
      key_(std::move(key)),
      problem_(std::move(problem)) {}

json parse_strict_json(std::string_view text, const std::string& where) {
  if (const auto at = first_invalid_utf8(text)) {
    throw Error(fmt::format("{} is not valid UTF-8 at {}.", in_quotes(where), line_and_column(text, *at)));
  }
  std::vector<std::unordered_set<std::string>> keys;  // of the open objects
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth > max_depth) {
      throw Error(fmt::format("{} nests deeper than {} levels.", in_quotes(where), max_depth));
    }
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw Error(fmt::format("{} has the key {} twice.", in_quotes(where),
                              in_quotes(parsed.get_ref<const std::string&>())));
    }
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& error) {
    throw Error(fmt::format("{} is not valid JSON at {}.", in_quotes(where),
                            line_and_column(text, error.byte > 0 ? error.byte - 1 : 0)));
  } catch (const json::exception&) {
    throw Error(fmt::format("{} holds a number that is too large.", in_quotes(where)));
  }
}

json parse_python_json(std::string_view text, const std::string& where) {
  constexpr std::array<std::string_view, 3> words{"NaN", "Infinity", "-Infinity"};
  std::string quoted;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\') {
      quoted += text.substr(i++, 2);
      continue;
    }
    if (text[i] == '"') in_string = !in_string;
    const auto word = std::ranges::find_if(
        words, [&](std::string_view one) { return !in_string && text.substr(i).starts_with(one); });
    if (word == words.end()) {
      quoted += text[i];
      continue;
    }
    quoted += '"';
    quoted += *word;
    quoted += '"';
    i += word->size() - 1;
  }
  // If nothing was quoted, parse the original text, so that messages give places in the file.
  return parse_strict_json(quoted.size() == text.size() ? text : quoted, where);
}

JsonFields::JsonFields(const json& value, std::string path, const std::string& where)
    : value_(value), path_(std::move(path)), where_(where) {
  if (!value.is_object()) {
    throw Error(fmt::format("{}: {} must be an object, found {}.", in_quotes(where),
                            path_.empty() ? "the document" : in_quotes(path_), describe(value)));
  }
}

const json* JsonFields::find(const std::string& name) {
  asked_.insert(name);
  const auto found = value_.find(name);
  return found == value_.end() ? nullptr : &*found;
}

bool JsonFields::boolean(const std::string& name, bool fallback) {
  const json* value = find(name);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) fail(name, "true or false", *value);
  return value->get<bool>();
}

std::string JsonFields::text(const std::string& name, std::string fallback) {
  const json* value = find(name);
  if (value == nullptr) return fallback;
  if (!value->is_string()) fail(name, "a string", *value);
  return value->get<std::string>();
}

std::uint64_t JsonFields::whole(const std::string& name, std::uint64_t fallback, std::uint64_t least,
                                std::uint64_t most) {
  const json* value = find(name);
  if (value == nullptr) return fallback;
  const bool fits = value->is_number_unsigned() && value->get<std::uint64_t>() >= least &&
                    value->get<std::uint64_t>() <= most;
  if (!fits) fail(name, fmt::format("a whole number from {} to {}", least, most), *value);
  return value->get<std::uint64_t>();
}

float JsonFields::number(const std::string& name, float fallback) {
  const json* value = find(name);
  if (value == nullptr) return fallback;
  if (!value->is_number() || !std::isfinite(value->get<float>())) {
    fail(name, "a number that a float can hold", *value);
  }
  return value->get<float>();
}

std::vector<std::int64_t> JsonFields::wholes(const std::string& name, std::uint64_t most) {
  const json* value = find(name);
  if (value == nullptr) return {};
  const std::string expected = fmt::format("an array of whole numbers from 0 to {}", most);
  if (!value->is_array()) fail(name, expected, *value);
  for (const json& element : *value) {
    if (!element.is_number_unsigned() || element.get<std::uint64_t>() > most) fail(name, expected, element);
  }
  return value->get<std::vector<std::int64_t>>();
}

std::size_t JsonFields::choice(const std::string& name, std::size_t fallback,
                               std::span<const std::string_view> names) {
  const json* value = find(name);
  if (value == nullptr) return fallback;
  std::string expected;
  for (const std::string_view& candidate : names) {
    if (*value == candidate) return static_cast<std::size_t>(&candidate - names.data());
    expected += fmt::format("{}\"{}\"", expected.empty() ? "" : " or ", candidate);
  }
  fail(name, expected, *value);
}

std::vector<std::string> JsonFields::texts(const std::string& name) {
  const json* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_array()) fail(name, "an array of strings", *value);
  for (const json& element : *value) {
    if (!element.is_string()) fail(name, "an array of strings", element);
  }
  return value->get<std::vector<std::string>>();
}

std::vector<std::vector<std::string>> JsonFields::text_lists(const std::string& name) {
  const json* value = find(name);
  if (value == nullptr) return {};
  const std::string expected = "an array of arrays of strings that are not empty";
  if (!value->is_array()) fail(name, expected, *value);
  for (const json& list : *value) {
    if (!list.is_array()) fail(name, expected, list);
    for (const json& element : list) {
      if (!element.is_string() || element == "") fail(name, expected, element);
    }
  }
  return value->get<std::vector<std::vector<std::string>>>();
}

TensorPtr JsonFields::tensor(const std::string& name, int rank, bool null_hides) {
  const json* value = find(name);
  if (value == nullptr) return nullptr;
  TensorReader reader(*value, rank, null_hides);
  if (reader.problem() == nullptr) return reader.take();
  const std::string expected = rank == 1 ? "an array of numbers"
                                         : fmt::format(
                                               "arrays nested {} deep with rows of equal length and numbers "
                                               "a float can hold in them",
                                               rank);
  fail(name, expected, *reader.problem());
}

void JsonFields::fail(const std::string& name, const std::string& expected, const json& found) const {
  throw FieldError(where_, key(name),
                   fmt::format("{} must be {}, found {}.", in_quotes(key(name)), expected, describe(found)));
}

void JsonFields::finish() const {
  for (const auto& [name, ignored] : value_.items()) {
    if (!asked_.contains(name)) {
      throw FieldError(where_, key(name),
                       fmt::format("{} is not a key of an AttnScope document.", in_quotes(key(name))));
    }
  }
}

}  // namespace attnscope
