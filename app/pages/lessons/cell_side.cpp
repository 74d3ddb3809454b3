// app/pages/lessons: one cell as a step's picture: its query and key number by number, their products, the
// steps from the score to the weight, and what the weight takes of the key's value.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/lessons/until.hpp"
#include "app/pages/lessons/step/parts.hpp"
#include "app/scene/picture.hpp"
#include "app/views/inspector/numbers.hpp"
#include "app/views/parts/strips.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

/// The cell that the step is about: the one it names while its question is open, else the chosen one.
CellPlace place_of_step(const LessonPage& page) {
  const Dimensions& d = page.scene.result.dimensions;
  const std::int64_t head = std::min(page.scene.head(), d.heads - 1);
  const std::int64_t key = page.covered && page.step.key ? *page.step.key : page.scene.cell().key;
  return {0, head, head * d.kv_heads / d.heads, lesson_row(page),
          std::clamp<std::int64_t>(key, 0, d.keys - 1)};
}

/// The stage that the question asks for; of weights the first one, which tells those after it.
Stage asked_stage(const LessonPage& page) {
  const std::string name = page.step.stage.value_or("weights");
  const auto plane = lessons::plane_called(page.scene.result, name);
  if (plane) return holds_weights(*plane) ? Stage::Softmax : *plane;
  return lessons::vectors_called(page.scene.result, name).value_or(Stage::Softmax);
}

bool is_whole(double value) { return std::isfinite(value) && value == std::round(value); }

/// A picture for one frame.
class CellPicture {
 public:
  CellPicture(LessonPage& page, const Box& area)
      : page_(page),
        ui_(page.ui()),
        result_(page.scene.result),
        at_(place_of_step(page)),
        facts_(facts_of(page.scene, at_)),
        products_(products_of(result_, at_, ProductOrder::Dimension)),
        asked_(asked_stage(page)),
        area_(area) {
    find_lines();
    place();
  }

  void draw() {
    if (strips_.w < ui_.px(24) || area_.h < ui_.px(150)) return;
    draw_tokens(false, area_.y);
    draw_tokens(true, area_.y + chips_);
    draw_products();
    if (sums_.h > 0) draw_sums();
    draw_lines();
    if (added_.h > 0) draw_added();
  }

 private:
  bool shows(Stage stage) const { return lessons::shows_stage(page_.step, stage); }
  bool hides(Stage stage) const { return page_.hides() && index_of(stage) >= index_of(asked_); }

  /// The ladder up to the last stage that the step shows, without remarks. A line without a stage, as the
  /// difference from the row's largest, is made of the masked score and is shown with the weight.
  void find_lines() {
    for (LadderLine& line : ladder_of(page_.scene, facts_)) {
      if (line.is_check || !shows(line.stage.value_or(Stage::Softmax))) continue;
      if (line.stage == Stage::Score && is_whole(products_.sum())) line.value = fixed(products_.sum(), 0);
      lines_.push_back(std::move(line));
    }
  }

  void place() {
    chips_ = ui_.px(30);
    labels_ = ui_.px(72);
    const auto numbers = static_cast<float>(std::max<std::size_t>(1, products_.q.size()));
    const float sum = ui_.px(page_.scene.compact ? 100 : 112);
    const float wide = std::floor(std::min(area_.w - labels_ - sum, ui_.px(72) * numbers));
    const bool has_value = knows_values(result_.document) && result_.trace[Stage::Value] && shows(Stage::Mix);
    // The lines of the ladder have the room that is left, up to a height that is easy to read.
    const float above = 2 * chips_ + ui_.px(12), gap = ui_.px(14), added = has_value ? ui_.px(68) : 0;
    const auto count = static_cast<float>(std::max<std::size_t>(1, lines_.size()));
    row_ = std::clamp(std::floor((area_.h - above - 2 * gap - added) * 0.4f / 3), ui_.px(20), ui_.px(44));
    strips_ = {area_.x + labels_, area_.y + above, wide, 3 * row_};
    float room = area_.bottom() - strips_.bottom() - gap - added;
    if (has_value && room / count < ui_.px(22)) room += added;  // the ladder is what the step is about
    line_ = std::clamp(std::floor(room / count), ui_.px(20), ui_.px(38));
    ladder_ = {area_.x, strips_.bottom() + gap, std::min(area_.w, ui_.px(560)), line_ * count};
    // Room that the rest leaves shows how the sum comes about.
    const float left = area_.bottom() - ladder_.bottom() - added - gap;
    if (left >= ui_.px(104)) {
      sums_ = {strips_.x, ladder_.y, strips_.w, std::min(left, ui_.px(180))};
      ladder_.y = sums_.bottom() + gap;
    }
    if (has_value && ladder_.bottom() + added <= area_.bottom() + 1)
      added_ = {strips_.x, ladder_.bottom() + gap, strips_.w, ui_.px(50)};
  }

