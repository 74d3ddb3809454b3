#include "core/tokenizers/bpe.hpp"

#include <queue>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/letters.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/text/byte_alphabet.hpp"
#include "core/tokenizers/text/characters.hpp"

namespace attnscope::tokenizers {
namespace {

/// A possible merge; the largest one is done first.
struct Candidate {
  std::uint32_t rank;
  std::int32_t at;
  Id made;

  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : at > other.at;
  }
};

std::string character_text(char32_t character) {
  std::string text;
  append_utf8(text, character);
  return text;
}

}  // namespace

Bpe::Bpe(std::shared_ptr<const Vocabulary> tokens, const BpeSettings& settings)
    : Model(std::move(tokens)),
      unknown_(settings.unknown),
      prefix_(settings.continuing_prefix),
      suffix_(settings.end_suffix),
      fuse_unknown_(settings.fuse_unknown),
      ignore_merges_(settings.ignore_merges) {
  std::string joined;
  for (std::size_t rank = 0; rank < settings.merges.size(); ++rank) {
    const std::string &left = settings.merges[rank].first, &right = settings.merges[rank].second;
    const bool continues = right.starts_with(prefix_);
    joined = left + right.substr(continues ? prefix_.size() : 0);
    const auto id_of_part = [&](const std::string& part) {
      const Id id = vocabulary().id(part);
      if (id != no_id) return id;
      throw Error(fmt::format("Merge {} of {} and {} needs {}, which is not in the vocabulary.", rank,
                              in_quotes(left, 40), in_quotes(right, 40), in_quotes(part, 80)));
    };
    const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(id_of_part(left))} << 32 |
                              static_cast<std::uint32_t>(id_of_part(right));
    merges_.assign(key, {static_cast<std::uint32_t>(rank), id_of_part(joined)});
  }
  for (const RankedMerge& merge : settings.ranked_merges) {
    const std::uint64_t key =
        std::uint64_t{static_cast<std::uint32_t>(merge.left)} << 32 | static_cast<std::uint32_t>(merge.right);
    merges_.assign(key, {merge.rank, merge.made});
  }
  for (const Id id : settings.whole) whole_.insert(*vocabulary().token(id), id);
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto value = static_cast<unsigned char>(byte);
    of_byte_[byte] = vocabulary().id(character_text(character_of_byte(value)));
    if (byte < 128) of_ascii_[byte] = vocabulary().id(character_text(byte));
  }
  if (settings.byte_fallback) {
    fallback_.emplace();
    for (unsigned byte = 0; byte < 256; ++byte) {
      (*fallback_)[byte] = vocabulary().id(fallback_token(static_cast<unsigned char>(byte)));
    }
  }
}

/// Turns a word into the symbols that merging starts from.
class Bpe::Reading {
 public:
  Reading(const Bpe& bpe, std::string_view word, bool bytes, std::vector<WordToken>& missing)
      : bpe_(bpe), word_(word), bytes_(bytes), missing_(missing) {
    symbols_.reserve(word.size());
    for (std::size_t at = 0; at < word.size();) {
      if (const std::size_t length = bytes ? 0 : take_whole(at); length > 0) {
        at += length;
        continue;
      }
      const std::size_t size = bytes ? 1 : character_size(word[at]);
      take(at, at + size);
      at += size;
    }
    end_unknown();
    if (!symbols_.empty()) symbols_.back().after = -1;
  }

  std::vector<Symbol>& symbols() { return symbols_; }

 private:
  /// Takes a token that stays whole and returns its length; 0 if none begins here.
  std::size_t take_whole(std::size_t begin) {
    if (!bpe_.whole_.begins_any(word_[begin])) return 0;
    const auto [length, id] = bpe_.whole_.longest(word_.substr(begin));
    if (length == 0) return 0;
    end_unknown();
    add(id, begin, begin + length);
    return length;
  }

