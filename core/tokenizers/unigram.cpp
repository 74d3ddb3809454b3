#include "core/tokenizers/unigram.hpp"

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"
#include "core/tokenizers/text/byte_alphabet.hpp"
#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {
namespace {

constexpr double unknown_penalty = 10;

/// The best segmentation up to a byte: its last token and where that token begins.
struct Step {
  double score = -std::numeric_limits<double>::infinity();
  std::uint32_t begin = 0;
  Id id = no_id;
  bool reached = false;
};

}  // namespace

Unigram::Unigram(std::shared_ptr<const Vocabulary> tokens, UnigramSettings settings)
    : Model(std::move(tokens)), settings_(std::move(settings)) {
  if (settings_.scores.size() < static_cast<std::size_t>(vocabulary().limit())) {
    throw Error("The unigram vocabulary has tokens without a score.");
  }
  double lowest = settings_.scores.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (const auto& [token, id] : vocabulary().tokens()) {
    trie_.insert(token, id);
    lowest = std::min(lowest, settings_.scores[static_cast<std::size_t>(id)]);
  }
  unknown_score_ = lowest - unknown_penalty;
  if (settings_.byte_fallback) {
    fallback_.emplace();
    for (unsigned byte = 0; byte < 256; ++byte) {
      (*fallback_)[byte] = vocabulary().id(fallback_token(static_cast<unsigned char>(byte)));
    }
  }
}

void Unigram::encode(std::string_view word, bool, std::vector<WordToken>& to) const {
  std::vector<Step> steps(word.size() + 1);
  steps[0] = {0, 0, no_id, true};
  for (std::size_t at = 0; at < word.size();) {
    const double score = steps[at].score;
    const std::size_t size = character_size(word[at]);
    bool has_character = false;
    const auto offer = [&](std::size_t length, Id id, double token_score) {
      Step& end = steps[at + length];
      if (end.reached && !(score + token_score > end.score)) return;
      end = {score + token_score, static_cast<std::uint32_t>(at), id, true};
    };
    trie_.prefixes(word.substr(at), [&](std::size_t length, Id id) {
      offer(length, id, settings_.scores[static_cast<std::size_t>(id)]);
      has_character = has_character || length == size;
    });
    if (!has_character) offer(size, settings_.unknown, unknown_score_);
    at += size;
  }
  std::vector<WordToken> backwards;
  for (std::size_t end = word.size(); end > 0; end = steps[end].begin) {
    const Step& step = steps[end];
    if (!backwards.empty() && step.id == settings_.unknown && backwards.back().id == step.id) {
      backwards.back().begin = step.begin;
    } else {
      backwards.push_back({step.id, step.begin, static_cast<std::uint32_t>(end)});
    }
  }
  for (auto token = backwards.rbegin(); token != backwards.rend(); ++token) {
    if (token->id == settings_.unknown) {
      add_unknown(word, token->begin, token->end, to);
    } else {
      to.push_back(*token);
    }
  }
}

void Unigram::add_unknown(std::string_view word, std::size_t begin, std::size_t end,
                          std::vector<WordToken>& to) const {
  const WordToken all{settings_.unknown, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  const std::string_view text = word.substr(begin, end - begin);
  const auto token_of = [&](char byte) { return (*fallback_)[static_cast<unsigned char>(byte)]; };
  if (!fallback_ ||
      std::any_of(text.begin(), text.end(), [&](char byte) { return token_of(byte) == no_id; })) {
    to.push_back(all);
    return;
  }
  for (const char byte : text) to.push_back({token_of(byte), all.begin, all.end});
}

}  // namespace attnscope::tokenizers
