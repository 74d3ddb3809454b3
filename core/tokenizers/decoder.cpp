#include "core/tokenizers/decoder.hpp"

#include <numeric>
#include <utility>

#include "core/text/utf8.hpp"
#include "core/tokenizers/text/byte_alphabet.hpp"

namespace attnscope::tokenizers {
namespace {

using Tokens = std::vector<std::string>;

std::string all_of(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += token;
  return text;
}

std::string replaced(std::string_view text, const Pattern& pattern, std::string_view by) {
  std::vector<Range> found;
  find_all(pattern, text, found);
  std::string made;
  std::size_t end = 0;
  for (const Range& match : found) {
    made += text.substr(end, match.begin - end);
    made += by;
    end = match.end;
  }
  return made += text.substr(end);
}

/// The token's bytes if it is in the byte alphabet, else the token itself.
std::string bytes_or_text(const std::string& token) { return from_byte_alphabet(token).value_or(token); }

void apply(const DecodeBytes&, Tokens& tokens) {
  std::string bytes;
  for (const std::string& token : tokens) bytes += bytes_or_text(token);
  tokens = {with_replacements(bytes)};
}

/// English contractions and punctuation to rejoin, in this order.
constexpr std::pair<std::string_view, std::string_view> cleanups[] = {
    {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
    {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};

void apply(const DecodeWordPiece& step, Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::string& token = tokens[i];
    if (i > 0) {
      if (!step.prefix.empty() && token.starts_with(step.prefix)) {
        token.erase(0, step.prefix.size());
      } else {
        token.insert(token.begin(), ' ');
      }
    }
    if (!step.cleanup) continue;
    for (const auto& [from, to] : cleanups) token = replaced(token, std::string(from), to);
  }
}

void apply(const DecodeMetaspace& step, Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = replaced(tokens[i], step.replacement, i == 0 && step.strip_first ? "" : " ");
  }
}

void apply(const DecodeSuffix& step, Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = replaced(tokens[i], step.suffix, i + 1 == tokens.size() ? "" : " ");
  }
}

void apply(const DecodeReplace& step, Tokens& tokens) {
  for (std::string& token : tokens) token = replaced(token, step.pattern, step.by);
}

void apply(const DecodeFallback&, Tokens& tokens) {
  Tokens made;
  std::string bytes;
  const auto end_bytes = [&] {
    if (is_valid_utf8(bytes)) {
      if (!bytes.empty()) made.push_back(bytes);
    } else {
      made.insert(made.end(), bytes.size(), "\uFFFD");
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const auto byte = byte_of_fallback_token(token)) {
      bytes += static_cast<char>(*byte);
    } else {
      end_bytes();
      made.push_back(std::move(token));
    }
  }
  end_bytes();
  tokens = std::move(made);
}

void apply(const DecodeFuse&, Tokens& tokens) { tokens = {all_of(tokens)}; }

void apply(const DecodeStrip& step, Tokens& tokens) {
  for (std::string& token : tokens) {
    for (std::size_t i = 0; i < step.left && token.starts_with(step.character); ++i) {
      token.erase(0, step.character.size());
    }
    for (std::size_t i = 0; i < step.right && token.ends_with(step.character); ++i) {
      token.erase(token.size() - step.character.size());
    }
  }
}

// show() applies a step to a single token.
void show(const DecodeBytes&, std::string& token) { token = bytes_or_text(token); }
void show(const DecodeMetaspace& step, std::string& token) { token = replaced(token, step.replacement, " "); }
void show(const DecodeReplace& step, std::string& token) { token = replaced(token, step.pattern, step.by); }
void show(const DecodeFallback&, std::string& token) {
  if (const auto byte = byte_of_fallback_token(token)) token = static_cast<char>(*byte);
}
template <class Other>
void show(const Other&, std::string&) {}

}  // namespace

std::string decode_tokens(const Decoder& decoder, std::vector<std::string> tokens) {
  if (decoder.empty()) {
    for (std::size_t i = 1; i < tokens.size(); ++i) tokens[i].insert(tokens[i].begin(), ' ');
  }
  for (const DecoderStep& step : decoder) {
    std::visit([&](const auto& one) { apply(one, tokens); }, step);
  }
  return all_of(tokens);
}

std::string show_token(const Decoder& decoder, std::string_view token) {
  std::string shown(token);
  for (const DecoderStep& step : decoder) {
    if (std::holds_alternative<DecodeReplace>(step) && !is_valid_utf8(shown))
      continue;  // already shown as stray bytes
    std::visit([&](const auto& one) { show(one, shown); }, step);
  }
  return with_stray_bytes_shown(shown);
}

}  // namespace attnscope::tokenizers