  void take(std::size_t begin, std::size_t end) {
    const auto first = static_cast<unsigned char>(word_[begin]);
    const bool decorated =
        (begin > 0 && !bpe_.prefix_.empty()) || (end == word_.size() && !bpe_.suffix_.empty());
    std::string text;
    const auto spell = [&] {
      text =
          bytes_ ? character_text(character_of_byte(first)) : std::string(word_.substr(begin, end - begin));
      if (begin > 0) text.insert(0, bpe_.prefix_);
      if (end == word_.size()) text += bpe_.suffix_;
    };
    Id id = no_id;
    if (decorated) {
      spell();
      id = bpe_.vocabulary().id(text);
    } else if (bytes_) {
      id = bpe_.of_byte_[first];
    } else {
      id = first < 128 ? bpe_.of_ascii_[first] : bpe_.vocabulary().id(word_.substr(begin, end - begin));
    }
    if (id != no_id) {
      end_unknown();
      add(id, begin, end);
      return;
    }
    if (!decorated && bpe_.fallback_) spell();
    if (fall_back(text, begin, end)) return;
    if (bpe_.unknown_ == no_id) {
      missing_.push_back({no_id, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
      return;
    }
    if (!bpe_.fuse_unknown_) end_unknown();
    if (!has_unknown_) unknown_begin_ = begin;
    has_unknown_ = true;
    unknown_end_ = end;
  }

  bool fall_back(std::string_view text, std::size_t begin, std::size_t end) {
    if (!bpe_.fallback_) return false;
    const auto token_of = [&](char byte) { return (*bpe_.fallback_)[static_cast<unsigned char>(byte)]; };
    for (const char byte : text) {
      if (token_of(byte) == no_id) return false;
    }
    end_unknown();
    for (const char byte : text) add(token_of(byte), begin, end);
    return true;
  }

  void end_unknown() {
    if (has_unknown_) add(bpe_.unknown_, unknown_begin_, unknown_end_);
    has_unknown_ = false;
  }

  void add(Id id, std::size_t begin, std::size_t end) {
    const auto place = static_cast<std::int32_t>(symbols_.size());
    symbols_.push_back(
        {id, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), place - 1, place + 1});
  }

  const Bpe& bpe_;
  std::string_view word_;
  bool bytes_;
  std::vector<WordToken>& missing_;
  std::vector<Symbol> symbols_;
  bool has_unknown_ = false;
  std::size_t unknown_begin_ = 0, unknown_end_ = 0;
};

void Bpe::encode(std::string_view word, bool bytes, std::vector<WordToken>& to) const {
  if (ignore_merges_) {
    const Id whole = bytes ? vocabulary().id(in_byte_alphabet(word)) : vocabulary().id(word);
    if (whole != no_id) {
      to.push_back({whole, 0, static_cast<std::uint32_t>(word.size())});
      return;
    }
  }
  Reading reading(*this, word, bytes, to);
  std::vector<Symbol>& symbols = reading.symbols();
  merge_all(symbols);
  for (const Symbol& symbol : symbols) {
    if (symbol.id != no_id) to.push_back({symbol.id, symbol.begin, symbol.end});
  }
}

void Bpe::merge_all(std::vector<Symbol>& symbols) const {
  std::priority_queue<Candidate> queue;
  const auto symbol = [&](std::int32_t at) -> Symbol& { return symbols[static_cast<std::size_t>(at)]; };
  const auto offer = [&](std::int32_t at) {
    if (at < 0 || symbol(at).after < 0) return;
    const Merge* merge = merge_of(symbol(at).id, symbol(symbol(at).after).id);
    if (merge != nullptr) queue.push({merge->rank, at, merge->made});
  };
  for (std::int32_t at = 0; at < static_cast<std::int32_t>(symbols.size()); ++at) offer(at);
  while (!queue.empty()) {
    const Candidate next = queue.top();
    queue.pop();
    Symbol& left = symbol(next.at);
    if (left.id == no_id || left.after < 0) continue;
    Symbol& right = symbol(left.after);
    const Merge* merge = merge_of(left.id, right.id);
    if (merge == nullptr || merge->made != next.made) continue;  // outdated: one of the two has changed
    left.id = next.made;
    left.end = right.end;
    left.after = right.after;
    right.id = no_id;
    if (left.after >= 0) symbol(left.after).before = next.at;
    offer(left.before);
    offer(next.at);
  }
}

}  // namespace attnscope::tokenizers
