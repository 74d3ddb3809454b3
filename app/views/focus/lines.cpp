// app/views: the chosen head, or all heads, as lines between tokens: queries at the left, keys at the right,
// a line for every weight that is kept; the larger the weight, the more opaque the line.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "app/views/focus/scroll_bar.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {
namespace {

constexpr float faintest = 0.0016f;  // weights below are not drawn: 4 % opaque
constexpr std::int64_t most_cells = std::int64_t{1}
                                    << 20;  // read in a frame; of more, only those of the queries in sight
constexpr std::size_t most_lines = 6000;    // drawn at a time, the strongest ones

enum class Side { Query, Key };

struct HoveredToken {
  Side side;
  std::int64_t index;
};

/// The region in one frame: the places of the tokens and the token under the mouse.
class LinesView {
 public:
  LinesView(Scene& scene, const Box& area)
      : scene_(scene), ui_(scene.ui), focus_(focus_of(scene.view)), d_(scene.result.dimensions) {
    plane_ = is_weights(stage_look_of(scene.view).stage) ? stage_look_of(scene.view).stage
                                                         : Plane(weights_stage(scene.result.document));
    place(area);
  }

  void draw() {
    follow_cell();
    take_wheel();
    draw_tokens(Side::Query);
    draw_tokens(Side::Key);
    const KeptLinesPtr lines = visible_lines();
    for (const KeptLine& line : lines->lines) draw_line(line);
    draw_chosen();
    print_weights(lines->lines);
    draw_words(*lines);
    if (is_long()) {
      const Box track{area_.right() - ui_.px(4), field_.y, ui_.px(4), field_.h};
      scroll_bar(ui_, "lines scroll", {track, true, rows(), shown_rows()}, focus_.line_row,
                 focus_gesture_of(scene_.view).grip_query);
    }
    draw_controls();
  }

 private:
  std::int64_t count(Side side) const { return side == Side::Query ? d_.queries : d_.keys; }
  double rows() const { return static_cast<double>(std::max(d_.queries, d_.keys)); }
  double shown_rows() const { return static_cast<double>(field_.h / pitch_); }
  bool is_long() const { return rows() > shown_rows() + 0.01; }
  std::string label(Side side, std::int64_t i) const {
    return side == Side::Query ? query_label(scene_.result, scene_.sequence(), i)
                               : key_label(scene_.result, scene_.sequence(), i);
  }

  void place(const Box& area) {
    area_ = area;
    const float controls = ui_.px(72), head = ui_.px(30);
    field_ = {area.x, area.y + head, area.w, std::max(ui_.px(20), area.h - head - controls)};
    pitch_ = std::clamp(std::floor(field_.h / static_cast<float>(rows())), ui_.px(20), ui_.px(56));
    float widest = ui_.px(40);
    for (const Side side : {Side::Query, Side::Key})
      for (std::int64_t i = 0; i < std::min<std::int64_t>(count(side), 256); ++i)
        widest = std::max(widest, ui_.text_width(label(side, i), type::label, Ink::Semibold));
    label_width_ = std::min(widest, ui_.px(120));
    // The weights of a hovered token are printed outside of the labels.
    const float beside = label_width_ + ui_.px(10) + ui_.px(56);
    const float span = std::clamp(area.w - 2 * beside, ui_.px(60), ui_.px(420));
    left_ = std::round(area.centre_x() - span / 2);
    right_ = left_ + std::round(span);
    focus_.line_row = std::clamp(focus_.line_row, 0.0, std::max(0.0, rows() - shown_rows()));
    focus_.mass = std::clamp(focus_.mass, 0.1f, 1.0f);
  }

  float y(Side side, std::int64_t i) const {
    const double all = rows(), own = static_cast<double>(count(side));
    if (is_long())
      return field_.y + static_cast<float>(static_cast<double>(i) + 0.5 - focus_.line_row) * pitch_;
    const float spare = field_.h - static_cast<float>(all) * pitch_;
    return std::round(field_.y + spare / 2 +
                      static_cast<float>(static_cast<double>(i) + 0.5 + (all - own) / 2) * pitch_);
  }
  bool is_visible(Side side, std::int64_t i) const {
    const float at = y(side, i);
    return at >= field_.y - 0.5f && at <= field_.bottom() + 0.5f;
  }

  LineRequest::Indices visible_tokens(Side side) const {
    LineRequest::Indices all{0, count(side)};
    while (all.first < all.last && !is_visible(side, all.first)) ++all.first;
    while (all.last > all.first && !is_visible(side, all.last - 1)) --all.last;
    return all;
  }

  /// Scrolls a newly chosen query or key into sight.
  void follow_cell() {
    std::optional<Cell>& seen = focus_gesture_of(scene_.view).seen_cell;
    const Cell cell = scene_.selection.cell;
    const auto bring = [&](std::int64_t i) {
      const auto at = static_cast<double>(i);
      if (at < focus_.line_row) focus_.line_row = at;
      if (at + 1 > focus_.line_row + shown_rows()) focus_.line_row = at + 1 - shown_rows();
    };
    if (is_long() && seen && seen->key != cell.key) bring(cell.key);
    if (is_long() && seen && seen->query != cell.query) bring(cell.query);
    seen = cell;
  }

