#include "core/files/import/dump_facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/limits.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/shown_labels.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 19> known_keys{"layout",         "tokens",         "key_tokens",
                                                      "query_tokens",   "source_tokens",  "target_tokens",
                                                      "encoder_tokens", "decoder_tokens", "axes",
                                                      "text",           "causal",         "positions_applied",
                                                      "rope_base",      "rope_dims",      "rope_interleaved",
                                                      "scale",          "W_O_layout",     "format",
                                                      "labels"};
/// The keys for the tokens of keys and of queries in cross-attention; the first that is present counts.
constexpr std::array<std::string_view, 4> key_lists{"key_tokens", "source_tokens", "encoder_tokens",
                                                    "tokens"};
constexpr std::array<std::string_view, 3> query_lists{"query_tokens", "target_tokens", "decoder_tokens"};
constexpr std::array<std::string_view, 4> axis_names{"batch", "heads", "queries", "keys"};

/// Reads the keys of one dump, each once.
class FactReader {
 public:
  FactReader(const Metadata& metadata, const std::string& place) : metadata_(metadata), place_(place) {}

  DumpFacts read() const {
    DumpFacts facts;
    facts.tokens_first = either("layout", "heads first", "tokens first");
    facts.output_first = either("W_O_layout", "input first", "output first");
    facts.causal = either("causal", "false", "true");
    facts.positions_applied = either("positions_applied", "false", "true");
    facts.rope_interleaved = either("rope_interleaved", "false", "true");
    if (const auto base = number("rope_base", "a number above 1", [](double x) { return x > 1; }))
      facts.rope_base = static_cast<float>(*base);
    const auto fits = [](double x) { return x >= 2 && x <= 8192 && std::fmod(x, 2) == 0; };
    if (const auto dims = number("rope_dims", "an even number from 2 to 8192", fits))
      facts.rope_dims = static_cast<int>(*dims);
    facts.scaling = scaling();
    if (const std::string* text = find("text")) {
      if (text->empty()) refuse("text", "is empty, expected a text");
      facts.text = *text;
    }
    facts.tokens = first_of(key_lists);
    facts.query_tokens = first_of(query_lists);
    facts.axes = axes();
    return facts;
  }

 private:
  [[noreturn]] void refuse(std::string_view key, const std::string& what) const {
    throw Error(fmt::format("{}: {} {}.", place_, in_quotes(key), what));
  }

  const std::string* find(const std::string& key) const {
    const auto found = metadata_.find(key);
    return found == metadata_.end() ? nullptr : &found->second;
  }

  /// false for `no`, true for `yes`.
  std::optional<bool> either(const std::string& key, std::string_view no, std::string_view yes) const {
    const std::string* value = find(key);
    if (value == nullptr) return std::nullopt;
    if (*value != no && *value != yes)
      refuse(key,
             fmt::format("is {}, expected {} or {}", in_quotes(*value, 40), in_quotes(no), in_quotes(yes)));
    return *value == yes;
  }

  static std::optional<double> number_in(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && std::isfinite(static_cast<float>(value)) ? std::optional(value) : std::nullopt;
  }

  template <class Fits>
  std::optional<double> number(const std::string& key, std::string_view expected, Fits fits) const {
    const std::string* text = find(key);
    if (text == nullptr) return std::nullopt;
    const std::optional<double> value = number_in(*text);
    if (!value || !fits(*value))
      refuse(key, fmt::format("is {}, expected {}", in_quotes(*text, 40), expected));
    return value;
  }

  std::optional<Scaling> scaling() const {
    const std::string* text = find("scale");
    if (text == nullptr) return std::nullopt;
    if (*text == "1/sqrt(d_k)") return Scaling{};
    if (*text == "off" || *text == "1" || *text == "1.0") return Scaling{Scaling::Kind::Off, 1};
    const std::optional<double> factor = number_in(*text);
    if (!factor)
      refuse("scale",
             fmt::format("is {}, expected a number, \"1/sqrt(d_k)\" or \"off\"", in_quotes(*text, 40)));
    return Scaling{Scaling::Kind::Factor, static_cast<float>(*factor)};
  }

  std::vector<std::string> list_of(const std::string& key, const json& list) const {
    std::vector<std::string> tokens;
    for (const json& token : list) {
      if (!token.is_string())
        refuse(key, fmt::format("holds {} at place {}, expected strings only",
                                token.dump(-1, ' ', true).substr(0, 40), tokens.size()));
      tokens.push_back(token.get<std::string>());
    }
    return either("labels", "readable", "as they are").value_or(false) ? spelled_labels(tokens)
                                                                       : shown_labels(tokens);
  }

  /// The list under the first of these keys that is present.
  template <std::size_t count>
  std::vector<std::vector<std::string>> first_of(const std::array<std::string_view, count>& keys) const {
    for (const std::string_view key : keys)
      if (find(std::string(key)) != nullptr) return tokens(std::string(key));
    return {};
  }

  /// "batch queries keys": some of the axes in their order, separated by spaces or commas.
  std::vector<std::string> axes() const {
    const std::string* text = find("axes");
    std::vector<std::string> words;
    if (text == nullptr) return words;
    std::string word;
    for (const char c : *text + " ") {
      if (c >= 'a' && c <= 'z') {
        word += c;
      } else if (!word.empty()) {
        words.push_back(std::exchange(word, {}));
      }
    }
    std::size_t next = 0;
    for (const std::string& one : words) {
      while (next < axis_names.size() && axis_names[next] != one) ++next;
      ++next;
    }
    if (words.empty() || next > axis_names.size() || words.back() != "keys")
      refuse("axes",
             fmt::format("is {}, expected some of \"batch heads queries keys\" in this order, the last "
                         "one among them",
                         in_quotes(*text, 40)));
    return words;
  }

  std::vector<std::vector<std::string>> tokens(const std::string& key) const {
    const std::string* text = find(key);
    if (text == nullptr) return {};
    const json list = json::parse(*text, nullptr, false);
    if (!list.is_array() || list.empty())
      refuse(key, fmt::format("is {}, expected a JSON array of strings", in_quotes(*text, 40)));
    if (!list.front().is_array()) return {list_of(key, list)};
    std::vector<std::vector<std::string>> lists;
    for (const json& inner : list) {
      if (!inner.is_array()) refuse(key, "mixes strings and arrays, expected one array for each sequence");
      lists.push_back(list_of(key, inner));
    }
    return lists;
  }

  const Metadata& metadata_;
  const std::string& place_;
};

}  // namespace

DumpFacts facts_from(const Metadata& metadata, const std::string& place) {
  return FactReader(metadata, place).read();
}

Metadata read_sidecar(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / sidecar_name;
  std::error_code missing;
  if (!std::filesystem::is_regular_file(path, missing)) return {};
  const json value = parse_strict_json(read_whole(path, max_json_bytes), path.native());
  if (!value.is_object())
    throw Error(in_quotes(path.native()) + " holds no object, expected {\"tokens\": …}.");
  Metadata metadata;
  for (const auto& [key, entry] : value.items()) {
    if (std::find(known_keys.begin(), known_keys.end(), key) == known_keys.end())
      throw Error(fmt::format("{}: the key {} is not known, expected one of {}.", in_quotes(path.native()),
                              in_quotes(key, 40), fmt::join(known_keys.begin(), known_keys.end() - 1, ", ")));
    metadata[key] = entry.is_string() ? entry.get<std::string>() : entry.dump();
  }
  return metadata;
}

}  // namespace attnscope
