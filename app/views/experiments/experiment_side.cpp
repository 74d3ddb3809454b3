// app/views/experiments: what stands right: both matrices at the chosen value, the table, and what can be
// done with them.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/scene/picture.hpp"
#include "app/ui/number_format.hpp"
#include "app/views/experiments/experiments.hpp"
#include "app/views/experiments/page.hpp"
#include "app/views/lessons/playing.hpp"

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
  std::uint64_t content = mix_hash(mix_hash(0, ui.textures.serial(page.sight.look)), scale.high);
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
  const experiments::Look* const look = page.sight.look.get();
  const double value = page.sight.experiment->values[page.point];
  const double shown = look != nullptr ? look->value : std::min(value, page.sight.experiment->most_shown);
  ui.text(a.x, box.y + ui.px(8), page.words.picture_a(shown),
          {type::label, ui.theme.text1, Ink::Semibold, Align::Left, side});
  ui.text(b.x, box.y + ui.px(8), page.words.picture_b(shown),
          {type::label, ui.theme.b, Ink::Semibold, Align::Left, side});
  ColourScale scale{.map = weights_map(ui.theme, page.scene.view.focus->colours), .low = 0, .high = 1};
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
    if (value > page.sight.experiment->most_shown)
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

/// Whether every word of a text has that much room: a paragraph breaks between words alone.
bool has_room_for_words(const Ui& ui, std::string_view text, float room) {
  const std::string words = ui.translated(text);
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (ui.text_width(own(words.substr(at, end - at)), type::tick) > room) return false;
    at = end + 1;
  }
  return true;
}

/// A and B as large numbers; their words stand beside them, or below where they have no room there.
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

/// Where there is little room the smallest numbers have one digit.
std::string in_table(NumberForm form, double number, bool narrow) {
  const bool smallest = number != 0 && std::abs(number) < 0.00095;
  return narrow && smallest && form == NumberForm::Small ? tight(number) : written_number(form, number);
}

void draw_experiment_table(const ExperimentPage& page, const Box& box) {
  const Ui& ui = page.ui();
  ui.horizontal(box.x, box.y, box.w, ui.theme.hairline);
  float y = box.y + ui.px(18);
  const std::string seeds = std::to_string(page.sight.experiment->seeds) + " " + inner(page.words.repeats);
  const float right =
      page.sight.experiment->seeds < 2
          ? 0
          : ui.text(box.right(), y, seeds, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  ui.text(box.x, y, "Numbers",
          {type::label, ui.theme.text1, Ink::Semibold, Align::Left, box.w - right - ui.px(8)});
  y += ui.px(24);
  float widest = ui.text_width(page.words.symbol, type::tick);
  for (std::size_t i = 0; i < page.values(); ++i)
    widest = std::max(widest, ui.text_width(page.value_at(i), type::tick, Ink::Semibold));
  const float first = widest + ui.px(12);
  const std::size_t columns = page.words.columns.size();
  const float wide = (box.w - first) / static_cast<float>(columns);
  const auto column = [&](std::size_t c) { return box.x + first + wide * static_cast<float>(c + 1); };
  ui.text(box.x + first - ui.px(8), y, page.words.symbol,
          {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  const bool two_lines =
      std::ranges::any_of(page.words.columns, [](const QuantityColumn& of) { return !of.of.empty(); });
  for (std::size_t c = 0; c < columns; ++c) {
    const QuantityColumn& of = page.words.columns[c];
    const TextStyle style{type::tick, hue_of(ui.theme, of.hue), Ink::Regular, Align::Right, wide - ui.px(4)};
    ui.text(column(c), y, of.head, style);
    if (!of.of.empty()) ui.text(column(c), y + ui.px(15), of.of, style);
  }
  if (two_lines) y += ui.px(15);
  y += ui.px(12);
  ui.horizontal(box.x, y, box.w, ui.theme.hairline);
  y += ui.px(3);
  const auto count = page.values();
  const float room = box.bottom() - y;
  const float high = std::clamp(std::floor(room / static_cast<float>(count)), ui.px(19), ui.px(27));
  const auto fit =
      std::min<std::size_t>(count, static_cast<std::size_t>(std::max(1.f, std::floor(room / high))));
  const std::size_t begin = page.point < fit / 2 ? 0 : std::min(page.point - fit / 2, count - fit);
  for (std::size_t i = begin; i < begin + fit; ++i) {
    const Box row{box.x, y + high * static_cast<float>(i - begin), box.w, high};
    const bool chosen = i == page.point;
    const Ui::Touch touch = ui.touch(("experiment row " + std::to_string(i)).c_str(), row.grown(0), false);
    if (chosen || touch.hovered)
      ui.fill({row.x - ui.px(6), row.y, row.w + ui.px(12), row.h},
              chosen ? ui.theme.control : ui.theme.raised);
    if (chosen) ui.fill({row.x - ui.px(6), row.y, ui.px(2), row.h}, ui.theme.query);
    const Ink ink = chosen ? Ink::Semibold : Ink::Regular;
    ui.text(box.x + first - ui.px(8), row.centre_y(), page.value_at(i),
            {type::tick, chosen ? ui.theme.query : ui.theme.text2, ink, Align::Right});
    for (std::size_t c = 0; c < columns; ++c) {
      const QuantityColumn& of = page.words.columns[c];
      const double number = page.numbers().at(i, of.quantity);
      const std::string_view nothing = !page.sight.points[i] ? "…" : of.nan ? "NaN" : "–";  // not yet; none
      ui.text(column(c), row.centre_y(),
              std::isnan(number) ? std::string(nothing) : in_table(of.form, number, page.narrow),
              {type::tick, hue_of(ui.theme, of.hue), ink, Align::Right, wide - ui.px(2)});
    }
    if (touch.clicked) page.choose(i);
  }
}

/// The lesson that asks what the experiment shows.
struct LessonOfExperiment {
  int experiment;
  std::string_view lesson;  // of its file, without ending
};
constexpr std::array<LessonOfExperiment, 13> lessons_of_experiments{{{1, "04-why-divide"},
                                                                     {2, "06-five-wrong-masks"},
                                                                     {3, "13-long-sequences"},
                                                                     {4, "13-long-sequences"},
                                                                     {6, "09-where-am-i"},
                                                                     {8, "14-generating-with-a-cache"},
                                                                     {9, "10-reading-a-matrix"},
                                                                     {10, "10-reading-a-matrix"},
                                                                     {11, "13-long-sequences"},
                                                                     {12, "08-what-entropy-tells"},
                                                                     {13, "07-many-heads"},
                                                                     {14, "08-what-entropy-tells"},
                                                                     {15, "09-where-am-i"}}};

/// "Lesson 4", at the right end. Returns what it takes of the row.
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
    open_lesson(page.scene, name);
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