  /// The tokens as a line of buttons: the query, or the key, of the cell.
  void draw_tokens(bool keys, float y) {
    const std::int64_t count = keys ? result_.dimensions.keys : result_.dimensions.queries;
    const std::int64_t chosen = keys ? at_.key : at_.query;
    const Rgba hue = keys ? ui_.theme.key : ui_.theme.query;
    const auto name = [&](std::int64_t i) {
      return keys ? placed_key_label(result_, 0, i) : placed_query_label(result_, 0, i);
    };
    const auto wide = [&](std::int64_t i) {
      return std::max(ui_.px(26), ui_.text_width(name(i), type::label, Ink::Semibold) + ui_.px(14));
    };
    ui_.text(area_.x, y + ui_.px(13), keys ? "key" : "query", {type::label, hue, Ink::Semibold});
    const float room = area_.right() - strips_.x, gap = ui_.px(4);
    std::int64_t first = chosen;  // as many before the chosen one as have room
    for (float used = wide(chosen); first > 0; --first)
      if ((used += wide(first - 1) + gap) > room) break;
    if (page_.covered) ImGui::BeginDisabled();
    float x = strips_.x;
    for (std::int64_t i = first; i < count && x + wide(i) <= area_.right() + 1; ++i) {
      const Box chip{x, y, wide(i), ui_.px(26)};
      const std::string label =
          keys ? "lesson key " + std::to_string(i) : "lesson query " + std::to_string(i);
      const Ui::Touch touch = ui_.touch(label.c_str(), chip);
      const bool is_chosen = i == chosen;
      ui_.fill(chip,
               is_chosen       ? hue
               : touch.hovered ? ui_.theme.control_hover
                               : ui_.theme.control,
               ui_.px(4));
      if (touch.focused) ui_.frame(chip, ui_.theme.text1, ui_.px(2), ui_.px(4));
      ui_.text(chip.centre_x(), chip.centre_y(), name(i),
               {type::label, is_chosen ? ink_on(hue) : ui_.theme.text1,
                is_chosen ? Ink::Semibold : Ink::Regular, Align::Centre, chip.w});
      if (touch.clicked) page_.scene.next.choose(keys ? Cell{at_.query, i} : Cell{i, at_.key});
      x += chip.w + gap;
    }
    if (page_.covered) ImGui::EndDisabled();
  }

  /// Numbers of a line of strips, integers without decimals.
  void print(const Box& box, const StripMatrix& values, const ColourScale& scale) const {
    if (!has_room_for_numbers(ui_, box, 1, values.cols())) return;
    bool whole = true;
    for (const float value : values.reshaped()) whole = whole && is_whole(static_cast<double>(value));
    for (std::int64_t i = 0; i < values.cols(); ++i) {
      const Box cell = cell_box(box, 0, i, 1, values.cols());
      const auto value = static_cast<double>(values(0, i));
      const bool wide = cell.w >= ui_.px(44) && std::abs(value) < 99.5;
      ui_.text(cell.centre_x(), cell.centre_y() - ui_.px(1),
               whole  ? fixed(value, 0)
               : wide ? fixed(value, 2)
                      : score_in_cell(value),
               {type::label, ink_on(colour_of(scale, values(0, i))), Ink::Regular, Align::Centre, cell.w});
    }
  }

  void draw_strip(const char* place, const Box& box, const StripMatrix& values, float most) const {
    draw_strips(ui_, {.place = place,
                      .box = box,
                      .values = values,
                      .most = most,
                      .ground = ui_.theme.panel,
                      .row_gap = 2,
                      .numbers = false});
    print(box, values, {ui_.theme.scores, -most, most, true});
  }

  Box strip(int row) const {
    return {strips_.x, strips_.y + row_ * static_cast<float>(row), strips_.w, row_};
  }
  void name_strip(const Box& box, std::string_view symbol, Rgba colour) const {
    ui_.text(box.x - ui_.px(12), box.centre_y() - ui_.px(1), symbol,
             {type::body, colour, Ink::Semibold, Align::Right, labels_ - ui_.px(12)});
  }

