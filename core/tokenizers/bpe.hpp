// core/tokenizers: byte pair encoding, byte-level and as in SentencePiece.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/tokenizers/model.hpp"
#include "core/tokenizers/text/trie.hpp"

namespace attnscope::tokenizers {

/// A merge of two tokens; lower ranks are done first, of equal ranks the leftmost.
struct RankedMerge {
  Id left = no_id, right = no_id, made = no_id;
  std::uint32_t rank = 0;
};

struct BpeSettings {
  std::vector<std::pair<std::string, std::string>> merges{};  // in the order of their priority
  std::vector<RankedMerge> ranked_merges{};                   // used instead of `merges`
  Id unknown = no_id;
  std::string continuing_prefix{};  // before every character of a word but the first: "##"
  std::string end_suffix{};         // behind the last character: "</w>"
  bool fuse_unknown = false;        // adjacent unknown characters become one token
  bool byte_fallback = false;       // an unknown character becomes its bytes, "<0xE2>"
  bool ignore_merges = false;       // a word that is a token stays whole
  std::vector<Id> whole{};  // a word is cut at these tokens first, the longest first; they never merge
};

/// Merges the pair of neighbours with the lowest rank, the leftmost first, until no pair has a merge. Takes
/// O(n log n) steps for a word of n characters.
class Bpe final : public Model {
 public:
  /// Throws Error naming a merge whose parts or result are not in the vocabulary.
  Bpe(std::shared_ptr<const Vocabulary> vocabulary, const BpeSettings& settings);

  void encode(std::string_view word, bool bytes, std::vector<WordToken>& to) const override;
  bool takes_bytes() const override { return true; }
  Id unknown() const override { return unknown_; }

 private:
  struct Merge {
    std::uint32_t rank = 0;
    Id made = no_id;
  };
  struct Symbol {
    Id id;
    std::uint32_t begin, end;
    std::int32_t before, after;  // neighbours; -1 = none
  };
  class Reading;

  const Merge* merge_of(Id left, Id right) const {
    return merges_.find(std::uint64_t{static_cast<std::uint32_t>(left)} << 32 |
                        static_cast<std::uint32_t>(right));
  }
  void merge_all(std::vector<Symbol>& symbols) const;

  FlatMap<Merge> merges_;
  Trie whole_;
  std::array<Id, 256> of_byte_{};   // the token of a byte's character in the byte alphabet
  std::array<Id, 128> of_ascii_{};  // the token of an ASCII character
  std::optional<std::array<Id, 256>> fallback_;
  Id unknown_;
  std::string prefix_, suffix_;
  bool fuse_unknown_, ignore_merges_;
};

}  // namespace attnscope::tokenizers
