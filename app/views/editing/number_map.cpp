#include "app/views/editing/number_map.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/scene.hpp"
#include "app/state/regions/editing_state.hpp"

namespace attnscope {
namespace {

constexpr float least_cells = 4;  // the wheel zooms to at least this many cells

/// The whole cells of an axis of `count` that are in sight at a zoom.
NumberStretch visible_stretch(const ZoomRange& zoom, std::int64_t count) {
  const auto n = static_cast<float>(count);
  const auto size = std::clamp<std::int64_t>(std::llround(zoom.span() * n), 1, count);
  return {std::clamp<std::int64_t>(std::llround(zoom.from * n), 0, count - size),
          std::clamp<std::int64_t>(std::llround(zoom.from * n), 0, count - size) + size};
}

bool holds(const NumberStretch& lit, std::int64_t index) {
  return lit.begin == lit.end || (index >= lit.begin && index < lit.end);
}

class MapDrawing {
 public:
  MapDrawing(Scene& scene, const Box& area, const NumberMap& map)
      : scene_(scene),
        ui_(scene.ui),
        state_(editing_of(scene.view)),
        area_(area),
        map_(map),
        scale_{ui_.theme.scores, -map.most, map.most, true} {}

  NumberMapResult run() {
    if (state_.zoomed != map_.what) {
      state_.zoomed = map_.what;
      state_.across = state_.down = {};
    }
    follow();
    place();
    if (cells_.box.w < 1 || cells_.box.h < 1) return {};
    picture();
    dim();
    print();
    labels();
    bar();
    NumberMapResult result;
    static_cast<NumberGridResult&>(result) = number_grid(ui_, state_.numbers, grid());
    result.cells = cells_;
    move(result);
    return result;
  }

 private:
  /// Scrolls the edited number into sight: Tab can move to one outside of it.
  void follow() {
    const NumberEditing& numbers = state_.numbers;
    if (!numbers.is(map_.label) || !numbers.typing || numbers.begun) return;
    const auto show = [](ZoomRange& range, std::int64_t index, std::int64_t count) {
      const NumberStretch seen = visible_stretch(range, count);
      const std::int64_t by =
          index < seen.begin ? index - seen.begin : std::max<std::int64_t>(0, index + 1 - seen.end);
      range = panned(range, static_cast<float>(by) / static_cast<float>(seen.end - seen.begin));
    };
    show(state_.down, numbers.at.row, map_.values.rows());
    show(state_.across, numbers.at.column, map_.values.cols());
  }

  void place() {
    const std::int64_t rows = map_.values.rows(), columns = map_.values.cols();
    room_ = 0;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(rows, 256); ++i)
      room_ = std::max(room_, ui_.text_width(map_.row_label(i), type::label) + 1);
    room_ = std::clamp(room_, ui_.px(56), ui_.px(112));
    const NumberStretch down = visible_stretch(state_.down, rows),
                        across = visible_stretch(state_.across, columns);
    const float left = room_ + ui_.px(18), head = ui_.px(26), foot = ui_.px(64);
    const float wide = area_.w - left, high = area_.h - head - foot;
    if (wide < 1 || high < 1) return;
    const std::int64_t shown_rows = down.end - down.begin, shown_columns = across.end - across.begin;
    const auto side = [](float room, std::int64_t count, float most) {
      const float exact = room / static_cast<float>(count);
      return exact >= most ? most : exact >= 24 ? std::floor(exact) : exact;  // small cells fill the room
    };
    const float w = std::floor(side(wide, shown_columns, ui_.px(56)) * static_cast<float>(shown_columns));
    const float h = std::floor(side(high, shown_rows, ui_.px(36)) * static_cast<float>(shown_rows));
    cells_ = {{std::round(area_.x + left), std::round(area_.y + head), w, h},
              down.begin,
              across.begin,
              shown_rows,
              shown_columns};
  }

  void picture() const {
    const Box& box = cells_.box;
    std::uint64_t content = map_.content;
    for (const std::int64_t part :
         {static_cast<std::int64_t>(ui_.theme.name), static_cast<std::int64_t>(box.w),
          static_cast<std::int64_t>(box.h), cells_.row0, cells_.column0, cells_.rows, cells_.columns})
      content = mix_hash(content, static_cast<std::uint64_t>(part));
    content = mix_hash(content, map_.most);
    ui_.matrix(map_.label, content, box, [&](const Ui::UseJob& use) {
      RasterJob job = whole_matrix(ui_, map_.values, colormap(scale_.map), box);
      job.row0 = static_cast<double>(cells_.row0);
      job.column0 = static_cast<double>(cells_.column0);
      job.rows = static_cast<double>(cells_.rows);
      job.columns = static_cast<double>(cells_.columns);
      job.low = scale_.low;
      job.high = scale_.high;
      use(job);
    });
  }

