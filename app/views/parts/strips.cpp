#include "app/views/parts/strips.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"

namespace attnscope {
namespace {

void print_numbers(const Ui& ui, const Strips& strips, const ColourScale& scale) {
  const std::int64_t rows = strips.values.rows(), columns = strips.values.cols();
  if (!has_room_for_numbers(ui, strips.box, rows, columns)) return;
  const bool wide = cell_box(strips.box, 0, 0, rows, columns).w >= ui.px(40);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t d = 0; d < columns; ++d) {
      const float value = strips.values(i, d);
      const Box cell = cell_box(strips.box, i, d, rows, columns);
      const Rgba ink = std::isnan(value)      ? 0xFFFFFFFFu
                       : std::isfinite(value) ? ink_on(colour_of(scale, value))
                                              : ui.theme.nan;
      const double number = static_cast<double>(value) * strips.times;
      const bool small = std::abs(number) < 9.95;
      ui.text(cell.centre_x(), cell.centre_y() - ui.px(strips.row_gap) / 2,
              wide && small ? fixed(number, 2) : score_in_cell(number),
              {type::tick, ink, Ink::Regular, Align::Centre, cell.w});
    }
  }
}

}  // namespace

bool has_room_for_numbers(const Ui& ui, const Box& box, std::int64_t rows, std::int64_t columns) {
  const Box first = cell_box(box, 0, 0, rows, columns);
  return first.w >= ui.px(28) && first.h >= ui.px(15);
}

void draw_strips(const Ui& ui, const Strips& strips) {
  const Box& box = strips.box;
  if (box.w < 1 || box.h < 1 || strips.values.size() == 0) return;
  const ColourScale scale{ui.theme.scores, -strips.most, strips.most, true};
  std::uint64_t content = mix_hash(static_cast<std::uint64_t>(ui.theme.name), strips.most);
  for (const float part : {box.w, box.h, static_cast<float>(strips.values.rows()), ui.px(strips.row_gap)})
    content = mix_hash(content, part);
  content = mix_hash(content, std::uint64_t{strips.ground});
  for (const float value : strips.values.reshaped<Eigen::RowMajor>()) content = mix_hash(content, value);
  ui.matrix(strips.place, content, box, [&](const Ui::UseJob& use) {
    const ConstMatrixMap<float> values(strips.values.data(), strips.values.rows(), strips.values.cols());
    RasterJob job = whole_matrix(ui, values, colormap(scale.map), box);
    job.low = scale.low;
    job.high = scale.high;
    job.colours.ground = strips.ground;
    job.gap = static_cast<int>(ui.px(strips.row_gap));
    use(job);
  });
  if (strips.numbers) print_numbers(ui, strips, scale);
}

StripMatrix strip_of(std::span<const float> values, double factor, std::span<const std::int64_t> order) {
  StripMatrix strip(1, std::ssize(values));
  for (std::size_t d = 0; d < values.size(); ++d) {
    const std::size_t from = order.empty() ? d : static_cast<std::size_t>(order[d]);
    strip(0, static_cast<Eigen::Index>(d)) = static_cast<float>(static_cast<double>(values[from]) * factor);
  }
  return strip;
}

float largest_of(const StripMatrix& values) {
  float most = 0;
  for (const float v : values.reshaped())
    if (std::isfinite(v)) most = std::max(most, std::abs(v));
  return most > 0 ? most : 1;
}

std::optional<std::int64_t> column_under_mouse(const Box& box, std::int64_t columns) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (columns < 1 || !box.contains(mouse)) return std::nullopt;
  return cell_at(box, mouse, 1, columns).key;
}

void mark_column(const Ui& ui, const Box& box, std::int64_t column, std::int64_t columns) {
  if (column < 0 || column >= columns) return;
  Box cell = cell_box(box, 0, column, 1, columns);
  cell.w = std::max(cell.w, ui.px(3));
  ui.frame(cell.grown(ui.px(1)), ui.theme.text1, std::max(1.f, std::floor(ui.scale())), ui.px(2));
}

}  // namespace attnscope