  /// q, k, and below them their product in every dimension; at the right the sum.
  void draw_products() {
    const OperandNames called = operand_names(result_);
    const StripMatrix q = strip_of(products_.q), k = strip_of(products_.k);
    StripMatrix product(1, std::ssize(products_.product));
    for (std::size_t i = 0; i < products_.product.size(); ++i)
      product(0, static_cast<Eigen::Index>(i)) = static_cast<float>(products_.product[i]);
    std::array<float, 4>& kept = page_.moments().strip_reach;
    const float most = kept_reach(page_, kept[0], std::max(largest_of(q), largest_of(k)));
    name_strip(strip(0), called.query, ui_.theme.query);
    draw_strip("lesson cell query", strip(0), q, most);
    name_strip(strip(1), called.key, ui_.theme.key);
    draw_strip("lesson cell key", strip(1), k, most);
    name_strip(strip(2), called.product, ui_.theme.text1);
    const Box sum{strips_.right() + ui_.px(8), strip(2).y, area_.right() - strips_.right() - ui_.px(8), row_};
    if (hides(Stage::Score)) {
      draw_lesson_lid(page_, {strip(2).x, strip(2).y, strips_.w, row_ - ui_.px(2)}, ui_.theme.border);
      ui_.text(sum.x, sum.centre_y() - ui_.px(1), "Σ = ?", {type::body, ui_.theme.text2, Ink::Semibold});
    } else {
      draw_strip("lesson cell products", strip(2), product, kept_reach(page_, kept[1], largest_of(product)));
      const double total = products_.sum();
      ui_.text(sum.x, sum.centre_y() - ui_.px(1),
               "Σ = " + (is_whole(total) ? fixed(total, 0) : fixed(total, 2)),
               {type::body, ui_.theme.text1, Ink::Semibold, Align::Left, sum.w});
    }
    ring_operands();
  }

  /// The sum of the first products, the first two and so on: the line ends at the score.
  void draw_sums() {
    ui_.text(sums_.x - ui_.px(12), sums_.centre_y(), "sum so far",
             {type::tick, ui_.theme.text2, Ink::Regular, Align::Right, labels_ - ui_.px(12)});
    if (hides(Stage::Score)) return draw_lesson_lid(page_, sums_, ui_.theme.border);
    const std::vector<double>& all = products_.product;
    std::vector<double> sums{0};
    float most = 0;
    for (const double product : all) {
      sums.push_back(sums.back() + product);
      if (std::isfinite(sums.back())) most = std::max(most, static_cast<float>(std::abs(sums.back())));
    }
    most = kept_reach(page_, page_.moments().strip_reach[3], std::max(most, 1e-6f));
    const float zero = std::round(sums_.centre_y()), high = sums_.h / 2 - ui_.px(8);
    const auto y = [&](double sum) {
      return zero - high * std::clamp(static_cast<float>(sum) / most, -1.f, 1.f);
    };
    ui_.horizontal(sums_.x, zero, sums_.w, ui_.theme.border);
    std::vector<ImVec2> line;
    for (std::size_t i = 0; i < sums.size() && std::isfinite(sums[i]); ++i)
      line.push_back(
          {sums_.x + sums_.w * static_cast<float>(i) / static_cast<float>(all.size()), y(sums[i])});
    ui_.polyline(line, ui_.theme.query, std::max(1.f, ui_.px(2)));
    if (line.size() != sums.size()) return;
    ui_.disc(line.back(), ui_.px(4), ui_.theme.query);
    const double total = sums.back();
    ui_.text(sums_.right() + ui_.px(10), line.back().y, is_whole(total) ? fixed(total, 0) : fixed(total, 2),
             {type::body, ui_.theme.query, Ink::Semibold, Align::Left, area_.right() - sums_.right()});
  }

  void ring_operands() const {
    using Kind = lessons::Anchor::Kind;
    if (!page_.pointed) return;
    const lessons::Anchor& word = *page_.pointed;
    const auto is_here = [&](std::int64_t place) {
      return word.places.empty() || word.places.front() == place;
    };
    const auto ring = [&](const Box& box, Rgba colour) {
      ui_.frame(box.grown(ui_.px(2)), colour, ui_.px(3), ui_.px(4));
    };
    if (word.kind == Kind::Query && is_here(at_.query)) ring(strip(0), ui_.theme.query);
    if (word.kind == Kind::Key && is_here(at_.key)) ring(strip(1), ui_.theme.key);
    const bool is_cell = word.kind == Kind::Cell && word.places.back() == at_.key;
    if (is_cell && is_here(at_.query)) ring(ladder_, ui_.theme.text1);
    if (word.kind == Kind::Value && is_here(at_.key) && added_.h > 0) ring(added_, ui_.theme.value);
  }

