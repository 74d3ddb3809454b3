// core/tokenizers/read: the model files of SentencePiece (spiece.model, tokenizer.model), which are
// protobufs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::tokenizers {

/// What is used of a ModelProto; what a file does not say is as SentencePiece has it. Source:
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
  // The pieces that a text may begin and end with; empty = none.
  std::string begin = "<s>", end = "</s>", unknown = "<unk>";
  // The normalizer.
  std::string character_map;   // precompiled_charsmap; empty = none
  bool adds_prefix = true;     // a space before a text
  bool removes_spaces = true;  // at the ends, and all but one between words
  bool escapes_spaces = true;  // a space becomes "▁"
};

/// Throws Error, which begins with `where`, when the bytes are no such message or a piece is no UTF-8.
SentencePieceModel read_sentence_piece_model(std::string_view bytes, const std::string& where);

/// "BPE"
std::string_view name_of(SentencePieceModel::Kind);

}  // namespace attnscope::tokenizers