  void take_wheel() {
    ImGui::SetNextItemAllowOverlap();  // the tokens lie on it
    const Ui::Touch touch = ui_.touch("lines", field_, false);
    if (touch.hovered || ImGui::IsMouseHoveringRect(field_.min(), field_.max()))
      focus_.line_row = std::clamp(focus_.line_row - 3.0 * static_cast<double>(ImGui::GetIO().MouseWheel),
                                   0.0, std::max(0.0, rows() - shown_rows()));
  }

  void draw_tokens(Side side) {
    const bool queries = side == Side::Query;
    const float x = queries ? left_ - ui_.px(10) : right_ + ui_.px(10);
    const Rgba hue = queries ? ui_.theme.query : ui_.theme.key;
    const float head = std::max(area_.y + ui_.px(10), y(side, 0) - pitch_ / 2 - ui_.px(14));
    ui_.text(x, is_long() ? area_.y + ui_.px(10) : head, queries ? "query" : "key",
             {type::label, hue, Ink::Medium, queries ? Align::Right : Align::Left});
    const Cell cell = scene_.cell();
    for (std::int64_t i = 0; i < count(side); ++i) {
      if (!is_visible(side, i)) continue;
      const float at = y(side, i);
      const float from = queries ? left_ - ui_.px(10) - label_width_ : right_;
      const std::string id = std::string(queries ? "line query " : "line key ") + std::to_string(i);
      const Ui::Touch touch =
          ui_.touch(id.c_str(), {from, at - pitch_ / 2, label_width_ + ui_.px(10), pitch_}, false);
      const bool marked = i == (queries ? cell.query : cell.key);
      if (touch.hovered) hover(side, i);
      if (touch.clicked) choose(side, i);
      if (touch.hovered)
        ui_.fill({from - ui_.px(4), at - ui_.px(10), label_width_ + ui_.px(18), ui_.px(20)},
                 ui_.theme.control_hover, ui_.px(4));
      ui_.text(x, at, label(side, i),
               {type::label, marked ? hue : ui_.theme.text2, marked ? Ink::Semibold : Ink::Regular,
                queries ? Align::Right : Align::Left, label_width_});
      ui_.disc({queries ? left_ : right_, at}, ui_.px(2), marked ? hue : ui_.theme.text3);
    }
  }

  void hover(Side side, std::int64_t i) {
    hovered_ = HoveredToken{side, i};
    Cell cell = scene_.selection.cell;
    (side == Side::Query ? cell.query : cell.key) = i;
    scene_.next.hovered_cell = cell;
  }
  void choose(Side side, std::int64_t i) {
    Cell cell = scene_.selection.cell;
    (side == Side::Query ? cell.query : cell.key) = i;
    scene_.next.choose(cell);
  }

  /// The lines to draw, the faintest first, so that strong ones are on top; of a hovered token its own.
  KeptLinesPtr visible_lines() {
    LineRequest request{.queries = visible_tokens(Side::Query),
                        .keys = visible_tokens(Side::Key),
                        .faintest = faintest,
                        .most = most_lines};
    if (hovered_) (hovered_->side == Side::Query ? request.query : request.key) = hovered_->index;
    const std::int64_t first = focus_.all_heads ? 0 : scene_.head();
    const std::int64_t last = focus_.all_heads ? d_.heads : first + 1;
    KeptRequest kept{focus_.mass, 0, d_.queries};
    only_visible_ = (last - first) * d_.queries * d_.keys > most_cells;
    if (only_visible_) kept = {focus_.mass, request.queries.first, request.queries.last};
    return scene_.stats.lines(plane_, scene_.sequence(), {first, last}, kept, request);
  }

  /// Heads fan out a little, so that lines of the same pair do not hide each other.
  float fan(std::int64_t head) const {
    if (!focus_.all_heads || d_.heads < 2) return 0;
    const float step = std::min(ui_.px(2.5f), pitch_ * 0.6f / static_cast<float>(d_.heads));
    return (static_cast<float>(head) - static_cast<float>(d_.heads - 1) / 2) * step;
  }

  void draw_line(const KeptLine& line) const {
    const float shift = fan(line.head);
    ImVec2 from{left_, y(Side::Query, line.of.query) + shift}, to{right_, y(Side::Key, line.of.key) + shift};
    if (!cut_to_field(from, to)) return;
    const float weight = std::clamp(line.of.weight, 0.f, 1.f);
    const ImVec2 ends[]{from, to};
    ui_.polyline(ends, fade(ui_.theme.head(line.head), std::sqrt(weight)),
                 ui_.px(1.25f) + ui_.scale() * 1.5f * weight);
  }

  /// Clips a line to the field's upper and lower edge; false if nothing is left.
  bool cut_to_field(ImVec2& from, ImVec2& to) const {
    const float top = field_.y, bottom = field_.bottom();
    if ((from.y < top && to.y < top) || (from.y > bottom && to.y > bottom)) return false;
    const auto cut = [&](ImVec2& end, const ImVec2& other) {
      const float edge = std::clamp(end.y, top, bottom);
      if (edge == end.y) return;
      end = {other.x + (end.x - other.x) * (edge - other.y) / (end.y - other.y), edge};
    };
    cut(from, to);
    cut(to, from);
    return true;
  }

