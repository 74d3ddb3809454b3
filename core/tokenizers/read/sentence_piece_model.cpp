#include "core/tokenizers/read/sentence_piece_model.hpp"

#include <bit>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::tokenizers {
namespace {

/// A field of a message: its number, and an integer or bytes.
struct Field {
  std::uint64_t number = 0, value = 0;
  std::string_view bytes;
};

/// Reads the fields of a message from left to right and checks every length.
class Message {
 public:
  Message(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  bool next(Field& field) {
    if (at_ == bytes_.size()) return false;
    const std::uint64_t key = whole();
    field = {.number = key >> 3, .value = 0, .bytes = {}};
    switch (key & 7) {
      case 0: field.value = whole(); break;
      case 1: field.bytes = take(8); break;
      case 2: field.bytes = take(whole()); break;
      case 5: {
        const std::string_view four = take(4);
        for (std::size_t i = 4; i-- > 0;)
          field.value = field.value << 8 | static_cast<unsigned char>(four[i]);
        break;
      }
      default: fail();
    }
    return true;
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(fmt::format("{} is not a SentencePiece model: byte {} of a message of {} does not fit.",
                            where_, at_, bytes_.size()));
  }
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - at_) fail();
    const std::string_view found = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += found.size();
    return found;
  }
  /// A varint: seven bits a byte, the lowest first.
  std::uint64_t whole() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    fail();
  }

  std::string_view bytes_;
  const std::string& where_;
  std::size_t at_ = 0;
};

SentencePieceModel::Piece read_piece(std::string_view bytes, const std::string& where) {
  SentencePieceModel::Piece piece;
  Message message(bytes, where);
  for (Field field; message.next(field);) {
    if (field.number == 1) piece.text = field.bytes;
    if (field.number == 2) piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    if (field.number != 3) continue;
    if (field.value < 1 || field.value > 6)
      throw Error(fmt::format("{}: the piece {} has the type {}, expected 1 to 6.", where,
                              in_quotes(piece.text, 40), field.value));
    piece.type = static_cast<SentencePieceModel::Type>(field.value);
  }
  if (piece.text.empty() || !is_valid_utf8(piece.text))
    throw Error(
        fmt::format("{}: the piece {} is empty or no valid UTF-8.", where, in_quotes(piece.text, 40)));
  return piece;
}

/// Ids below 0 mean "none".
bool is_negative(std::uint64_t value) { return static_cast<std::int32_t>(value) < 0; }

void read_trainer(std::string_view bytes, const std::string& where, SentencePieceModel& model) {
  bool has_begin = true, has_end = true;
  Message message(bytes, where);
  for (Field field; message.next(field);) {
    switch (field.number) {
      case 3:
        if (field.value < 1 || field.value > 4)
          throw Error(fmt::format("{}: model_type is {}, expected 1 to 4.", where, field.value));
        model.kind = static_cast<SentencePieceModel::Kind>(field.value);
        break;
      case 24: model.space_is_suffix = field.value != 0; break;
      case 35: model.byte_fallback = field.value != 0; break;
      case 41: has_begin = !is_negative(field.value); break;
      case 42: has_end = !is_negative(field.value); break;
      case 45: model.unknown = field.bytes; break;
      case 46: model.begin = field.bytes; break;
      case 47: model.end = field.bytes; break;
      default: break;
    }
  }
  if (!has_begin) model.begin.clear();
  if (!has_end) model.end.clear();
  for (const std::string* text : {&model.unknown, &model.begin, &model.end})
    if (!is_valid_utf8(*text))
      throw Error(fmt::format("{}: the piece {} is no valid UTF-8.", where, in_quotes(*text, 40)));
}

void read_normalizer(std::string_view bytes, const std::string& where, SentencePieceModel& model) {
  Message message(bytes, where);
  for (Field field; message.next(field);) {
    switch (field.number) {
      case 2: model.character_map = field.bytes; break;
      case 3: model.adds_prefix = field.value != 0; break;
      case 4: model.removes_spaces = field.value != 0; break;
      case 5: model.escapes_spaces = field.value != 0; break;
      default: break;
    }
  }
}

}  // namespace

SentencePieceModel read_sentence_piece_model(std::string_view bytes, const std::string& where) {
  SentencePieceModel model;
  Message message(bytes, where);
  for (Field field; message.next(field);) {
    if (field.number == 1) model.pieces.push_back(read_piece(field.bytes, where));
    if (field.number == 2) read_trainer(field.bytes, where, model);
    if (field.number == 3) read_normalizer(field.bytes, where, model);
  }
  if (model.pieces.empty())
    throw Error(fmt::format("{} is not a SentencePiece model: it has no pieces.", where));
  return model;
}

std::string_view name_of(SentencePieceModel::Kind kind) {
  switch (kind) {
    case SentencePieceModel::Kind::Unigram: return "unigram";
    case SentencePieceModel::Kind::Bpe: return "BPE";
    case SentencePieceModel::Kind::Word: return "word";
    case SentencePieceModel::Kind::Character: return "character";
  }
  return "";
}

}  // namespace attnscope::tokenizers