  /// A veil over the other heads, and a frame around the chosen one.
  void dim() const {
    const Box& box = cells_.box;
    const auto lit = [](const NumberStretch& all, std::int64_t first, std::int64_t count) {
      return all.begin == all.end ? NumberStretch{first, first + count}
                                  : NumberStretch{std::clamp(all.begin, first, first + count),
                                                  std::clamp(all.end, first, first + count)};
    };
    const NumberStretch columns = lit(map_.lit_columns, cells_.column0, cells_.columns),
                        rows = lit(map_.lit_rows, cells_.row0, cells_.rows);
    const bool some =
        map_.lit_columns.end > map_.lit_columns.begin || map_.lit_rows.end > map_.lit_rows.begin;
    if (!some) return;
    const Rgba veil = fade(ui_.theme.picture, 0.58f);
    if (columns.end <= columns.begin || rows.end <= rows.begin) {
      ui_.fill(box, veil);
      return;
    }
    const Box first = cells_.of(rows.begin, columns.begin), last = cells_.of(rows.end - 1, columns.end - 1);
    const Box bright{first.x, first.y, last.right() - first.x, last.bottom() - first.y};
    ui_.fill({box.x, box.y, bright.x - box.x, box.h}, veil);
    ui_.fill({bright.right(), box.y, box.right() - bright.right(), box.h}, veil);
    ui_.fill({bright.x, box.y, bright.w, bright.y - box.y}, veil);
    ui_.fill({bright.x, bright.bottom(), bright.w, box.bottom() - bright.bottom()}, veil);
    ui_.frame(bright.grown(ui_.px(1)), ui_.theme.text2, std::max(1.f, std::floor(ui_.scale())), ui_.px(2));
  }

  void print() const {
    if (cells_.side_x() < ui_.px(30) || cells_.side_y() < ui_.px(15)) return;
    for (std::int64_t i = cells_.row0; i < cells_.row0 + cells_.rows; ++i) {
      for (std::int64_t j = cells_.column0; j < cells_.column0 + cells_.columns; ++j) {
        const float value = map_.values(i, j);
        const Box cell = cells_.of(i, j);
        Rgba ink = std::isfinite(value) ? ink_on(colour_of(scale_, value)) : 0xFFFFFFFFu;
        if (!holds(map_.lit_columns, j) || !holds(map_.lit_rows, i)) ink = ui_.theme.text3;
        const auto number = static_cast<double>(value);
        const bool fits_two_places = map_.most < 9.99f && cell.w > ui_.px(36);
        ui_.text(cell.centre_x(), cell.centre_y(), fits_two_places ? fixed(number, 2) : score_in_cell(number),
                 {type::tick, ink, Ink::Regular, Align::Centre, cell.w});
      }
    }
  }

  void labels() const {
    const auto step = [](float needed, float side) {
      return std::max<std::int64_t>(1, std::llround(std::ceil(needed / side)));
    };
    ui_.text(cells_.box.x - ui_.px(10), cells_.box.y - ui_.px(12), map_.row_title,
             {type::label, ui_.theme.text2, Ink::Medium, Align::Right});
    const std::int64_t row_step = step(ui_.px(16), cells_.side_y());
    for (std::int64_t i = cells_.row0; i < cells_.row0 + cells_.rows; ++i) {
      const bool chosen = i == map_.marked;
      const bool near_chosen = !chosen && map_.marked >= 0 && std::abs(i - map_.marked) < row_step;
      if (!chosen && ((i - cells_.row0) % row_step != 0 || near_chosen)) continue;
      const Box cell = cells_.of(i, cells_.column0);
      ui_.text(cells_.box.x - ui_.px(10), cell.centre_y(), map_.row_label(i),
               {type::label, chosen ? map_.hue : ui_.theme.text2, chosen ? Ink::Semibold : Ink::Regular,
                Align::Right, room_});
      if (chosen) ui_.fill({cells_.box.x - ui_.px(6), cell.y, ui_.px(3), std::max(1.f, cell.h)}, map_.hue);
    }
    const std::int64_t column_step = step(ui_.px(28), cells_.side_x());
    for (std::int64_t j = cells_.column0; j < cells_.column0 + cells_.columns; ++j) {
      if (j % column_step != 0) continue;
      const Box cell = cells_.of(cells_.row0, j);
      ui_.text(cell.centre_x(), cells_.box.y - ui_.px(12), map_.column_label(j),
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Centre});
    }
  }

