// app/walk: a line of mathematics with its real operands: coloured pieces, exponents, indices,
// fractions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/kit/ui/ui.hpp"

namespace attnscope::walk {

class Formula {
 public:
  explicit Formula(float size = type::title) : size_(size) {}

  Formula& add(std::string_view text, Rgba colour, Ink ink = Ink::Regular);
  Formula& raised(std::string_view text, Rgba colour);   // an exponent
  Formula& lowered(std::string_view text, Rgba colour);  // an index
  Formula& join(const Formula& more);
  Formula& over(Formula above, Formula below, Rgba line);
  /// The answer: larger than the rest.
  Formula& answer(std::string_view text, Rgba colour);

  bool empty() const { return pieces_.empty(); }
  float size() const { return size_; }
  float width(const Ui&) const;
  /// One line centred on y; returns its width.
  float draw(const Ui&, float x, float y, float opacity = 1) const;

 private:
  struct Piece {
    std::string text;
    Rgba colour = 0;
    float size = 0, rise = 0;  // logical pixels; rise: upwards, as a part of the size
    Ink ink = Ink::Regular;
    std::vector<Formula> fraction;  // above, below; empty = text
  };
  float width_of(const Ui&, const Piece&) const;

  float size_;
  std::vector<Piece> pieces_;
};

/// "W_Q" with Q as an index; an index is the letters and digits after "_".
Formula with_indices(std::string_view text, float size, Rgba colour, Ink ink = Ink::Regular);

/// a · b.
struct Product {
  double a = 0, b = 0;
};
/// How a sum of products is written.
struct SumStyle {
  Rgba first, second;                     // colours of the operands
  float room;                             // device pixels
  double added = 0;                       // a bias at the end; 0 = none
  std::size_t reached = ~std::size_t{0};  // products already summed; the others are pale
};
/// a·b + a·b + …: all products in their order if they fit, else the largest and the sum of the rest.
Formula sum_of_products(const Ui&, const std::vector<Product>&, const SumStyle&, float size);

}  // namespace attnscope::walk
