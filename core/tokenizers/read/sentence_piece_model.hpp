// core/tokenizers/read: the model files of SentencePiece (spiece.model, tokenizer.model), which are
// protobufs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::tokenizers {

/// What is used of a ModelProto. Source: sentencepiece_model.proto.
struct SentencePieceModel {
  enum class Type { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };
  struct Piece {
    std::string text;
    float score = 0;
    Type type = Type::Normal;
  };
  std::vector<Piece> pieces;
  bool is_unigram = true;
  std::string character_map;  // precompiled_charsmap; empty = none
};

/// Throws Error, which begins with `where`, when the bytes are no such message or a piece is no UTF-8.
SentencePieceModel read_sentence_piece_model(std::string_view bytes, const std::string& where);

}  // namespace attnscope::tokenizers
