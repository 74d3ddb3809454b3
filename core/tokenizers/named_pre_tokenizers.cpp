#include "core/tokenizers/named_pre_tokenizers.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::tokenizers {
namespace {

/// Every expression cuts what the ones before it have left whole.
struct NamedPreTokenizer {
  std::string_view name;
  std::vector<const char*> expressions;
};

const std::vector<NamedPreTokenizer>& known_pre_tokenizers() {
  static const std::vector<NamedPreTokenizer> known{
      {"default", {gpt2_expression}},
      {"gpt-2", {gpt2_expression}},
      {"llama-bpe",
       {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}},
      {"qwen2",
       {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}},
      {"smollm", {R"(\p{N})", gpt2_expression}},
  };
  return known;
}

}  // namespace

PreTokenizer named_pre_tokenizer(std::string_view name) {
  std::string names;
  for (const NamedPreTokenizer& known : known_pre_tokenizers()) {
    if (known.name == name) {
      PreTokenizer made;
      for (const char* expression : known.expressions) made.push_back(Split{Regex(expression)});
      made.push_back(ByteLevel{.use_expression = false});
      return made;
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  }
  throw Error(fmt::format("The pre-tokenizer {} is not supported, only {}.", in_quotes(name, 40), names));
}

}  // namespace attnscope::tokenizers
