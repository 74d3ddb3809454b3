#include "app/cli/models/model_facts.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/parts/model_note.hpp"
#include "app/session/session.hpp"
#include "core/base/error.hpp"
#include "core/document/enum_names.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
namespace {

/// The number of characters of a text that begin before a byte; fast if the bytes ascend.
class CharacterPlaces {
 public:
  explicit CharacterPlaces(std::string_view text) : text_(text) {}

  std::size_t before(std::size_t byte) {
    for (; at_ < byte; ++at_) count_ += begins(at_);
    for (; at_ > byte; --at_) count_ -= begins(at_ - 1);
    return count_;
  }

 private:
  std::size_t begins(std::size_t at) const { return (static_cast<unsigned char>(text_[at]) & 0xC0) != 0x80; }

  std::string_view text_;
  std::size_t at_ = 0, count_ = 0;
};

/// Writes {"ids": […], "tokens": […], "offsets": [[begin, end], …]} piece by piece: a text of megabytes has
/// millions of tokens.
class EncodingWriter {
 public:
  /// `give` is called with the pieces in order.
  EncodingWriter(const tokenizers::Tokenizer& tokenizer, std::function<void(std::string_view)> give)
      : tokenizer_(tokenizer),
        give_(std::move(give)),
        quoted_(static_cast<std::size_t>(tokenizer.vocabulary_size())) {}

  void write(std::string_view text) {
    out_ = "{";
    write_rest(text, {});
  }
  /// For a text that contains its special tokens already.
  void write_chat(const std::string& text) {
    out_ = "{\"text\":" + nlohmann::json(text).dump() + ",";
    write_rest(text, {.add_special_tokens = false});
  }

 private:
  void write_rest(std::string_view text, const tokenizers::EncodeOptions& options) {
    const tokenizers::Encoding encoding = tokenizer_.encode(text, options);
    write_list("\"ids\":[", encoding,
               [&](const tokenizers::EncodedToken& token) { out_ += fmt::to_string(token.id); });
    write_list("],\"tokens\":[", encoding,
               [&](const tokenizers::EncodedToken& token) { out_ += quoted(token); });
    CharacterPlaces places(text);
    write_list("],\"offsets\":[", encoding, [&](const tokenizers::EncodedToken& token) {
      const std::size_t begin = places.before(token.range.begin);
      fmt::format_to(std::back_inserter(out_), "[{},{}]", begin, places.before(token.range.end));
    });
    out_ += "]}";
    flush();
  }
  template <class Write>
  void write_list(std::string_view begin, const tokenizers::Encoding& encoding, Write write_one) {
    constexpr std::size_t piece = 1 << 20;
    out_ += begin;
    for (const tokenizers::EncodedToken& token : encoding.tokens) {
      if (&token != &encoding.tokens.front()) out_ += ',';
      write_one(token);
      if (out_.size() > piece) flush();
    }
  }
  const std::string& quoted(const tokenizers::EncodedToken& token) {
    std::string& text = quoted_[static_cast<std::size_t>(token.id)];
    if (text.empty()) text = nlohmann::json(token.text).dump();
    return text;
  }
  void flush() {
    give_(out_);
    out_.clear();
  }

  const tokenizers::Tokenizer& tokenizer_;
  std::function<void(std::string_view)> give_;
  std::vector<std::string> quoted_;  // JSON text of each id; empty until it is needed
  std::string out_;
};

void to_stdout(std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); }

std::string position_words(const StackSpec& stack) {
  const Positions positions = stack.positions();
  if (is_rotary(positions)) {
    const auto rotated = std::ranges::count(stack.blocks, positions, &LayerSpec::positions);
    if (rotated == std::ssize(stack.blocks)) return "rotary";
    return fmt::format("rotary in {} of {} layers", rotated, stack.blocks.size());
  }
  if (positions == Positions::RelativeBuckets) return "relative buckets";
  return std::string(enum_name(positions).words);
}

void print_stack(const char* name, const StackSpec& stack) {
  const LayerSpec& one = stack.blocks[0];
  fmt::print("{}: {} layer{}, {} head{} of {}", name, stack.blocks.size(),
             stack.blocks.size() == 1 ? "" : "s", one.heads, one.heads == 1 ? "" : "s", one.d_k);
  if (one.kv_heads != one.heads) fmt::print(", {} of keys and values", one.kv_heads);
  fmt::print("; positions: {}; MLP: {}{}\n", position_words(stack), one.block.gated ? "gated " : "",
             name_of(one.block.activation));
  if (std::ranges::any_of(stack.blocks, [](const LayerSpec& block) { return window_of(block) > 0; })) {
    fmt::print("  windows:");
    for (const LayerSpec& block : stack.blocks)
      fmt::print(" {}", window_of(block) == 0 ? "all" : fmt::to_string(window_of(block)));
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
  fmt::print("logits of {} class{} of {}:", classes.size(), classes.size() == 1 ? "" : "es",
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

void tokenize_lines(ModelAtHand& model, bool json) {
  EncodingWriter writer(model.tokenizer(), to_stdout);
  std::string line;
  for (int number = 1; std::getline(std::cin, line); ++number) {
    try {
      if (json) {
        const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
        if (!value.is_string()) throw Error("it is no JSON string.");
        line = value.get<std::string>();
      }
      writer.write(line);
      to_stdout("\n");
    } catch (const Error& error) {
      throw Error(fmt::format("Line {}: {}", number, error.what()));
    }
  }
}

void tokenize_chat(ModelAtHand& model, const ChatOptions& chat) {
  EncodingWriter(model.tokenizer(), to_stdout).write_chat(chat_text(model.files(), model.tokenizer(), chat));
  to_stdout("\n");
}

std::string encodings_of_texts(ModelAtHand& model, std::span<const std::string> texts) {
  std::string all = "[";
  EncodingWriter writer(model.tokenizer(), [&](std::string_view piece) { all += piece; });
  for (const std::string& text : texts) {
    if (&text != texts.data()) all += ',';
    writer.write(text);
  }
  return all + "]";
}

std::string encodings_of_chat(ModelAtHand& model, const ChatOptions& chat) {
  std::string all = "[";
  EncodingWriter(model.tokenizer(), [&](std::string_view piece) {
    all += piece;
  }).write_chat(chat_text(model.files(), model.tokenizer(), chat));
  return all + "]";
}

void print_model(const std::filesystem::path& folder) {
  refuse_folder_without_model(folder);
  const ModelPtr model = open_model(folder);
  say_note(*model);
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
