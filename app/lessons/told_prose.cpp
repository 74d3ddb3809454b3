#include "app/lessons/told_prose.hpp"

#include <optional>
#include <utility>

#include "app/kit/ui/own_words.hpp"

namespace attnscope {
namespace {

ToldPiece::Hue told_hue(const std::optional<lessons::Anchor>& anchor) {
  using Kind = lessons::Anchor::Kind;
  if (!anchor) return ToldPiece::Hue::None;
  switch (anchor->kind) {
    case Kind::Query: return ToldPiece::Hue::Query;
    case Kind::Key: return ToldPiece::Hue::Key;
    case Kind::Value: return ToldPiece::Hue::Value;
    case Kind::SideB: return ToldPiece::Hue::SideB;
    default: return ToldPiece::Hue::None;
  }
}

}  // namespace

ToldProse told_prose(const lessons::Prose& prose,
                     const std::function<std::string(const lessons::Piece&)>& number, bool is_english) {
  ToldProse told;
  for (const lessons::Piece& piece : prose) {
    ToldPiece one;
    one.kind = static_cast<ToldPiece::Kind>(piece.kind);
    one.level = piece.level;
    one.hue = told_hue(piece.anchor);
    const std::string text = piece.number ? number(piece) : piece.text;
    one.text = piece.number && !is_english ? own_number(text) : own(text);
    told.push_back(std::move(one));
  }
  return told;
}

}  // namespace attnscope
