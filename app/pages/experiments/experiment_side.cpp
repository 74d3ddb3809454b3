// app/pages/experiments: the right column: both matrices at the chosen value, the table, and their buttons.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/table_view.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/pages/experiments/acts.hpp"
#include "app/pages/experiments/experiment_state.hpp"
#include "app/pages/experiments/parts.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/teaching/experiment_lessons.hpp"

namespace attnscope {
namespace {

float largest_number_of(const Tensor& numbers) {
  float largest = 0;
  for (const float number : numbers.values())
    if (number > largest) largest = number;
  return largest;
}

void draw_experiment_matrix(const ExperimentPage& page, const Tensor& numbers, const ColourScale& scale,
                            const Box& box, const char* place) {
  const Ui& ui = page.ui();
  ui.frame(box.grown(1), ui.theme.border);
  if (numbers.size() == 0) return;
  std::uint64_t content = mix_hash(mix_hash(0, ui.textures.serial(page.shown.look)), scale.high);
  for (const auto part : {static_cast<std::uint64_t>(scale.map), static_cast<std::uint64_t>(box.w),
                          static_cast<std::uint64_t>(box.h), static_cast<std::uint64_t>(ui.theme.name)})
    content = mix_hash(content, part);
  ui.matrix(place, content, box, [&](const Ui::UseJob& use) {
    RasterJob job = whole_matrix(ui, numbers.matrix(), colormap(scale.map), box);
    job.low = scale.low;
    job.high = scale.high;
    use(job);
  });
}

/// Both matrices with their names, and the ramp. Returns the y below.
float draw_experiment_pictures(const ExperimentPage& page, const Box& box) {
  const Ui& ui = page.ui();
  const float gap = ui.px(16), side = std::floor((box.w - gap) / 2), title = ui.px(22);
  const float high = std::min(side, ui.px(page.narrow ? 120 : 176));
  const Box a{box.x, box.y + title, side, high}, b{box.x + side + gap, box.y + title, side, high};
  const experiments::Look* const look = page.shown.look.get();
  const double value = page.shown.experiment->values[page.point];
  const double shown = look != nullptr ? look->value : std::min(value, page.shown.experiment->most_shown);
  ui.text(a.x, box.y + ui.px(8), page.words.picture_a(shown),
          {type::label, ui.theme.text1, Ink::Semibold, Align::Left, side});
  ui.text(b.x, box.y + ui.px(8), page.words.picture_b(shown),
          {type::label, ui.theme.b, Ink::Semibold, Align::Left, side});
  ColourScale scale{.map = weights_map(ui.theme, focus_of(page.scene.view).colours), .low = 0, .high = 1};
  const Tensor none;
  const Tensor &left = look != nullptr ? look->pictures.a : none,
               &right = look != nullptr ? look->pictures.b : none;
  const float largest = std::max(largest_number_of(left), largest_number_of(right));
  scale.high = page.words.picture_high > 0 ? page.words.picture_high : largest > 0 ? largest : 1;
  draw_experiment_matrix(page, left, scale, a, "experiment A");
  draw_experiment_matrix(page, right, scale, b, "experiment B");
  std::int64_t above = 0, all = 0;
  for (const Tensor* matrix : {&left, &right}) {
    all += matrix->size();
    for (const float number : matrix->values()) above += number > scale.high ? 1 : 0;
  }
  float y = a.bottom() + ui.px(14);
  const std::string clipped =
      above > 0
          ? "clipped above: " + fixed(100 * static_cast<double>(above) / static_cast<double>(all), 1) + " %"
          : "";
  const float right_width =
      ui.text(box.right(), y, clipped, {type::tick, ui.theme.key, Ink::Regular, Align::Right});
  if (look != nullptr && left.size() > 0) {
    std::string size = grouped(left.shape()[0]) + " × " + grouped(left.shape()[1]);
    if (value > page.shown.experiment->most_shown)
      size += "   ·   " + std::string(page.words.symbol) + "   " + page.words.value(shown);
    ui.text(box.x, y, size,
            {type::tick, ui.theme.text2, Ink::Regular, Align::Left, box.w - right_width - ui.px(12)});
  }
  y += ui.px(18);
  const float from = ui.text(box.x, y, "0", {type::tick, ui.theme.text2});
  const float to = ui.text(box.right(), y, tight(static_cast<double>(scale.high)),
                           {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  draw_ramp(ui, "experiment ramp",
            {box.x + from + ui.px(8), y - ui.px(4), box.w - from - to - ui.px(16), ui.px(8)}, scale,
            scale.low, scale.high);
  return y + ui.px(14);
}

/// Whether each word of the translated text is at most `room` wide: paragraphs break only between words.
bool has_room_for_words(const Ui& ui, std::string_view text, float room) {
  const std::string words = ui.translated(text);
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (ui.text_width(own(words.substr(at, end - at)), type::tick) > room) return false;
    at = end + 1;
  }
  return true;
}

/// A and B as large numbers; their words are beside them, or below if they do not fit there.
float draw_experiment_headline(const ExperimentPage& page, const Box& row) {
  const Ui& ui = page.ui();
  const ExperimentHeadline& line = page.words.headline;
  const ExperimentNumbers numbers = page.numbers();
  ui.horizontal(row.x, row.y, row.w, ui.theme.hairline);
  const float y = row.y + ui.px(28), half = row.w / 2;
  const float size = page.narrow ? type::title : 26;
  std::array<float, 2> wide{};
  for (const bool is_b : {false, true})
    wide[is_b ? 1 : 0] = ui.text(row.x + (is_b ? half : 0), y, numbers.say(is_b ? line.b : line.a, line.form),
                                 {size, is_b ? ui.theme.b : ui.theme.text1, Ink::Semibold});
  const float room = half - std::max(wide[0], wide[1]) - ui.px(18);
  if (page.narrow || !has_room_for_words(ui, line.words, room)) {
    ui.text(row.x, y + ui.px(20), line.words, {type::tick, ui.theme.text2, Ink::Regular, Align::Left, row.w});
    return y + ui.px(34);
  }
  for (const bool is_b : {false, true})
    ui.paragraph(row.x + (is_b ? half : 0) + wide[is_b ? 1 : 0] + ui.px(10), y - ui.px(16), room, line.words,
                 {type::tick, ui.theme.text2});
  return y + ui.px(26);
}

/// In a narrow window the smallest numbers have one digit.
std::string in_table(NumberForm form, double number, bool narrow) {
  const bool smallest = number != 0 && std::abs(number) < 0.00095;
  return narrow && smallest && form == NumberForm::Small ? tight(number) : written_number(form, number);
}

/// Returns the y below.
float draw_experiment_table_title(const ExperimentPage& page, const Box& box) {
  const Ui& ui = page.ui();
  ui.horizontal(box.x, box.y, box.w, ui.theme.hairline);
  const float y = box.y + ui.px(18);
  const std::string seeds = std::to_string(page.shown.experiment->seeds) + " " + inner(page.words.repeats);
  const float right =
      page.shown.experiment->seeds < 2
          ? 0
          : ui.text(box.right(), y, seeds, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  ui.text(box.x, y, "Numbers",
          {type::label, ui.theme.text1, Ink::Semibold, Align::Left, box.w - right - ui.px(8)});
  return y + ui.px(12);
}

/// The column of the sweep's values is as wide as its texts; the columns of numbers share the rest.
std::vector<ColumnLook> experiment_columns(const ExperimentPage& page) {
  const Ui& ui = page.ui();
  const auto ink = [point = page.point](std::size_t row) {
    return row == point ? Ink::Semibold : Ink::Regular;
  };
  float widest = ui.text_width(page.words.symbol, type::tick);
  for (std::size_t row = 0; row < page.values(); ++row)
    widest = std::max(widest, ui.text_width(page.value_at(row), type::tick, Ink::Semibold));
  std::vector<ColumnLook> columns;
  columns.push_back({.width = widest + ui.px(12),
                     .inset = 8,
                     .gap = -1,
                     .head_gap = -1,
                     .head_colour = ui.theme.text2,
                     .style = [&page, ink](std::size_t row) -> TextStyle {
                       const Theme& theme = page.ui().theme;
                       return {type::tick, row == page.point ? theme.query : theme.text2, ink(row)};
                     }});
  for (const QuantityColumn& of : page.words.columns) {
    const Rgba colour = hue_of(ui.theme, of.hue);
    columns.push_back(
        {.gap = 2, .below = of.of, .head_colour = colour, .style = [colour, ink](std::size_t row) {
           return TextStyle{type::tick, colour, ink(row)};
         }});
  }
  return columns;
}

/// One row for each value of the sweep, with typical numbers; files have all numbers, see core/experiments.
/// The table refers to the page and must not outlive it.
Table experiment_table(const ExperimentPage& page) {
  Table table{.rows = page.values(), .columns = {}};
  table.columns.push_back({.title = page.words.symbol,
                           .cell = [&page](std::size_t row) -> TableCell { return page.value_at(row); }});
  for (const QuantityColumn& of : page.words.columns)
    table.columns.push_back({.title = of.head, .cell = [&page, &of](std::size_t row) -> TableCell {
                               const double number = page.numbers().at(row, of.quantity);
                               if (!std::isnan(number)) return in_table(of.form, number, page.narrow);
                               const bool measured = page.shown.points[row].has_value();
                               return std::string(!measured ? "…" : of.nan ? "NaN" : "–");
                             }});
  return table;
}

void draw_experiment_table(const ExperimentPage& page, const Box& box) {
  const Ui& ui = page.ui();
  TableLook look{.label = "experiment row", .row_height = 19, .columns = experiment_columns(page)};
  look.most_row_height = 27;
  look.sorts = false;
  look.name = [](std::size_t row) { return std::to_string(row); };
  look.focusable = false;  // the arrow keys choose values
  look.followed = static_cast<std::int64_t>(page.point);
  look.ground = [&](std::size_t row, const Box& at, const Ui::Touch& touch) {
    const bool chosen = row == page.point;
    if (chosen || touch.hovered)
      ui.fill({at.x - ui.px(6), at.y, at.w + ui.px(12), at.h}, chosen ? ui.theme.control : ui.theme.raised);
    if (chosen) ui.fill({at.x - ui.px(6), at.y, ui.px(2), at.h}, ui.theme.query);
  };
  const float top = draw_experiment_table_title(page, box);
  TableOrder& order = experiment_of(page.scene.view).orders[std::string(page.words.name)];
  ImGui::PushID(page.words.name.data(), page.words.name.data() + page.words.name.size());
  const TableTouch touch =
      draw_table(ui, {box.x, top, box.w, box.bottom() - top}, experiment_table(page), look, order);
  ImGui::PopID();
  if (touch.clicked) page.choose(*touch.clicked);
  if (!touch.copied.empty()) copy_experiment(page.scene);  // all numbers, as the button does
}

/// "Lesson 4", at the right end. Returns the width it takes.
float draw_lesson_of_experiment(const ExperimentPage& page, const Box& row) {
  const auto found =
      std::ranges::find(lessons_of_experiments, page.words.number, &LessonOfExperiment::experiment);
  if (found == lessons_of_experiments.end()) return 0;
  const Ui& ui = page.ui();
  const std::string name(found->lesson);
  const std::string label = "Lesson " + std::to_string(std::stoi(name));
  const float wide = ui.text_width(label, type::label, Ink::Medium) + ui.px(24);
  const Box place{row.right() - wide, row.y, wide, row.h};
  if (button(ui, "Lesson of the experiment", place,
             {label, {}, "The lesson that asks before it shows this.", {}}, label))
    page.scene.requests.lesson = LessonRequest{name, 0};
  return wide + ui.px(8);
}

}  // namespace

void draw_experiment_side(const ExperimentPage& page, const Box& box) {
  const Ui& ui = page.ui();
  ui.vertical(box.x, box.y, box.h, ui.theme.hairline);
  const float pad = ui.px(page.narrow ? 14 : 20);
  const Box inner{box.x + pad, box.y, box.w - 2 * pad, box.h};
  const float top = box.y + ui.px(page.narrow ? 18 : 24);
  const std::string at = std::string(page.words.symbol) + "   " + page.value_at(page.point);
  const float right =
      ui.text(inner.right(), top, at, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  ui.text(inner.x, top, page.words.picture_title,
          {type::body, ui.theme.text1, Ink::Semibold, Align::Left, inner.w - right - ui.px(8)});
  float y = draw_experiment_pictures(page, {inner.x, top + ui.px(18), inner.w, 0});
  y = draw_experiment_headline(page, {inner.x, y, inner.w, 0}) + ui.px(2);
  const float button_high = ui.px(page.narrow ? 28 : 34), gap = ui.px(8);
  const float buttons = box.bottom() - ui.px(page.narrow ? 12 : 36) - 2 * button_high - gap;
  draw_experiment_table(page, {inner.x, y, inner.w, std::max(0.f, buttons - ui.px(10) - y)});
  const float lesson = draw_lesson_of_experiment(page, {inner.x, buttons, inner.w, button_high});
  const Box open{inner.x, buttons, inner.w - lesson, button_high};
  const std::string_view opens = page.narrow && lesson > 0 ? "Open in Explore" : "Open this state in Explore";
  if (button(ui, "Open this state in Explore", open,
             {"Open in Explore",
              {},
              "What was measured becomes the document, the change is held as B.",
              "Enter"},
             opens))
    open_experiment(page.scene);
  const float third = std::floor((inner.w - 2 * gap) / 3);
  const Box copy{inner.x, open.bottom() + gap, third, button_high};
  const Box save{copy.right() + gap, copy.y, third, button_high};
  const Box film{save.right() + gap, copy.y, inner.right() - save.right() - gap, button_high};
  if (button(ui, "Copy the table", copy,
             {"Copy the table", {}, "As tab-separated text, for a spreadsheet.", "C"}, "Copy table"))
    copy_experiment(page.scene);
  if (button(ui, "Save table as CSV", save,
             {"Save the table", {}, "Every number with its least and greatest seed.", "S"}, "Table as CSV"))
    save_experiment(page.scene);
  if (button(ui, "Save sweep as PNG", film,
             {"Save the sweep", {}, "An animated PNG that goes through all values.", {}}, "Sweep as PNG"))
    film_experiment(page.scene);
  if (!page.narrow)
    ui.text(inner.x, save.bottom() + ui.px(16), "Esc goes to Explore, F9 comes back.",
            {type::tick, ui.theme.text3, Ink::Regular, Align::Left, inner.w});
}

}  // namespace attnscope
