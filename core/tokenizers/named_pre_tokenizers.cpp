#include "core/tokenizers/named_pre_tokenizers.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::tokenizers {
namespace {

constexpr const char* llama3_expression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* tekken_expression =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr const char* gpt4o_expression =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

struct KnownName {
  std::vector<std::string_view> names;
  std::vector<const char*> expressions;  // each cuts the pieces that the one before it has made
  bool ignore_merges = false, adds_begin = false;
};

const std::vector<KnownName>& known_names() {
  static const std::vector<KnownName> known{
      // Also used by llama.cpp for files without a name.
      {{"default"}, {R"([\p{P}\$\+<=>\^~\|]+)", gpt2_expression, R"(\p{N}+)", "[0-9][0-9][0-9]"}},
      {{"gpt-2", "phi-2", "mpt", "olmo"}, {gpt2_expression}},
      {{"llama-bpe", "llama3", "llama-v3", "falcon3"}, {llama3_expression}, true, true},
      {{"dbrx", "smaug-bpe"}, {llama3_expression}},
      {{"qwen2", "deepseek-r1-qwen", "stablelm2"}, {qwen2_expression}},
      {{"smollm", "starcoder", "refact", "command-r", "codeshell"}, {R"(\p{N})", gpt2_expression}},
      {{"tekken"}, {tekken_expression}, true, true},
      {{"gpt-4o"}, {gpt4o_expression}},
      {{"falcon"}, {R"([\p{P}\$\+<=>\^~\|`]+)", gpt2_expression, "[0-9][0-9][0-9]"}},
      {{"deepseek-coder"},
       {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", "[一-龥ࠀ-一가-\uD7FF]+", R"(\p{N})"}},
  };
  return known;
}

}  // namespace

NamedPreTokenizer named_pre_tokenizer(std::string_view name) {
  std::string names;
  for (const KnownName& known : known_names()) {
    if (std::ranges::find(known.names, name) != known.names.end()) {
      NamedPreTokenizer made{
          .steps = {}, .ignore_merges = known.ignore_merges, .adds_begin = known.adds_begin};
      for (const char* expression : known.expressions)
        made.steps.emplace_back(std::in_place_type<Split>, Split{Regex(expression)});
      made.steps.emplace_back(std::in_place_type<ByteLevel>, ByteLevel{.use_expression = false});
      return made;
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", fmt::join(known.names, ", "));
  }
  throw Error(fmt::format("The pre-tokenizer {} is not supported, only {}.", in_quotes(name, 40), names));
}

}  // namespace attnscope::tokenizers
