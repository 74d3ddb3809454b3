// core/tokenizers/read: the model files of SentencePiece (spiece.model, tokenizer.model), which are
// protobufs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::tokenizers {

/// The fields of a ModelProto that are used; missing ones have SentencePiece's defaults. Source:
/// sentencepiece_model.proto.
struct SentencePieceModel {
  enum class Kind { Unigram = 1, Bpe = 2, Word = 3, Character = 4 };
  enum class Type { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };
  struct Piece {
    std::string text;
    float score = 0;
    Type type = Type::Normal;
  };
  std::vector<Piece> pieces;
  Kind kind = Kind::Unigram;
  bool byte_fallback = false;
  bool space_is_suffix = false;  // "▁" ends a word instead of beginning it
  // The pieces before and behind a text; empty = none.
  std::string begin = "<s>", end = "</s>", unknown = "<unk>";
  // Settings of the normalizer.
  std::string character_map;   // precompiled_charsmap; empty = none
  bool adds_prefix = true;     // adds a space before a text
  bool removes_spaces = true;  // at the ends, and all but one between words
  bool escapes_spaces = true;  // replaces a space by "▁"
};

/// Throws Error beginning with `where` if the bytes are not such a message or a piece is not UTF-8.
SentencePieceModel read_sentence_piece_model(std::string_view bytes, const std::string& where);

/// "BPE"
std::string_view name_of(SentencePieceModel::Kind);

}  // namespace attnscope::tokenizers
