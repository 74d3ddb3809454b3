#include "core/tokenizers/tokenizer.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::tokenizers {
namespace {

// The number and length of words whose tokens are cached during an encode().
constexpr std::size_t most_kept_words = 1 << 18, longest_kept_word = 64;

void check_text(std::string_view text) {
  if (text.size() > max_encoded_bytes) throw Error("A text of more than a gigabyte cannot be tokenized.");
  if (const auto at = first_invalid_utf8(text)) {
    throw Error(fmt::format("The text is not valid UTF-8 at byte {}.", *at));
  }
}

}  // namespace

std::vector<Id> Encoding::ids() const {
  std::vector<Id> ids;
  ids.reserve(tokens.size());
  for (const EncodedToken& token : tokens) ids.push_back(token.id);
  return ids;
}

Tokenizer::Tokenizer(TokenizerParts parts)
    : parts_(std::move(parts)), added_(std::move(parts_.added_tokens), parts_.normalizer) {
  const Vocabulary& vocabulary = parts_.model->vocabulary();
  known_.resize(static_cast<std::size_t>(vocabulary.limit()));
  for (const auto& [text, id] : vocabulary.tokens()) known_[static_cast<std::size_t>(id)].text = &text;
  const auto most = 4 * static_cast<std::int64_t>(vocabulary.limit()) + 65'536;
  std::set<Id> ids;
  for (const AddedToken& token : added_.tokens()) {
    const std::string name = in_quotes(token.text, 40);
    const Id known = vocabulary.id(token.text);
    const std::string* other = vocabulary.token(token.id);
    if (token.text.empty()) throw Error("An added token has no text.");
    if (token.id < 0 || token.id >= most) {
      throw Error(fmt::format("The added token {} has the id {}, which is out of range.", name, token.id));
    }
    if ((other != nullptr && *other != token.text) || !ids.insert(token.id).second) {
      throw Error(
          fmt::format("The added token {} has the id {}, which another token has too.", name, token.id));
    }
    if (known != no_id && known != token.id) {
      throw Error(
          fmt::format("The added token {} has the id {}, but {} in the vocabulary.", name, token.id, known));
    }
    const auto at = static_cast<std::size_t>(token.id);
    if (at >= known_.size()) known_.resize(at + 1);
    known_[at] = {&token.text, token.special};
  }
  for (const Template* format : {&parts_.post_processor.single, &parts_.post_processor.pair}) {
    for (const TemplatePart& part : *format) {
      for (const Id id : part.ids) {
        if (token(id) == nullptr)
          throw Error(fmt::format("The post-processor puts the id {}, which no token has.", id));
      }
    }
  }
}

/// One call of encode(); caches the tokens of repeated words.
class Tokenizer::Run {
 public:
  Run(const Tokenizer& tokenizer, const EncodeOptions& options) : tokenizer_(tokenizer), options_(options) {}

  std::vector<EncodedToken> encode(std::string_view text, int sequence, std::vector<Untold>& untold) {
    check_text(text);
    sequence_ = sequence;
    untold_ = &untold;
    made_.clear();
    for (const Section& section : tokenizer_.added_.find_raw(text, options_.find_special_tokens)) {
      if (section.id != no_id) {
        add(section.id, section.range);
      } else {
        encode_raw(AlignedText(text, section.range));
      }
    }
    return std::move(made_);
  }

 private:
  void encode_raw(AlignedText text) {
    normalize(tokenizer_.parts_.normalizer, text);
    const std::vector<Section> sections =
        tokenizer_.added_.find_normalized(text.text(), options_.find_special_tokens);
    if (sections.size() == 1 && sections[0].id == no_id) return encode_normalized(std::move(text));
    for (const Section& section : sections) {
      if (section.id != no_id) {
        add(section.id, text.source(section.range));
      } else {
        encode_normalized(text.slice(section.range));
      }
    }
  }

  void encode_normalized(AlignedText text) {
    Words words(std::move(text));
    pre_tokenize(tokenizer_.parts_.pre_tokenizer, words);
    if (words.bytes && !tokenizer_.parts_.model->takes_bytes()) words.spell_bytes();
    // A word has at least one token: reserving here avoids growing the list again and again.
    if (const std::size_t least = made_.size() + words.ranges.size(); least > made_.capacity())
      made_.reserve(std::max(least, 2 * made_.capacity()));
    for (const Range& word : words.ranges) {
      for (const WordToken& token : tokens_of(cut(words.text.text(), word), words.bytes)) {
        const Range range = words.text.source({word.begin + token.begin, word.begin + token.end});
        if (token.id != no_id) {
          add(token.id, range);
        } else {
          untold_->push_back({sequence_, range});
        }
      }
    }
  }

