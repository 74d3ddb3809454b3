#include "app/walk/formula.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"

namespace attnscope::walk {
namespace {

constexpr float small = 0.72f;  // exponents and indices, in parts of the size

}  // namespace

Formula& Formula::add(std::string_view text, Rgba colour, Ink ink) {
  pieces_.push_back({std::string(text), colour, size_, 0, ink, {}});
  return *this;
}

Formula& Formula::raised(std::string_view text, Rgba colour) {
  pieces_.push_back({std::string(text), colour, size_ * small, 0.42f, Ink::Regular, {}});
  return *this;
}

Formula& Formula::lowered(std::string_view text, Rgba colour) {
  pieces_.push_back({std::string(text), colour, size_ * small, -0.28f, Ink::Regular, {}});
  return *this;
}

Formula& Formula::join(const Formula& more) {
  pieces_.insert(pieces_.end(), more.pieces_.begin(), more.pieces_.end());
  return *this;
}

Formula& Formula::over(Formula above, Formula below, Rgba line) {
  Piece piece{{}, line, size_, 0, Ink::Regular, {}};
  piece.fraction.push_back(std::move(above));
  piece.fraction.push_back(std::move(below));
  pieces_.push_back(std::move(piece));
  return *this;
}

Formula& Formula::answer(std::string_view text, Rgba colour) {
  pieces_.push_back({std::string(text), colour, size_ * 1.35f, 0, Ink::Semibold, {}});
  return *this;
}

float Formula::width_of(const Ui& ui, const Piece& piece) const {
  if (piece.fraction.empty()) return ui.text_width(piece.text, piece.size, piece.ink);
  return std::max(piece.fraction[0].width(ui), piece.fraction[1].width(ui)) + ui.px(12);
}

float Formula::width(const Ui& ui) const {
  float sum = 0;
  for (const Piece& piece : pieces_) sum += width_of(ui, piece);
  return sum;
}

float Formula::draw(const Ui& ui, float x, float y, float opacity) const {
  const float start = x;
  for (const Piece& piece : pieces_) {
    const float wide = width_of(ui, piece);
    if (piece.fraction.empty()) {
      ui.text(x, y - piece.rise * ui.px(size_), piece.text,
              {piece.size, fade(piece.colour, opacity), piece.ink});
    } else {
      const Formula &above = piece.fraction[0], &below = piece.fraction[1];
      const float half = ui.px(size_ * 0.78f);
      ui.horizontal(x, y, wide, fade(piece.colour, opacity));
      above.draw(ui, x + (wide - above.width(ui)) / 2, y - half, opacity);
      below.draw(ui, x + (wide - below.width(ui)) / 2, y + half, opacity);
    }
    x += wide;
  }
  return x - start;
}

Formula with_indices(std::string_view text, float size, Rgba colour, Ink ink) {
  Formula formula(size);
  // If the text is marked as own words, each piece gets both marks: a single mark would be drawn.
  const bool is_own = text.size() > 1 && text.front() == own_begin && text.back() == own_end;
  if (is_own) text = text.substr(1, text.size() - 2);
  const auto piece = [is_own](std::string_view part) {
    return is_own && !part.empty() ? own(part) : std::string(part);
  };
  while (!text.empty()) {
    const std::size_t mark = text.find('_');
    formula.add(piece(text.substr(0, mark)), colour, ink);
    if (mark == std::string_view::npos) break;
    text.remove_prefix(mark + 1);
    std::size_t end = 0;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    formula.lowered(piece(text.substr(0, end)), colour);
    text.remove_prefix(end);
  }
  return formula;
}

namespace {

Formula product_of(const Product& p, const SumStyle& style, Rgba sign, float size, bool first) {
  Formula term(size);
  if (!first) term.add(" + ", sign);
  term.add(fixed(p.a, 2), style.first).add("·", sign).add(fixed(p.b, 2), style.second);
  return term;
}

}  // namespace

Formula sum_of_products(const Ui& ui, const std::vector<Product>& products, const SumStyle& style,
                        float size) {
  const Rgba sign = ui.theme.text3;
  std::vector<std::size_t> order(products.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto weight = [&](std::size_t i) { return std::abs(products[i].a * products[i].b); };
    return weight(a) > weight(b);
  });
  Formula bias(size);
  if (style.added != 0) bias.add(" + " + fixed(style.added, 2), ui.theme.text2);

  // The largest products that fit; the others are added up to one number.
  const auto rest_of = [&](std::size_t shown) {
    double rest = 0;
    for (std::size_t i = shown; i < order.size(); ++i)
      if (order[i] < style.reached) rest += products[order[i]].a * products[order[i]].b;
    return rest;
  };
  const auto written = [&](std::size_t shown) {
    std::vector<std::size_t> those(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown));
    std::sort(those.begin(), those.end());
    Formula sum(size);
    for (const std::size_t i : those) {
      SumStyle with = style;
      if (i >= style.reached) with.first = with.second = ui.theme.disabled;
      sum.join(
          product_of(products[i], with, i >= style.reached ? ui.theme.disabled : sign, size, sum.empty()));
    }
    if (shown < order.size()) {
      if (!sum.empty()) sum.add(" + ", sign);
      sum.add(fixed(rest_of(shown), 2), ui.theme.text2);
      sum.lowered(" " + std::to_string(order.size() - shown) + (shown == 0 ? "" : " more"), ui.theme.text3);
    }
    return sum.join(bias);
  };
  std::size_t shown = std::min<std::size_t>(products.size(), 24);
  while (shown > 0 && written(shown).width(ui) > style.room) --shown;
  return written(shown);
}

}  // namespace attnscope::walk
