// app/views/backends: the card under the top bar with the times: milliseconds of every stage in the last
// change and which stages were kept; on a machine with two backends, of the whole Document on each; the time
// of a frame, the backend and the reason for it.
#include <algorithm>
#include <cmath>
#include <vector>

#include <imgui.h>

#include "app/kit/table_view.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"
#include "app/state/window_state.hpp"
#include "app/views/backends/floating_card.hpp"
#include "app/views/backends/switch.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

/// Milliseconds of one backend; a negative number is not known.
struct TimeColumn {
  std::string name;
  PerStage<double> stages;
  double rest = 0;  // measures and gradients
  double total = 0;
  bool known = true;
};

struct TimingsSheet {
  std::vector<const StageInfo*> rows;  // the stages of the result
  std::vector<TimeColumn> columns;
  double slowest = 0;  // of all stages and columns
  bool kept = false;   // 0 means that the stage was kept

  bool was_kept(std::size_t row) const { return kept && columns[0].stages[rows[row]->stage] == 0; }
};

/// Of the last change, if there is one backend; else of the whole Document on each.
TimingsSheet sheet_of(const Scene& scene) {
  TimingsSheet sheet;
  const LayerResult& result = scene.result;
  for (const StageInfo& stage : stage_table)
    if (result.trace[stage.stage] && is_known(result.document, stage.stage)) sheet.rows.push_back(&stage);
  const std::vector<BackendChoice>& all = scene.backends.choices();
  sheet.kept = scene.backends.is_alone();
  if (sheet.kept) {
    TimeColumn column{"ms", result.milliseconds, 0, scene.run.total_milliseconds};
    double stages = 0;
    for (const double ms : column.stages) stages += ms;
    column.rest = std::max(0.0, column.total - stages);
    sheet.columns.push_back(column);
  } else {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].backend) continue;
      TimeColumn column{own(all[i].name), {}, 0, 0, false};
      if (const WholeTimes* times = scene.backends.times(i))
        column = {column.name, times->stages, times->measures + times->gradients, times->total(), true};
      sheet.columns.push_back(column);
    }
  }
  for (const TimeColumn& column : sheet.columns)
    for (const StageInfo* stage : sheet.rows)
      sheet.slowest = std::max(sheet.slowest, column.stages[stage->stage]);
  return sheet;
}

/// A row per stage, and below them two sums: measures and gradients, and everything. The table refers to the
/// sheet and must not outlive it.
Table timings_table(const TimingsSheet& sheet) {
  const std::size_t stages = sheet.rows.size();
  Table table{.rows = stages + 2, .columns = {}};
  table.columns.push_back({.title = "stage", .cell = [&sheet, stages](std::size_t row) -> TableCell {
                             if (row < stages) return std::string(sheet.rows[row]->name);
                             if (row == stages) return std::string("measures and gradients");
                             return std::string(sheet.kept ? "the last change, ms"
                                                           : "the whole document, ms");
                           }});
  for (const TimeColumn& column : sheet.columns)
    table.columns.push_back({.title = column.name,
                             .cell = [&sheet, &column, stages](std::size_t row) -> TableCell {
                               if (row < stages && sheet.was_kept(row)) return std::string("kept");
                               if (!column.known) return {};
                               if (row < stages) return column.stages[sheet.rows[row]->stage];
                               return row == stages ? column.rest : column.total;
                             },
                             .written = [](double milliseconds) { return fixed(milliseconds, 3); }});
  return table;
}

class TimingsCard {
 public:
  TimingsCard(Scene& scene, const TimingsSheet& sheet, const Box& inner)
      : scene_(scene),
        ui_(scene.ui),
        sheet_(sheet),
        table_(timings_table(sheet)),
        inner_(inner),
        y_(inner.y) {}

  void draw(const std::string& why) {
    draw_title(why);
    draw_stages();
    y_ += ui_.px(8);
    ui_.horizontal(inner_.x, y_, inner_.w, ui_.theme.hairline);
    y_ += ui_.px(8);
    for (std::size_t row = sheet_.rows.size(); row < table_.rows; ++row) draw_sum(row);
    if (!sheet_.kept) draw_ratio();
    draw_frame_rate();
  }

  static float number_width(const Ui& ui) { return ui.px(72); }

 private:
  static constexpr float row_height = 18;

  Box row() {
    const Box box{inner_.x, y_, inner_.w, ui_.px(row_height)};
    y_ += box.h;
    return box;
  }

  void draw_title(const std::string& why) {
    const float width = backend_switch_width(scene_);
    ui_.text(inner_.x, y_ + ui_.px(13), backend_words(scene_.run.backend),
             {type::body, ui_.theme.text1, Ink::Semibold, Align::Left, inner_.w - width - ui_.px(12)});
    draw_backend_switch(scene_, "Computes", {inner_.right() - width, y_, width, ui_.px(26)});
    y_ += ui_.px(36);
    if (!why.empty())
      y_ += ui_.paragraph(inner_.x, y_, inner_.w, why, {type::tick, ui_.theme.text3}) + ui_.px(8);
  }

  float right_of(std::size_t column) const {
    const auto behind = static_cast<float>(sheet_.columns.size() - 1 - column);
    return inner_.right() - behind * number_width(ui_);
  }

  Rgba colour_of(std::size_t column) const { return column == 0 ? ui_.theme.bar : ui_.theme.query; }

