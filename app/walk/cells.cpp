// app/walk: the cells of a matrix as a picture, and their numbers where they fit.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/walk/matrix.hpp"

namespace attnscope::walk {
namespace {

/// The mark of a cell in a plane.
std::function<CellKind(std::int64_t, std::int64_t)> marks_of(const Matrix& m, const Look& look) {
  if (!m.panel.is_plane()) return {};
  switch (look.phase) {
    case Phase::Final: return CellMarks(m.view.scene, m.panel.stage, m.view.b, m.view.h);
    case Phase::Shifted:
    case Phase::Exponential: return CellMarks(m.view.scene, Stage::Mask, m.view.b, m.view.h);
    case Phase::Seen:
      return [&m](std::int64_t i, std::int64_t j) {
        return m.contents.numbers.sees(i, j) ? CellKind::Number : CellKind::Masked;
      };
    default: return {};
  }
}

/// Draws the part in sight as a picture.
void make_picture(const Matrix& m, const Look& look, const ColourScale& scale, const Ui::UseJob& use) {
  const Panel& panel = m.panel;
  const bool own = look.phase == Phase::Final;
  // Numbers that exist only between two moves are computed first, for the part in sight alone.
  Tensor now(Shape{own ? 1 : m.place.rows, own ? 1 : m.place.columns});
  if (!own)
    for (std::int64_t i = 0; i < m.place.rows; ++i)
      for (std::int64_t j = 0; j < m.place.columns; ++j)
        now.matrix()(i, j) = m.contents.tint(panel, look, m.first_row + i, m.first_column + j);
  const auto marks = marks_of(m, look);
  RasterJob job = whole_matrix(m.ui(), own ? panel.values : std::as_const(now).matrix(), colormap(scale.map),
                               m.place.cells);
  job.rows = static_cast<double>(m.place.rows);
  job.columns = static_cast<double>(m.place.columns);
  job.low = scale.low;
  job.high = scale.high;
  job.log = scale.log;
  if (own) {
    job.row0 = static_cast<double>(m.first_row);
    job.column0 = static_cast<double>(panel.first_column + m.first_column);
    job.kind = marks;
  } else if (marks) {
    job.kind = [&](std::int64_t i, std::int64_t j) { return marks(m.first_row + i, m.first_column + j); };
  }
  use(job);
}

void draw_picture(const Matrix& m, const Look& look, const char* layer, float opacity) {
  const LayerResult& r = m.view.result();
  const ColourScale scale = m.contents.scale(m.panel, look);
  std::uint64_t content = mix_hash(r.made_in[m.panel.stage], made_in(r, Stage::Mask));
  for (const std::int64_t part :
       {m.view.b, m.view.h, static_cast<std::int64_t>(look.phase), look.keys, m.first_row, m.first_column,
        m.place.rows, m.place.columns, static_cast<std::int64_t>(scale.map),
        static_cast<std::int64_t>(scale.log), static_cast<std::int64_t>(m.ui().theme.name),
        static_cast<std::int64_t>(m.place.cells.w), static_cast<std::int64_t>(m.place.cells.h)})
    content = mix_hash(content, static_cast<std::uint64_t>(part));
  content = mix_hash(mix_hash(content, scale.low), scale.high);
  m.ui().matrix((m.panel.id + layer).c_str(), content, m.place.cells,
                [&](const Ui::UseJob& use) { make_picture(m, look, scale, use); }, opacity);
}

bool is_lit(const Matrix& m, const Look& look, std::int64_t row) {
  switch (look.lit) {
    case Look::Lit::None: return false;
    case Look::Lit::All: return true;
    case Look::Lit::First: return row < look.rows;
    case Look::Lit::Marked: break;
  }
  const bool keys = m.panel.rows == Rows::Keys;
  return row == (keys ? m.view.cell.key : query_row(m.view, m.panel));
}

/// The computed rows, drawn over all rows dimmed.
void draw_lit_rows(const Matrix& m, const Look& look, float opacity) {
  const std::int64_t end = m.first_row + m.place.rows;
  for (std::int64_t i = m.first_row; i < end; ++i) {
    if (!is_lit(m, look, i)) continue;
    std::int64_t last = i;
    while (last + 1 < end && is_lit(m, look, last + 1)) ++last;
    const Box top = m.row_box(i), bottom = m.row_box(last);
    m.ui().clip({top.x, top.y, top.w, bottom.bottom() - top.y});
    draw_picture(m, look, " now", opacity);
    m.ui().unclip();
    i = last;
  }
}

/// Numbers grow with large cells.
float number_size(const Matrix& m) {
  const float side = m.place.cells.w / static_cast<float>(m.place.columns);
  return side >= m.ui().px(72) ? type::body : side >= m.ui().px(50) ? type::label : type::tick;
}

/// Two decimals if every usual number has room for them, else one or none; an exponent if a number other than
/// 0 would read as 0; empty if even that is too wide.
std::string number_text(const Matrix& m, float value, float room) {
  const Ui& ui = m.ui();
  const auto v = static_cast<double>(value);
  const double size = std::abs(v);
  if (m.integers && std::isfinite(v))
    if (const std::string plain = fixed(v == 0 ? 0 : v, 0); ui.text_width(plain, number_size(m)) <= room)
      return plain;
  const bool weights = !m.panel.scale.zero_centred,
             wide = room >= ui.text_width("\u22120.00", number_size(m));
  const std::string usual = wide && size < 9.995 ? fixed(v, 2)
                            : size >= 9999       ? tiny(v)
                            : weights            ? in_cell(v)
                            : size < 0.995       ? in_cell(v)
                                                 : score_in_cell(v);
  if (size > 0 && size < 0.005)
    if (const std::string small = tight(v); ui.text_width(small, number_size(m)) <= room) return small;
  if (ui.text_width(usual, number_size(m)) <= room) return usual;
  const std::string shorter = size < 1e4 ? fixed(v, 0) : tight(v);
  return ui.text_width(shorter, number_size(m)) <= room ? shorter : std::string();
}

Rgba blend(Rgba over, Rgba ground, float opacity) {
  Rgba out = 0xFF000000u;
  for (const int shift : {0, 8, 16}) {
    const float a = static_cast<float>((over >> shift) & 0xFFu),
                b = static_cast<float>((ground >> shift) & 0xFFu);
    out |= static_cast<Rgba>(std::lround(b + (a - b) * opacity)) << shift;
  }
  return out;
}

void draw_number(const Matrix& m, const Look& look, const Box& cell, Cell at, CellKind kind, float light) {
  const Ui& ui = m.ui();
  const float room = cell.w - ui.px(2);
  if (kind != CellKind::Number) {
    if (kind == CellKind::Underflow) return;  // a dot marks it
    const bool weights = !m.contents.scale(m.panel, look).zero_centred;
    const float value = m.contents.at(m.panel, look, at.query, at.key);
    const std::string text = weights ? "0" : number_text(m, value, room);
    ui.text(cell.centre_x(), cell.centre_y(), text,
            {number_size(m), fade(ui.theme.text3, 0.3f + 0.7f * light), Ink::Regular, Align::Centre});
    return;
  }
  const float value = m.contents.at(m.panel, look, at.query, at.key);
  const float tint = m.contents.tint(m.panel, look, at.query, at.key);
  const ColourScale scale = m.contents.scale(m.panel, look);
  const std::string text = m.panel.stage == Stage::Drop && value == 0 ? "×" : number_text(m, value, room);
  Rgba ink = 0xFFFFFFFFu;
  if (std::isfinite(value)) {
    const bool small = scale.map == ui.theme.weights && !scale.log && tint < 0.095f * scale.high;
    const Rgba ground = blend(colour_of(scale, tint), ui.theme.picture, light);
    ink = small ? ui.theme.small_value : ink_on(ground);
  } else if (!std::isnan(value)) {
    ink = ui.theme.nan;
  }
  ui.text(cell.centre_x(), cell.centre_y(), text,
          {number_size(m), fade(ink, 0.35f + 0.65f * light), Ink::Regular, Align::Centre});
}

/// Before and after the last move, the second fading in over the first.
void draw_pictures(const Matrix& m, const Look& before, const Look& now, float shown) {
  draw_picture(m, before, " before", before.lit == Look::Lit::All ? 1 : dimmed);
  if (before.lit != Look::Lit::All) draw_lit_rows(m, before, 1);
  if (shown >= 1 || before == now) return;
  if (now.phase != before.phase || now.keys != before.keys || now.lit == Look::Lit::All) {
    draw_picture(m, now, " now", now.lit == Look::Lit::All ? shown : dimmed * shown);
  }
  if (now.lit != Look::Lit::All) draw_lit_rows(m, now, shown);
}

void draw_numbers(const Matrix& m, const Look& before, const Look& now, float shown) {
  const Ui& ui = m.ui();
  const float side = m.place.cells.w / static_cast<float>(m.place.columns);
  const float row = m.place.cells.h / static_cast<float>(std::max<std::int64_t>(1, m.place.rows));
  if (!m.place.printed || side < ui.px(24) || row < ui.px(15)) return;
  const auto marks = marks_of(m, now);
  for (std::int64_t i = m.first_row; i < m.first_row + m.place.rows; ++i) {
    const auto light_of = [&](const Look& look) { return is_lit(m, look, i) ? 1.f : dimmed; };
    const float light = light_of(before) + (light_of(now) - light_of(before)) * shown;
    for (std::int64_t j = m.first_column; j < m.first_column + m.place.columns; ++j)
      draw_number(m, now, m.cell(i, j), {i, j}, marks ? marks(i, j) : CellKind::Number, light);
  }
}

}  // namespace

void draw_cells(const Matrix& m, const Look& before, const Look& now, float shown) {
  draw_pictures(m, before, now, shown);
  draw_numbers(m, before, now, shown);
}

}  // namespace attnscope::walk
