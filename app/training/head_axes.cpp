#include "app/training/head_axes.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

constexpr float least_pitch = 8.5f, most_label = 64;  // logical pixels

}  // namespace

LabelledSquare fit_square(const Ui& ui, const ProbeText* text, std::int64_t rows, float width, float height) {
  const auto square = [&](float left, float top, bool upright) {
    return LabelledSquare{std::floor(std::max(1.f, std::min(width - left, height - top))), left, top,
                          upright};
  };
  const LabelledSquare bare = square(0, 0, false);
  if (text == nullptr || text->rows() != rows ||
      bare.side < least_pitch * static_cast<float>(rows) * ui.scale())
    return bare;  // do not measure the labels where there is no room for them
  float widest = 0;
  for (const std::string& label : text->labels)
    widest = std::max(widest, ui.text_width(own(label), type::tick));
  const float beside = std::ceil(std::min(widest, ui.px(most_label))) + ui.px(6);
  const auto pitch = [&](const LabelledSquare& of) { return of.side / static_cast<float>(rows); };
  const LabelledSquare lying = square(beside, ui.px(15), false);
  if (pitch(lying) >= std::max(least_pitch * ui.scale(), widest + ui.scale())) return lying;
  const LabelledSquare standing = square(beside, beside, true);
  return pitch(standing) >= least_pitch * ui.scale() ? standing : bare;
}

void draw_square_labels(const Ui& ui, const ProbeText& text, const LabelledSquare& square, const Box& picture,
                        const MarkedCell& marked) {
  if (!square.has_labels()) return;
  const float room = square.left - ui.px(5);
  for (std::int64_t i = 0; i < text.rows(); ++i) {
    const std::string label = own(text.labels[static_cast<std::size_t>(i)]);
    const Box cell = square_cell(picture, text.rows(), {i, i});
    const auto style = [&](bool is_marked, Rgba colour) {
      return TextStyle{type::tick, is_marked ? colour : ui.theme.text2,
                       is_marked ? Ink::Semibold : Ink::Regular, Align::Right, room};
    };
    ui.text(picture.x - ui.px(5), cell.centre_y(), label, style(i == marked.query, ui.theme.query));
    TextStyle above = style(i == marked.key, ui.theme.key);
    if (square.upright) {
      above.align = Align::Left;
      ui.upright_text(cell.centre_x(), picture.y - ui.px(4), label, above);
    } else {
      above.align = Align::Centre;
      above.max_width = 0;
      ui.text(cell.centre_x(), picture.y - ui.px(8), label, above);
    }
  }
}

Box square_cell(const Box& picture, std::int64_t rows, const MarkedCell& cell) {
  const auto edge = [rows](float from, float size, std::int64_t at) {
    return from + std::floor(size * static_cast<float>(at) / static_cast<float>(rows));
  };
  const float x = edge(picture.x, picture.w, cell.key), y = edge(picture.y, picture.h, cell.query);
  return {x, y, edge(picture.x, picture.w, cell.key + 1) - x, edge(picture.y, picture.h, cell.query + 1) - y};
}

}  // namespace attnscope