  void bar() const {
    const Box ramp{cells_.box.x, area_.bottom() - ui_.px(34),
                   std::min(ui_.px(300), area_.right() - cells_.box.x), ui_.px(10)};
    for (int x = 0; x < static_cast<int>(ramp.w); ++x) {
      const auto i = static_cast<std::size_t>(static_cast<float>(x) / std::max(1.f, ramp.w - 1) * 255);
      ui_.fill({ramp.x + static_cast<float>(x), ramp.y, 1, ramp.h}, colormap(scale_.map)[i]);
    }
    ui_.frame(ramp, ui_.theme.border, std::max(1.f, std::floor(ui_.scale())));
    const float y = ramp.bottom() + ui_.px(11);
    const auto end = [](float v) { return fixed(static_cast<double>(v), 2); };
    ui_.text(ramp.x, y, end(scale_.low), {type::tick, ui_.theme.text2});
    ui_.text(ramp.centre_x(), y, "0", {type::tick, ui_.theme.text3, Ink::Regular, Align::Centre});
    ui_.text(ramp.right(), y, end(scale_.high), {type::tick, ui_.theme.text2, Ink::Regular, Align::Right});
    std::string part = map_.colour_note;
    if (!state_.across.is_whole() || !state_.down.is_whole())
      part = grouped(cells_.rows) + " × " + grouped(cells_.columns) + " of " + grouped(map_.values.rows()) +
             " × " + grouped(map_.values.cols()) + (part.empty() ? "" : " · " + part);
    const float x = ramp.right() + ui_.px(16);
    ui_.text(x, ramp.centre_y(), part,
             {type::tick, ui_.theme.text3, Ink::Regular, Align::Left, std::max(1.f, area_.right() - x)});
  }

  NumberGrid grid() const {
    return {.label = map_.label,
            .area = cells_.box,
            .rows = map_.values.rows(),
            .columns = map_.values.cols(),
            .box_of = [this](NumberAt at) { return cells_.of(at.row, at.column); },
            .under = [this](ImVec2 point) -> std::optional<NumberAt> {
              if (!cells_.box.contains(point)) return std::nullopt;
              const Cell cell = cell_at(cells_.box, point, cells_.rows, cells_.columns);
              return NumberAt{cells_.row0 + cell.query, cells_.column0 + cell.key};
            },
            .value = [this](NumberAt at) { return map_.values(at.row, at.column); },
            .name = map_.name,
            .tip = map_.tip,
            .can_edit = map_.can_edit,
            .stretch = map_.stretch,
            .can_reset = map_.can_reset};
  }

  /// The wheel zooms around the mouse, a drag pans what is zoomed.
  void move(const NumberMapResult& result) {
    if (!result.touch.hovered && !result.touch.held) return;
    const ImGuiIO& io = ImGui::GetIO();
    if (result.touch.hovered && io.MouseWheel != 0) {
      const float factor = std::pow(0.8f, io.MouseWheel);
      const auto turn = [&](ZoomRange& range, float at, std::int64_t count) {
        range = zoomed(range, factor, at, std::min(1.f, least_cells / static_cast<float>(count)));
      };
      turn(state_.across, (io.MousePos.x - cells_.box.x) / cells_.box.w, map_.values.cols());
      turn(state_.down, (io.MousePos.y - cells_.box.y) / cells_.box.h, map_.values.rows());
    }
    if (result.touch.held && io.MouseDown[0] && !state_.numbers.scrubbing) {
      state_.across = panned(state_.across, -io.MouseDelta.x / cells_.box.w);
      state_.down = panned(state_.down, -io.MouseDelta.y / cells_.box.h);
    }
  }

  Scene& scene_;
  const Ui& ui_;
  EditingState& state_;
  const Box area_;
  const NumberMap& map_;
  const ColourScale scale_;
  NumberMapCells cells_;
  float room_ = 0;  // width of the rows' labels
};

}  // namespace

NumberMapResult draw_number_map(Scene& scene, const Box& area, const NumberMap& map) {
  return MapDrawing(scene, area, map).run();
}

}  // namespace attnscope