  std::span<const WordToken> tokens_of(std::string_view word, bool bytes) {
    if (const auto found = places_.find(word); found != places_.end()) {
      return std::span(kept_).subspan(found->second.first, found->second.second);
    }
    const bool is_kept = word.size() <= longest_kept_word && places_.size() < most_kept_words;
    std::vector<WordToken>& to = is_kept ? kept_ : passing_;
    if (!is_kept) to.clear();
    const std::size_t begin = to.size();
    tokenizer_.parts_.model->encode(word, bytes, to);
    if (is_kept) places_.emplace(word, std::pair(begin, to.size() - begin));
    return std::span(to).subspan(begin);
  }

  void add(Id id, Range range) {
    made_.push_back({.id = id,
                     .text = *tokenizer_.token(id),
                     .range = range,
                     .special = tokenizer_.is_special(id),
                     .sequence = sequence_});
  }

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  const Tokenizer& tokenizer_;
  const EncodeOptions& options_;
  int sequence_ = 0;
  std::vector<Untold>* untold_ = nullptr;
  std::vector<EncodedToken> made_;
  std::unordered_map<std::string, std::pair<std::size_t, std::size_t>, TextHash, std::equal_to<>> places_;
  std::vector<WordToken> kept_, passing_;
};

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  const std::string_view texts[] = {text};
  return put_together(texts, options);
}

Encoding Tokenizer::encode(std::string_view text, std::string_view pair, const EncodeOptions& options) const {
  const std::string_view texts[] = {text, pair};
  return put_together(texts, options);
}

Encoding Tokenizer::put_together(std::span<const std::string_view> texts,
                                 const EncodeOptions& options) const {
  Encoding encoding;
  Run run(*this, options);
  std::vector<EncodedToken> tokens[2];
  for (std::size_t i = 0; i < texts.size(); ++i) {
    tokens[i] = run.encode(texts[i], static_cast<int>(i), encoding.untold);
    if (parts_.post_processor.trim) trim_ranges(*parts_.post_processor.trim, added_, texts[i], tokens[i]);
  }
  const PostProcessor& post = parts_.post_processor;
  const Template& format = texts.size() == 1 ? post.single : post.pair;
  for (const TemplatePart& part : format) {
    if (part.sequence >= 0) {
      std::vector<EncodedToken>& sequence = tokens[part.sequence];
      for (EncodedToken& token : sequence) token.type_id = part.type_id;
      if (encoding.tokens.empty() && format.size() == 1) {
        encoding.tokens = std::move(sequence);
      } else {
        encoding.tokens.reserve(encoding.tokens.size() + sequence.size() + format.size());
        encoding.tokens.insert(encoding.tokens.end(), sequence.begin(), sequence.end());
      }
    } else if (options.add_special_tokens) {
      for (const Id id : part.ids) {
        encoding.tokens.push_back({.id = id, .text = *token(id), .special = true, .type_id = part.type_id});
      }
    }
  }
  return encoding;
}

std::string Tokenizer::decode(std::span<const Id> ids, bool skip_special) const {
  std::vector<std::string> tokens;
  for (const Id id : ids) {
    const std::string* text = token(id);
    if (text != nullptr && !(skip_special && is_special(id))) tokens.push_back(*text);
  }
  return decode_tokens(parts_.decoder, std::move(tokens));
}

std::string Tokenizer::piece(Id id) const {
  const std::string* text = token(id);
  if (text == nullptr) return {};
  return added_.by_id(id) != nullptr ? *text : show_token(parts_.decoder, *text);
}

Id Tokenizer::id(std::string_view token) const {
  const Id known = parts_.model->vocabulary().id(token);
  if (known != no_id) return known;
  const AddedToken* added = added_.by_text(token);
  return added == nullptr ? no_id : added->id;
}

std::string Tokenizer::normalized(std::string_view text) const {
  check_text(text);
  AlignedText aligned(text, {0, text.size()});
  normalize(parts_.normalizer, aligned);
  return aligned.text();
}

std::vector<Tokenizer::Word> Tokenizer::words(std::string_view text) const {
  check_text(text);
  AlignedText aligned(text, {0, text.size()});
  normalize(parts_.normalizer, aligned);
  Words cut_words(std::move(aligned));
  pre_tokenize(parts_.pre_tokenizer, cut_words);
  cut_words.spell_bytes();
  std::vector<Word> made;
  for (const Range& word : cut_words.ranges) {
    made.push_back({std::string(cut(cut_words.text.text(), word)), cut_words.text.source(word)});
  }
  return made;
}

}  // namespace attnscope::tokenizers