  /// The line of the chosen cell, unless it is masked or another token is hovered.
  void draw_chosen() const {
    const Cell cell = scene_.cell();
    const std::int64_t b = scene_.sequence(), h = scene_.head();
    if (hovered_ || scene_.is_masked(b, h, cell.query, cell.key)) return;
    ImVec2 from{left_, y(Side::Query, cell.query)}, to{right_, y(Side::Key, cell.key)};
    if (!cut_to_field(from, to)) return;
    const ImVec2 ends[]{from, to};
    ui_.polyline(ends, fade(ui_.theme.query, 0.9f), ui_.px(1));
    print(Side::Key, cell.key, scene_.stats.matrix(plane_, b, h)(cell.query, cell.key), ui_.theme.text1);
  }

  void print(Side side, std::int64_t i, float weight, Rgba colour) const {
    if (!is_visible(side, i)) return;
    const bool queries = side == Side::Query;
    const float away = ui_.px(18) + label_width_;
    ui_.text(queries ? left_ - away : right_ + away, y(side, i), tight(static_cast<double>(weight)),
             {type::tick, colour, Ink::Medium, queries ? Align::Right : Align::Left});
  }

  /// Prints the weights of the hovered token's lines at their other ends; of several heads the largest.
  void print_weights(const std::vector<KeptLine>& lines) const {
    if (!hovered_) return;
    const Side other = hovered_->side == Side::Query ? Side::Key : Side::Query;
    std::vector<const KeptLine*> strongest(static_cast<std::size_t>(count(other)));
    for (const KeptLine& line : lines)  // the strongest come last
      strongest[static_cast<std::size_t>(other == Side::Key ? line.of.key : line.of.query)] = &line;
    for (std::size_t i = 0; i < strongest.size(); ++i)
      if (strongest[i] != nullptr)
        print(other, static_cast<std::int64_t>(i), strongest[i]->of.weight,
              focus_.all_heads ? ui_.theme.head(strongest[i]->head) : ui_.theme.text1);
  }

  void draw_words(const KeptLines& of) const {
    std::string words = "showing " + fixed(100 * static_cast<double>(focus_.mass), 0) +
                        " % of each row's mass: " + grouped(of.kept) + " of " + grouped(of.allowed) +
                        (only_visible_ ? " lines of the queries in sight" : " lines");
    if (hovered_)
      words = label(hovered_->side, hovered_->index) + ": " + counted(std::ssize(of.lines), "line", "lines");
    const std::array<std::pair<std::int64_t, std::string_view>, 3> left_out{
        {{of.scrolled_out, "out of sight"}, {of.faint, "too faint"}, {of.too_many, "too many"}}};
    for (const auto& [number, why] : left_out)
      if (number > 0) words += " · " + grouped(number) + " " + inner(why);
    ui_.text(area_.centre_x(), area_.bottom() - ui_.px(58), words,
             {type::tick, ui_.theme.text2, Ink::Regular, Align::Centre, area_.w});
  }

  void draw_controls() {
    const float top = area_.bottom() - ui_.px(44), wide = std::min(ui_.px(260), area_.w * 0.45f);
    const float percent = 100 * focus_.mass;
    const auto mass =
        slider(ui_, "Mass", "mass kept", fixed(static_cast<double>(percent), 0) + " %",
               {area_.x, top, wide, ui_.px(36)}, percent, {10, 100, 70}, focus_.mass != 0.7f,
               {"Mass kept", "Σ strongest ≥ p · Σ row",
                "Each query keeps its strongest keys until they make up this share of its weight."});
    if (mass) focus_.mass = std::clamp(*mass, 10.f, 100.f) / 100;
    constexpr std::array<std::string_view, 2> names{"This head", "All heads"};
    const std::array<Tip, 2> tips{
        Tip{"This head",
            {},
            "Lines of the chosen head, in its hue. Opacity is the square root of the weight."},
        Tip{"All heads", {}, "Lines of every head, each in its own hue."}};
    const float size = ui_.px(176);
    const auto chosen = segments(ui_, "Lines of", {area_.right() - size, top + ui_.px(10), size, ui_.px(26)},
                                 names, focus_.all_heads ? 1 : 0, tips, {.text_size = type::tick});
    if (chosen) focus_.all_heads = *chosen == 1;
  }

  Scene& scene_;
  const Ui& ui_;
  FocusState& focus_;
  const Dimensions& d_;
  Plane plane_{Stage::Softmax};
  Box area_, field_;  // the whole region, and the part with the lines
  float pitch_ = 0, label_width_ = 0, left_ = 0,
        right_ = 0;  // height of a row; width of the labels; ends of the lines
  std::optional<HoveredToken> hovered_;
  bool only_visible_ = false;  // queries out of sight are not counted
};

}  // namespace

void draw_lines(Scene& scene, const Box& area) { LinesView(scene, area).draw(); }

}  // namespace attnscope
