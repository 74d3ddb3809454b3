#include "app/cli/model_facts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/models/model.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/read/load_tokenizer.hpp"

namespace attnscope {
namespace {

/// How many characters begin before each byte.
std::vector<std::size_t> characters_before(std::string_view text) {
  std::vector<std::size_t> count(text.size() + 1, 0);
  for (std::size_t i = 0; i < text.size(); ++i)
    count[i + 1] = count[i] + ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 ? 1 : 0);
  return count;
}

nlohmann::ordered_json encoded(const tokenizers::Tokenizer& tokenizer, const std::string& text) {
  const tokenizers::Encoding encoding = tokenizer.encode(text);
  const std::vector<std::size_t> before = characters_before(text);
  nlohmann::ordered_json ids = nlohmann::ordered_json::array(), tokens = ids, offsets = ids;
  for (const tokenizers::EncodedToken& token : encoding.tokens) {
    ids.push_back(token.id);
    tokens.push_back(token.text);
    offsets.push_back({before[token.range.begin], before[token.range.end]});
  }
  return {{"ids", ids}, {"tokens", tokens}, {"offsets", offsets}};
}

void print_stack(const char* name, const StackSpec& stack) {
  const AttentionSpec& one = stack.blocks[0];
  fmt::print("{}: {} layers, {} heads of {}", name, stack.blocks.size(), one.heads, one.d_k);
  if (one.kv_heads != one.heads) fmt::print(", {} of keys and values", one.kv_heads);
  constexpr std::array positions{"learned", "rotary", "ALiBi", "relative buckets"};
  fmt::print("; positions: {}; MLP: {}{}\n", positions[static_cast<std::size_t>(stack.positions)],
             stack.gated ? "gated " : "", name_of(stack.activation));
  if (std::ranges::any_of(stack.blocks, [](const AttentionSpec& block) { return block.window > 0; })) {
    fmt::print("  windows:");
    for (const AttentionSpec& block : stack.blocks)
      fmt::print(" {}", block.window == 0 ? "all" : fmt::to_string(block.window));
    fmt::print("\n");
  }
}

void print_head(const Model& model) {
  const ModelSpec& spec = model.spec;
  const char* const table = spec.tied ? "with the table of the embeddings" : "with a table of their own";
  switch (spec.head.kind) {
    case HeadKind::None: fmt::print("logits: none\n"); return;
    case HeadKind::NextToken: fmt::print("logits: {}\n", table); return;
    case HeadKind::MaskedToken: fmt::print("logits of masked tokens: {}\n", table); return;
    case HeadKind::AnswerSpan: fmt::print("logits of where an answer begins and ends\n"); return;
    case HeadKind::TokenClass:
    case HeadKind::SequenceClass: break;
  }
  const std::vector<std::string>& classes = spec.head.classes;
  constexpr std::size_t most_shown = 20;
  fmt::print("logits of {} classes of {}:", classes.size(),
             spec.head.kind == HeadKind::TokenClass ? "each token" : "the whole input");
  for (std::size_t i = 0; i < std::min(classes.size(), most_shown); ++i)
    fmt::print("{} {}", i == 0 ? "" : ",", printable(classes[i]));
  fmt::print("{}\n", classes.size() > most_shown ? ", …" : "");
}

void print_names(const char* what, const std::vector<std::string>& names) {
  fmt::print("{} tensors {}\n", names.size(), what);
  for (const std::string& name : names) fmt::print("  {}\n", printable(name));
}

}  // namespace

void tokenize_lines(const std::filesystem::path& folder, bool json) {
  const auto tokenizer = tokenizers::load_tokenizer(folder);
  std::string line;
  for (int number = 1; std::getline(std::cin, line); ++number) {
    try {
      std::string text = line;
      if (json) {
        const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
        if (!value.is_string()) throw Error("it is no JSON string.");
        text = value.get<std::string>();
      }
      fmt::print("{}\n", encoded(*tokenizer, text).dump());
    } catch (const Error& error) {
      throw Error(fmt::format("Line {}: {}", number, error.what()));
    }
  }
}

void print_model(const std::filesystem::path& folder) {
  const ModelPtr model = open_model(folder);
  const ModelSpec& spec = model->spec;
  fmt::print("{}{}\n", spec.family,
             spec.architecture.empty() ? "" : " (" + printable(spec.architecture) + ")");
  fmt::print("width {}, MLP {}, {} tokens", spec.d_model, spec.d_inner, spec.vocabulary);
  if (spec.max_positions > 0) fmt::print(", at most {} positions", spec.max_positions);
  fmt::print("\n");
  if (spec.encoder) print_stack("encoder", *spec.encoder);
  if (spec.decoder) print_stack("decoder", *spec.decoder);
  print_head(*model);
  print_names("used", model->used);
  print_names("ignored", model->ignored);
  print_names("missing", model->missing);
}

}  // namespace attnscope