  /// "scaled  × 1/√8 = 0.354  4.33", line by line. What the question asks for, and what follows from it, has
  /// its name alone.
  void draw_lines() {
    const std::optional<std::size_t> covered = first_covered();
    const float how = ladder_.x + ui_.px(page_.scene.compact ? 104 : 116);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const LadderLine& line = lines_[i];
      const Box row{ladder_.x, ladder_.y + line_ * static_cast<float>(i), ladder_.w, line_};
      const float y = row.centre_y();
      if (row.bottom() > area_.bottom() + ui_.px(2)) break;  // a window that is too low for all of them
      if (i > 0) ui_.horizontal(row.x, row.y, row.w, ui_.theme.hairline);
      ui_.text(row.x, y, line.name,
               {type::body, line.is_result ? ui_.theme.query : ui_.theme.text1, Ink::Medium, Align::Left,
                how - row.x - ui_.px(8)});
      if (covered && i >= *covered) continue;
      const float value = ui_.text(
          row.right(), y, line.value,
          {type::body, line.is_result ? ui_.theme.query : ui_.theme.text1, Ink::Semibold, Align::Right});
      ui_.text(
          how, y, line.how,
          {type::label, ui_.theme.text2, Ink::Regular, Align::Left, row.right() - how - value - ui_.px(12)});
      const bool is_meant = page_.pointed && page_.pointed->kind == lessons::Anchor::Kind::Stage &&
                            line.stage && lessons::plane_called(result_, page_.pointed->name) == line.stage;
      if (is_meant) ui_.frame(row, ui_.theme.text1, ui_.px(2), ui_.px(4));
    }
    if (!covered) return;
    const float bottom = std::min(ladder_.bottom(), area_.bottom()) - ui_.px(2);
    const float top = ladder_.y + line_ * static_cast<float>(*covered) + ui_.px(2);
    if (bottom > top)
      draw_lesson_lid(page_, {how, top, ladder_.right() - how, bottom - top}, ui_.theme.border);
  }

  /// A line without a stage is covered with the weight after it, of which it tells something.
  std::optional<std::size_t> first_covered() const {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (hides(lines_[i].stage.value_or(Stage::Softmax))) return i;
    return std::nullopt;
  }

  /// The key's value, and what of it arrives at the query.
  void draw_added() {
    const float high = std::floor(added_.h / 2);
    const Box of_value{added_.x, added_.y, added_.w, high},
        of_part{added_.x, added_.y + high, added_.w, high};
    const StripMatrix value = strip_of(vector_of(result_, Stage::Value, 0, at_.kv, at_.key));
    const float most = kept_reach(page_, page_.moments().strip_reach[2], largest_of(value));
    name_strip(of_value, "v", ui_.theme.value);
    draw_strip("lesson cell value", of_value, value, most);
    const bool hidden = hides(Stage::Softmax);
    const std::string times = hidden ? "?" : own_number(fixed(facts_.mixed, 2));
    name_strip(of_part, times + "·v", ui_.theme.text1);
    if (hidden)
      return draw_lesson_lid(page_, {of_part.x, of_part.y, of_part.w, of_part.h - ui_.px(2)},
                             ui_.theme.border);
    const StripMatrix part = strip_of(vector_of(result_, Stage::Value, 0, at_.kv, at_.key), facts_.mixed);
    draw_strip("lesson cell part", of_part, part, most);
  }

  LessonPage& page_;
  const Ui& ui_;
  const LayerResult& result_;
  CellPlace at_;
  CellFacts facts_;
  Products products_;
  Stage asked_;
  Box area_;
  std::vector<LadderLine> lines_;
  float chips_ = 0, labels_ = 0, row_ = 0, line_ = 0;
  Box strips_, sums_, ladder_, added_;
};

}  // namespace

void draw_lesson_cell(LessonPage& page, const Box& area) {
  const Ui& ui = page.ui();
  const LayerResult& result = page.scene.result;
  if (knows_scores(result.document) && result.trace[Stage::RotateQuery] && result.trace[Stage::RotateKey])
    return CellPicture(page, area).draw();
  ui.text(area.centre_x(), area.centre_y(), "Queries and keys are not known.",
          {type::body, ui.theme.text2, Ink::Regular, Align::Centre, area.w});
}

}  // namespace attnscope
