// app/pages/model: a score as a table: parts of the query's stream by parts of the key's. Its cells add up to
// the score; a click on a head's part shows that head.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/why/why.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {
namespace {

std::string cell_number(double value) {
  if (std::abs(value) < 0.995) return in_cell(value);
  return fixed(value, std::abs(value) < 9.995 ? 2 : 1);
}

class WhyTable {
 public:
  WhyTable(Scene& scene, const WhyReading& why, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        spec_(scene.model->within.model->model->spec),
        why_(why),
        split_(why.score),
        words_(model_state_of(scene.view).split),
        groups_(why_groups(model_state_of(scene.view).split)),
        queries_(groups_->queries),
        keys_(groups_->keys),
        cells_(groups_->cells),
        region_(region) {
    for (const double value : cells_.values()) most_ = std::max(most_, std::abs(value));
    for (const PartGroup& group : queries_) most_sum_ = std::max(most_sum_, std::abs(group.sum));
    for (const PartGroup& group : keys_) most_sum_ = std::max(most_sum_, std::abs(group.sum));
    scale_ = {.map = ui_.theme.scores,
              .low = -static_cast<float>(most_),
              .high = static_cast<float>(most_),
              .zero_centred = true};
    plan();
  }

  void draw() {
    if (side_x_ < ui_.px(12) || side_y_ < ui_.px(10)) return;
    draw_corner();
    for (std::size_t b = 0; b < keys_.size(); ++b) draw_key_head(b);
    for (std::size_t a = 0; a < queries_.size(); ++a) {
      draw_query_head(a);
      for (std::size_t b = 0; b < keys_.size(); ++b) draw_cell(a, b);
      draw_query_sum(a);
    }
    for (std::size_t b = 0; b < keys_.size(); ++b) draw_key_sum(b);
    draw_mark();
    draw_total();
    if (!scene_.compact) draw_formula();
  }

 private:
  void plan() {
    const bool compact = scene_.compact;
    const float pad = region_pad(scene_), head = ui_.px(compact ? 38 : 48);
    label_ = ui_.px(compact ? 84 : 96);
    sum_ = ui_.px(compact ? 52 : 72);
    below_ = ui_.px(compact ? 36 : 46);
    formula_ = compact ? 0 : ui_.px(78);
    const Box area{region_.x + pad, region_.y + title_height(ui_), region_.w - 2 * pad,
                   region_.h - title_height(ui_) - ui_.px(6)};
    side_x_ = std::floor((area.w - label_ - sum_) / static_cast<float>(keys_.size()));
    side_y_ = std::floor((area.h - head - below_ - formula_) / static_cast<float>(queries_.size()));
    side_y_ = std::min(side_y_, ui_.px(52));
    grid_ = {area.x + label_, area.y + head, side_x_ * static_cast<float>(keys_.size()),
             side_y_ * static_cast<float>(queries_.size())};
    head_ = head;
    area_ = area;
  }

  PartName query_name(std::size_t a) const { return part_name(split_.query_parts, queries_[a]); }
  PartName key_name(std::size_t b) const { return part_name(split_.key_parts, keys_[b]); }
  std::optional<ModelHead> query_head(std::size_t a) const {
    return head_of(why_.asked.score.of, split_.query_parts, queries_[a]);
  }
  std::optional<ModelHead> key_head(std::size_t b) const {
    return head_of(why_.asked.score.of, split_.key_parts, keys_[b]);
  }
  Box cell(std::size_t a, std::size_t b) const {
    return {grid_.x + static_cast<float>(b) * side_x_, grid_.y + static_cast<float>(a) * side_y_, side_x_,
            side_y_};
  }

  void draw_corner() {
    const float y = grid_.y - head_ + ui_.px(scene_.compact ? 10 : 14);
    const float step = ui_.px(scene_.compact ? 15 : 18);
    ui_.text(area_.x, y, "key parts →", {type::tick, ui_.theme.key, Ink::Medium, Align::Left, label_});
    ui_.text(area_.x, y + step, "query parts ↓",
             {type::tick, ui_.theme.query, Ink::Medium, Align::Left, label_});
    ui_.text(area_.right(), y + step, "Σ keys", {type::tick, ui_.theme.text2, Ink::Regular, Align::Right});
    ui_.text(area_.x + label_ - ui_.px(8), grid_.bottom() + ui_.px(13), "Σ queries",
             {type::tick, ui_.theme.text2, Ink::Regular, Align::Right, label_});
  }

  void draw_key_head(std::size_t b) {
    const PartName name = key_name(b);
    const Box box{grid_.x + static_cast<float>(b) * side_x_, grid_.y - head_, side_x_, head_};
    const std::optional<ModelHead> head = key_head(b);
    const Ui::Touch touch = ui_.touch(("key part " + name.line()).c_str(), box, head.has_value());
    draw_link_marks(ui_, touch, box, head.has_value());
    const float y = box.y + ui_.px(scene_.compact ? 10 : 14), step = ui_.px(scene_.compact ? 15 : 18);
    const TextStyle style{type::tick, ui_.theme.text2, Ink::Regular, Align::Centre, side_x_ - ui_.px(2)};
    ui_.text(box.centre_x(), name.number.empty() ? y + step : y, name.kind, style);
    ui_.text(box.centre_x(), y + step, name.number,
             {type::tick, ui_.theme.text1, Ink::Semibold, Align::Centre, side_x_ - ui_.px(2)});
    tooltip(ui_, touch.hovered, box,
            {name.line(), "Σ " + signed_number(keys_[b].sum),
             "What this part put into the key of " + own(words_.key) + ", times all of the query.",
             head ? std::string_view("click") : std::string_view()});
    if (touch.clicked && head) go_to_head(scene_, *head, why_.asked.score.key);
  }

  void draw_query_head(std::size_t a) {
    const PartName name = query_name(a);
    const Box box{area_.x, grid_.y + static_cast<float>(a) * side_y_, label_, side_y_};
    const std::optional<ModelHead> head = query_head(a);
    const Ui::Touch touch = ui_.touch(("query part " + name.line()).c_str(), box, head.has_value());
    draw_link_marks(ui_, touch, box, head.has_value());
    ui_.text(box.right() - ui_.px(8), box.centre_y(), name.line(),
             {type::label, head ? ui_.theme.text1 : ui_.theme.text2, Ink::Regular, Align::Right,
              label_ - ui_.px(10)});
    tooltip(ui_, touch.hovered, box,
            {name.line(), "Σ " + signed_number(queries_[a].sum),
             "What this part put into the query of " + own(words_.query) + ", times all of the key.",
             head ? std::string_view("click") : std::string_view()});
    if (touch.clicked && head) go_to_head(scene_, *head, why_.asked.score.query);
  }

  void draw_cell(std::size_t a, std::size_t b) {
    const Box whole = cell(a, b);
    const Box box{whole.x, whole.y, whole.w - ui_.px(1), whole.h - ui_.px(1)};
    const double value = cells_.matrix()(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
    const Rgba ground = colour_of(scale_, static_cast<float>(value));
    ui_.fill(box, ground);
    if (side_x_ >= ui_.px(28))
      ui_.text(box.centre_x(), box.centre_y(), cell_number(value),
               {type::tick, std::abs(value) < 0.06 * most_ ? ui_.theme.text3 : ink_on(ground), Ink::Regular,
                Align::Centre});
    const std::optional<ModelHead> from = query_head(a), to = key_head(b);
    const std::string label = "why " + std::to_string(a) + " " + std::to_string(b);
    const Ui::Touch touch = ui_.touch(label.c_str(), whole, false);
    if (touch.pointed) model_state_of(scene_.view).split.mark.reset();
    if (touch.hovered) ui_.frame(box, ui_.theme.text1, ui_.px(1));
    tooltip(ui_, touch.hovered, whole,
            {inner(query_name(a).line()) + " × " + inner(key_name(b).line()),
             signed_number(value),
             "What the first put into the query of " + own(words_.query) +
                 ", times what the second put into the key of " + own(words_.key) + ".",
             {}});
    if (!touch.clicked) return;
    if (from) return go_to_head(scene_, *from, why_.asked.score.query);
    if (to) go_to_head(scene_, *to, why_.asked.score.key);
  }

  /// Draws the cell that the arrow keys have reached.
  void draw_mark() {
    WhyState& state = model_state_of(scene_.view).split;
    state.rows = std::ssize(queries_);
    state.columns = std::ssize(keys_);
    if (!state.mark) return;
    state.mark->query = std::clamp<std::int64_t>(state.mark->query, 0, state.rows - 1);
    state.mark->key = std::clamp<std::int64_t>(state.mark->key, 0, state.columns - 1);
    const auto a = static_cast<std::size_t>(state.mark->query), b = static_cast<std::size_t>(state.mark->key);
    const Box box = cell(a, b);
    ui_.frame({box.x, box.y, box.w - ui_.px(1), box.h - ui_.px(1)}, ui_.theme.query, ui_.px(2), ui_.px(2));
    const double value = cells_.matrix()(state.mark->query, state.mark->key);
    const std::optional<ModelHead> head = query_head(a) ? query_head(a) : key_head(b);
    state.marked_head = head;
    state.marked_row = query_head(a) ? why_.asked.score.query : why_.asked.score.key;
    scene_.view.hint = inner(query_name(a).line()) + " × " + inner(key_name(b).line()) + "   ·   " +
                       signed_number(value) +
                       (head ? "   ·   Space looks at head " + attnscope::head_name(spec_, *head)
                             : std::string("   ·   arrows walk the parts"));
  }

  void draw_query_sum(std::size_t a) {
    const Box box{grid_.right(), grid_.y + static_cast<float>(a) * side_y_, area_.right() - grid_.right(),
                  side_y_};
    const double value = queries_[a].sum;
    const bool bar = side_y_ >= ui_.px(28);
    const float y = box.centre_y() - (bar ? ui_.px(5) : 0);
    ui_.text(box.right(), y, signed_number(value), {type::label, ui_.theme.text1, Ink::Medium, Align::Right});
    if (!bar) return;
    const float width = std::max(
        ui_.px(1), std::round(static_cast<float>(std::abs(value) / most_sum_) * (box.w - ui_.px(8))));
    ui_.fill({box.right() - width, box.centre_y() + ui_.px(6), width, ui_.px(5)}, colour_of_share(ui_, value),
             ui_.px(1));
  }

  void draw_key_sum(std::size_t b) {
    const float x = grid_.x + (static_cast<float>(b) + 0.5f) * side_x_;
    const double value = keys_[b].sum;
    ui_.text(x, grid_.bottom() + ui_.px(13), signed_number(value),
             {type::tick, ui_.theme.text1, Ink::Medium, Align::Centre});
    const float room = below_ - ui_.px(26);
    const float height =
        std::max(ui_.px(1), std::round(static_cast<float>(std::abs(value) / most_sum_) * room));
    const float wide = std::min(ui_.px(22), side_x_ - ui_.px(4));
    ui_.fill({std::round(x - wide / 2), grid_.bottom() + ui_.px(23), wide, height},
             colour_of_share(ui_, value), ui_.px(1));
  }

  void draw_total() {
    const Box box{grid_.right() + ui_.px(6), grid_.bottom() + ui_.px(2),
                  area_.right() - grid_.right() - ui_.px(6), ui_.px(22)};
    ui_.fill(box, ui_.theme.raised, ui_.px(4));
    ui_.text(box.right() - ui_.px(2), box.centre_y(), signed_number(split_.score),
             {type::label, ui_.theme.query, Ink::Semibold, Align::Right, box.w});
    const Ui::Touch touch = ui_.touch("cell score", box, false);
    tooltip(ui_, touch.hovered, box,
            {"The score",
             fixed(split_.score, 4),
             "Of the run itself. The cells of the table add up to " + fixed(cells_.matrix().sum(), 4) + ".",
             {}});
  }

  void draw_formula() {
    const StackSpec& stack = spec_.stack(why_.asked.score.of);
    const float top = grid_.bottom() + below_ + ui_.px(10);
    ui_.horizontal(area_.x, top, area_.w, ui_.theme.hairline);
    const std::string norm = stack.norm().kind == NormKind::LayerNorm ? "σ" : "rms";
    const auto side = [&](const char* map, const char* part) {
      const std::string product = std::string(map) + " " + part + " / " + norm;
      return own(split_.rotated ? "rope(" + product + ")" : "(" + product + ")");
    };
    const std::string key =
        why_.asked.score.over_mean ? "(" + side("W_K", "b") + " − row mean)" : side("W_K", "b");
    ui_.text(area_.x, top + ui_.px(17),
             "Σ " + side("W_Q", "a") + " · " + key + " × " + fixed(split_.scale, 4) +
                 "    over query parts a, key parts b",
             {type::label, ui_.theme.text2, Ink::Regular, Align::Left, area_.w});
    std::string sum = "=";
    for (std::size_t a = 0; a < queries_.size(); ++a) {
      const std::string number = fixed(std::abs(queries_[a].sum), 2);
      sum += queries_[a].sum < 0 && number != "0.00" ? " − " + number : (a == 0 ? " " : " + ") + number;
    }
    ui_.text(area_.x, top + ui_.px(41), sum,
             {type::label, ui_.theme.text1, Ink::Regular, Align::Left, area_.w - ui_.px(80)});
    ui_.text(area_.right(), top + ui_.px(41), "= " + fixed(split_.score, 3),
             {type::label, ui_.theme.query, Ink::Semibold, Align::Right});
  }

  Scene& scene_;
  const Ui& ui_;
  const ModelSpec& spec_;
  const WhyReading& why_;
  const ScoreSplit& split_;
  const WhyState& words_;
  std::shared_ptr<const WhyGroups> groups_;
  const std::vector<PartGroup>&queries_, &keys_;
  const TensorOf<double>& cells_;
  Box region_, area_, grid_;
  float label_ = 0, sum_ = 0, below_ = 0, formula_ = 0, head_ = 0, side_x_ = 0, side_y_ = 0;
  double most_ = 1e-12, most_sum_ = 1e-12;
  ColourScale scale_;
};

}  // namespace

void draw_why_table(Scene& scene, const WhyReading* why, const Box& region) {
  const bool over_mean = model_state_of(scene.view).split.over_mean;
  const WhyRegion what{
      .ground = scene.ui.theme.canvas,
      .title = "Why did it look there?",
      .note = over_mean ? "score over the row's mean, split exactly" : "score, split exactly",
      .problem = why == nullptr ? std::string(no_why(scene)) : why->score_problem};
  if (begin_why(scene, region, what)) WhyTable(scene, *why, region).draw();
}

}  // namespace attnscope