  /// The stages with their bars; a right click copies them with both sums.
  void draw_stages() {
    TableLook look{.label = "time of", .row_height = row_height};
    look.columns.push_back({.paint = [this](std::size_t row, const Box& cell) { draw_bars(row, cell); },
                            .paint_head = [](const Box&) {}});
    for (std::size_t i = 0; i < sheet_.columns.size(); ++i)
      look.columns.push_back({.width = number_width(ui_),
                              .gap = -1,
                              .style = [this](std::size_t row) -> TextStyle {
                                return {type::tick, ink_of(row)};
                              },
                              .paint_head = [this, i](const Box& head) { draw_backend_name(i, head); }});
    look.sorts = look.focusable = look.ruled = false;
    look.head_height = sheet_.kept ? 0 : row_height;
    look.ground = [](std::size_t, const Box&, const Ui::Touch&) {};
    Table stages = table_;
    stages.rows = sheet_.rows.size();
    const std::size_t lines = stages.rows + (sheet_.kept ? 0 : 1);
    const float high = ui_.px(row_height) * static_cast<float>(lines);
    TableOrder order;
    const TableTouch touch = draw_table(ui_, {inner_.x, y_, inner_.w, high}, stages, look, order);
    if (!touch.copied.empty()) scene_.requests.copy = tab_separated(table_, rows_by(table_, 0));
    y_ += high;
  }

  Rgba ink_of(std::size_t row) const { return sheet_.was_kept(row) ? ui_.theme.text3 : ui_.theme.text1; }

  void draw_backend_name(std::size_t column, const Box& head) const {
    const float width = ui_.text(head.right(), head.centre_y(), sheet_.columns[column].name,
                                 {type::tick, ui_.theme.text2, Ink::Medium, Align::Right});
    ui_.fill({head.right() - width - ui_.px(12), head.centre_y() - ui_.px(3), ui_.px(6), ui_.px(6)},
             colour_of(column), ui_.px(2));
  }

  /// A stage's name, and for each backend a bar relative to the largest time.
  void draw_bars(std::size_t row, const Box& cell) const {
    const float name = ui_.px(112), count = static_cast<float>(sheet_.columns.size());
    ui_.text(cell.x, cell.centre_y(), sheet_.rows[row]->name,
             {type::tick, ink_of(row), Ink::Regular, Align::Left, name - ui_.px(8)});
    const float thick = ui_.px(4), all = count * thick + (count - 1) * ui_.px(1);
    Box track{cell.x + name, std::round(cell.centre_y() - all / 2), cell.w - name, thick};
    for (std::size_t i = 0; i < sheet_.columns.size(); ++i, track.y += thick + ui_.px(1)) {
      const double ms = sheet_.columns[i].stages[sheet_.rows[row]->stage];
      ui_.fill(track, ui_.theme.bar_ground, ui_.px(2));
      const float share = sheet_.slowest > 0 ? static_cast<float>(ms / sheet_.slowest) : 0;
      if (ms > 0)
        ui_.fill({track.x, track.y, std::max(share * track.w, ui_.px(2)), track.h}, colour_of(i), ui_.px(2));
    }
  }

  void draw_sum(std::size_t of) {
    const Box box = row();
    ui_.text(box.x, box.centre_y(), written_cell(table_.columns[0], of), {type::tick, ui_.theme.text2});
    for (std::size_t i = 0; i < sheet_.columns.size(); ++i)
      ui_.text(right_of(i), box.centre_y(), written_cell(table_.columns[1 + i], of),
               {type::tick, ui_.theme.text1, Ink::Medium, Align::Right});
  }

  void draw_ratio() {
    const Box box = row();
    const std::optional<double> ratio = scene_.backends.ratio();
    if (!ratio) {
      ui_.text(box.x, box.centre_y(), "U computes on the other one, Shift+U compares: then both are timed.",
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Left, box.w});
      return;
    }
    ui_.text(box.x, box.centre_y(), "the slower one takes", {type::tick, ui_.theme.text2});
    ui_.text(box.right(), box.centre_y(), ratio_words(*ratio),
             {type::tick, ui_.theme.query, Ink::Semibold, Align::Right});
  }

  void draw_frame_rate() {
    const Box box = row();
    const auto seconds = static_cast<double>(ImGui::GetIO().DeltaTime);
    ui_.text(box.x, box.centre_y(), "since the frame before", {type::tick, ui_.theme.text2});
    ui_.text(box.right(), box.centre_y(), fixed(1000 * seconds, 1) + " ms",
             {type::tick, ui_.theme.text1, Ink::Regular, Align::Right});
  }

  Scene& scene_;
  const Ui& ui_;
  const TimingsSheet& sheet_;
  Table table_;
  Box inner_;
  float y_;
};

}  // namespace

float timings_width(const Scene& scene) { return scene.ui.px(scene.backends.is_alone() ? 340 : 460); }

void draw_timings(Scene& scene, const Box& below) {
  if (!scene.view.timings) return;
  const Ui& ui = scene.ui;
  const TimingsSheet sheet = sheet_of(scene);
  const std::string why = backend_note(scene);
  const float pad = ui.px(16), width = timings_width(scene), inner = width - 2 * pad;
  const float note = why.empty() ? 0 : ui.paragraph_height(inner, why, type::tick) + ui.px(8);
  const std::size_t lines = sheet.rows.size() + (sheet.kept ? 3 : 5);
  const float height = 2 * pad + ui.px(36) + note + ui.px(18) * static_cast<float>(lines) + ui.px(16);
  const Box box{std::round(below.right() - width - ui.px(16)), below.bottom() + ui.px(8), width, height};
  const FloatingCard card(ui, "timings", box);
  TimingsCard(scene, sheet, {box.x + pad, card.top() + pad, inner, height}).draw(why);
}

}  // namespace attnscope
