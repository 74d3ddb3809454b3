// app/pages/model: the strongest path behind the chosen cell: the head with the largest contribution to its
// query, that to its key, those to these heads, and the contribution of the cell's head to the logit. Wider
// arrows are larger; a click shows a head.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/why/why.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/views/model/head_map.hpp"

namespace attnscope {
namespace {

/// A small weight is not written as 0.
std::string alpha_words(double weight) {
  return weight != 0 && weight < 0.005 ? tight(weight) : fixed(weight, 2);
}

class WhyPath {
 public:
  WhyPath(Scene& scene, const WhyReading& why, const Box& area)
      : scene_(scene),
        ui_(scene.ui),
        reading_(*scene.model),
        spec_(reading_.within.model->model->spec),
        why_(why),
        words_(model_state_of(scene.view).split),
        path_(*why.path),
        area_(area) {
    const bool compact = scene.compact;
    name_ = ui_.px(22);
    const float gap = ui_.px(compact ? 4 : 8);
    small_ = std::clamp(std::floor((area.h - 2 * name_ - gap) / 2), ui_.px(24), ui_.px(84));
    large_ = std::min(area.h - name_, ui_.px(168));
    text_ = ui_.px(compact ? 100 : 124);
    link_ = ui_.px(compact ? 76 : 86);
    step_ = small_ + ui_.px(10) + text_ + link_;
    for (const PathHead& head : path_) most_ = std::max(most_, head.adds);
    most_ = std::max(most_, std::abs(logit_link()));
  }

  void draw() {
    const Box large{area_.x + 2 * step_, area_.y + name_, large_, large_};
    for (int i = 1; i < static_cast<int>(path_.size()); ++i)
      if (path_[static_cast<std::size_t>(i)].into == 0) draw_branch(i, large);
    draw_card(0, large);
    draw_chosen_words({large.right() + ui_.px(10), area_.y, text_, area_.h});
    draw_logit(large.right() + ui_.px(10) + text_);
  }

 private:
  const PathHead& at(int i) const { return path_[static_cast<std::size_t>(i)]; }
  bool is_drawn(int i) const { return at(i).adds >= static_cast<double>(words_.smallest_link); }
  ModelHead head_at(int i) const { return {why_.asked.score.of, at(i).block, at(i).head}; }

  /// What the chosen head adds to the logit; 0 where the logit is of another row.
  double logit_link() const {
    if (!why_.logit_problem.empty() || why_.row != why_.asked.score.query ||
        why_.asked.score.of != output_attention(spec_))
      return 0;
    for (std::size_t i = 0; i < why_.logit.parts.size(); ++i) {
      const StreamPart& part = why_.logit.parts[i];
      if (part.kind == StreamPart::Kind::Head && part.block == at(0).block && part.head == at(0).head)
        return why_.logit.values[i];
    }
    return 0;
  }

  std::string token_at(std::int64_t row) const {
    const Sequence& tokens = reading_.tokens->queries_of(why_.asked.score.of);
    if (row < 0 || row >= std::ssize(tokens.tokens)) return std::to_string(row);
    std::string words = plain(tokens.tokens[static_cast<std::size_t>(row)].text);
    if (const std::size_t begin = words.find_first_not_of(' '); begin != words.npos) words.erase(0, begin);
    return own(words);
  }

  /// A head that the chosen one reads from, and the head behind it.
  void draw_branch(int i, const Box& large) {
    if (!is_drawn(i)) return;
    const bool above = at(i).through_query;
    const float top = above ? area_.y : area_.y + area_.h - name_ - small_;
    const Box card{area_.x + step_, top + name_, small_, small_};
    draw_card(i, card);
    draw_words(i, card);
    const float y = card.centre_y(), target = large.y + large.h * (above ? 0.3f : 0.7f);
    draw_link({card.right() + ui_.px(10) + text_, y}, {large.x - ui_.px(8), target}, at(i).adds,
              link_colour(i), at(i).through_query ? "query" : "key", above);
    for (int behind = 1; behind < static_cast<int>(path_.size()); ++behind) {
      if (at(behind).into != i || !is_drawn(behind)) continue;
      const Box first{area_.x, top + name_, small_, small_};
      draw_card(behind, first);
      draw_words(behind, first);
      draw_link({first.right() + ui_.px(10) + text_, y}, {card.x - ui_.px(8), y}, at(behind).adds,
                link_colour(behind), at(behind).through_query ? "query" : "key", true);
    }
  }

  Rgba link_colour(int i) const { return at(i).through_query ? ui_.theme.query : ui_.theme.key; }

  /// The head's own pattern with its cell; its name above.
  void draw_card(int i, const Box& box) {
    const PathHead& head = at(i);
    const ModelHead model_head = head_at(i);
    const std::string name = head_name(spec_, model_head);
    const Ui::Touch touch = ui_.touch(("path head " + name + " " + std::to_string(i)).c_str(), box);
    ui_.text(box.x, box.y - ui_.px(13), name,
             {type::label, i == 0 ? ui_.theme.query : ui_.theme.text1, Ink::Semibold});
    const std::string number = std::to_string(head.head);
    const Rgba hue = ui_.theme.head(head.head);
    const float wide = std::max(ui_.px(16), ui_.text_width(number, type::tick, Ink::Semibold) + ui_.px(8));
    if (box.w >= ui_.px(60))
      badge(ui_, {box.right() - wide, std::round(box.y - ui_.px(20)), wide, ui_.px(14)}, number, hue,
            ink_on(hue));
    const ColourScale scale{weights_map(ui_.theme, focus_of(scene_.view).colours), 0, 1};
    draw_pooled_map(scene_, model_head, box, scale, ("path map " + std::to_string(i)).c_str());
    draw_cell_mark(model_head, head, box);
    if (i == 0 || touch.hovered || touch.focused)
      ui_.frame(box.grown(ui_.px(2)), i == 0 || touch.focused ? ui_.theme.query : ui_.theme.text2,
                std::max(1.f, ui_.px(i == 0 ? 2 : 1)), ui_.px(3));
    const std::string numbers =
        "α " + alpha_words(head.weight) +
        (std::isnan(head.score) ? std::string() : "   score " + signed_number(head.score));
    tooltip(ui_, touch.hovered, box,
            {"head " + inner(name) + "  ·  " + token_at(head.query) + " → " + token_at(head.key), numbers,
             i == 0 ? std::string_view("The chosen cell.")
                    : std::string_view("The cell of this row from which the head adds most, ‖α·v·W_O‖."),
             "click"});
    if (!touch.clicked) return;
    look_at(scene_, model_head);
    scene_.next.cell = {head.query, head.key};
    scene_.next.locked = true;
  }

  void draw_cell_mark(const ModelHead& head, const PathHead& on, const Box& box) {
    const std::vector<AttentionRun>& blocks = attention_of(*shown_run(scene_), head.of);
    const HeadPictures& pictures = blocks[static_cast<std::size_t>(head.block)].pictures;
    if (pictures.mean.size() == 0) return;
    const auto shape = pictures.mean.matrix(head.head);
    const Box cell = cell_box(box, on.query / pictures.cells.rows_per_cell,
                              on.key / pictures.cells.keys_per_cell, shape.rows(), shape.cols());
    ui_.frame(cell.w < ui_.px(6) ? cell.grown(ui_.px(2)) : cell, ui_.theme.query, std::max(1.f, ui_.px(1.5f)),
              ui_.px(1));
    ui_.fill({box.x - ui_.px(4), cell.y, ui_.px(2), cell.h}, ui_.theme.query);
    ui_.fill({cell.x, box.y - ui_.px(4), cell.w, ui_.px(2)}, ui_.theme.key);
  }

  /// The relation of the key of the card's cell to its query; empty if they are of two texts.
  std::string_view role_on(const PathHead& head) const {
    const AttentionOf of = why_.asked.score.of;
    if (of == AttentionOf::Cross) return {};
    return role_of_cell(reading_.tokens->queries_of(of).tokens, head.query, head.key);
  }

  /// "to → John", α, and the key's relation to the query.
  void draw_words(int i, const Box& card) {
    const PathHead& head = at(i);
    const float x = card.right() + ui_.px(10), line = ui_.px(scene_.compact ? 15 : 18);
    const std::string_view kind = role_on(head);
    const bool has_kind = !kind.empty() && card.h >= 3 * line - ui_.px(4);
    float y = std::round(card.centre_y() - line * (has_kind ? 1.f : 0.5f));
    draw_cell_name(x, y, head.query, head.key);
    y += line;
    ui_.text(x, y, "α " + alpha_words(head.weight), {type::label, ui_.theme.text1});
    if (has_kind)
      ui_.text(x, y + line, kind,
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Left, text_ - ui_.px(8)});
  }

  void draw_cell_name(float x, float y, std::int64_t query, std::int64_t key) {
    const float room = (text_ - ui_.px(32)) / 2;
    const float end =
        x + ui_.text(x, y, token_at(query), {type::label, ui_.theme.query, Ink::Regular, Align::Left, room});
    const float arrow = end + ui_.px(6);
    const float wide = ui_.text(arrow, y, "→", {type::label, ui_.theme.text3});
    ui_.text(arrow + wide + ui_.px(6), y, token_at(key),
             {type::label, ui_.theme.key, Ink::Regular, Align::Left, room});
  }

  void draw_chosen_words(const Box& box) {
    const float line = ui_.px(scene_.compact ? 15 : 18);
    float y = box.y + name_ + ui_.px(10);
    draw_cell_name(box.x, y, at(0).query, at(0).key);
    ui_.text(box.x, y += line, "α " + alpha_words(at(0).weight), {type::label, ui_.theme.text1});
    const std::string score = fixed(at(0).score, 2) + (!why_.asked.score.over_mean ? " score"
                                                       : scene_.compact            ? " over mean"
                                                                                   : " over the mean");
    ui_.text(box.x, y += line, score,
             {type::tick, ui_.theme.text2, Ink::Regular, Align::Left, box.w - ui_.px(6)});
    // Parts that the path does not follow: the largest parts of the key that are not heads on the path.
    const std::shared_ptr<const WhyGroups> groups = why_groups(model_state_of(scene_.view).split);
    const std::vector<double>& sums = groups->by_key;
    std::vector<std::size_t> parts;
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (!is_on_path(why_.score.key_parts[i])) parts.push_back(i);
    const auto most = static_cast<std::size_t>(std::max(0.f, (box.bottom() - y) / line - 2));
    const std::size_t count = std::min<std::size_t>({parts.size(), most, 4});
    if (count == 0) return;
    std::partial_sort(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count), parts.end(),
                      [&](std::size_t a, std::size_t b) { return sums[a] > sums[b]; });
    y += line * 1.5f;
    ui_.text(box.x, y, "at the key “" + own(words_.key) + "”",
             {type::tick, ui_.theme.key, Ink::Medium, Align::Left, box.w - ui_.px(6)});
    for (std::size_t i = 0; i < count; ++i) {
      const PartGroup one{.members = {parts[i]}, .sum = sums[parts[i]]};
      y += line;
      ui_.text(box.x, y, part_name(why_.score.key_parts, one).line(), {type::tick, ui_.theme.text2});
      ui_.text(box.right() - ui_.px(14), y, signed_number(one.sum),
               {type::tick, ui_.theme.text1, Ink::Regular, Align::Right});
    }
  }

  bool is_on_path(const StreamPart& part) const {
    return part.kind == StreamPart::Kind::Head && std::ranges::any_of(path_, [&](const PathHead& head) {
             return head.into == 0 && !head.through_query && head.block == part.block &&
                    head.head == part.head;
           });
  }

  void draw_logit(float left) {
    const float right = area_.right(), begin = std::min(left + link_ + ui_.px(4), right - ui_.px(96));
    const Box card{begin, std::round(area_.y + area_.h / 2 - ui_.px(36)),
                   std::min(right - begin, ui_.px(188)), ui_.px(72)};
    if (card.w < ui_.px(80)) return;
    ui_.fill(card, ui_.theme.raised, ui_.px(6));
    const float x = card.x + ui_.px(12), y = card.y + ui_.px(20);
    if (!why_.logit_problem.empty())
      return ui_.text(x, card.centre_y(), "no logit here",
                      {type::label, ui_.theme.text2, Ink::Regular, Align::Left, card.w - ui_.px(24)}),
             void();
    ui_.text(x, y, "logit of “" + own(words_.token_name) + "”",
             {type::label, ui_.theme.text2, Ink::Regular, Align::Left, card.w - ui_.px(24)});
    ui_.text(x, y + ui_.px(30), fixed(why_.logit.logit, 2), {type::title, ui_.theme.text1, Ink::Semibold});
    for (const PredictedToken& token : reading_.prediction->top_after)
      if (token.id == why_.token)
        ui_.text(card.right() - ui_.px(12), y + ui_.px(30), "p " + fixed(100 * token.probability(), 1) + " %",
                 {type::label, ui_.theme.text2, Ink::Regular, Align::Right});
    const double adds = logit_link();
    if (why_.row != why_.asked.score.query)
      ui_.text(card.x, card.bottom() + ui_.px(14), "read in the row of " + token_at(why_.row),
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Left, right - card.x});
    else if (std::abs(adds) >= static_cast<double>(words_.smallest_link))
      draw_link({left, card.centre_y()}, {card.x - ui_.px(8), card.centre_y()}, adds,
                colour_of_share(ui_, adds), "logit", true);
  }

  /// An arrow as wide as its number is large, with the number above (or below) it.
  void draw_link(ImVec2 from, ImVec2 to, double adds, Rgba colour, std::string_view into, bool above) {
    const auto thick = static_cast<float>(1 + 3 * std::abs(adds) / std::max(most_, 1e-9));
    std::array<ImVec2, 17> line;
    const float reach = to.x - ui_.px(4) - from.x;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const float t = static_cast<float>(i) / static_cast<float>(line.size() - 1), s = t * t * (3 - 2 * t);
      line[i] = {from.x + reach * t, from.y + (to.y - from.y) * s};
    }
    ui_.polyline(line, colour, std::max(1.f, thick * ui_.scale()));
    const float r = ui_.px(5) + thick;
    const std::array<ImVec2, 3> tip{
        {{to.x - r, to.y - r * 0.8f}, {to.x + ui_.px(2), to.y}, {to.x - r, to.y + r * 0.8f}}};
    ui_.area(tip, colour);
    const std::string number = signed_number(adds);
    const float width =
        ui_.text_width(number, type::label, Ink::Semibold) + ui_.px(5) + ui_.text_width(into, type::tick);
    const float x = (from.x + to.x - width) / 2, y = from.y + (above ? -ui_.px(13) : ui_.px(15));
    const float end = x + ui_.text(x, y, number, {type::label, ui_.theme.text1, Ink::Semibold});
    ui_.text(end + ui_.px(5), y, into, {type::tick, colour});
  }

  Scene& scene_;
  const Ui& ui_;
  const ModelReading& reading_;
  const ModelSpec& spec_;
  const WhyReading& why_;
  const WhyState& words_;
  const std::vector<PathHead>& path_;
  Box area_;
  float name_ = 0, small_ = 0, large_ = 0, text_ = 0, link_ = 0, step_ = 0;
  double most_ = 0;  // the largest link
};

}  // namespace

std::string_view role_of_cell(const std::vector<Token>& tokens, std::int64_t query, std::int64_t key) {
  const auto is_there = [&](std::int64_t i) { return i >= 0 && i < std::ssize(tokens); };
  const auto is_like_query = [&](std::int64_t i) {
    return is_there(i) &&
           tokens[static_cast<std::size_t>(i)].is_same(tokens[static_cast<std::size_t>(query)]);
  };
  if (!is_there(query) || !is_there(key)) return {};
  if (key == query) return "same token";
  if (key == 0) return "first token";
  if (key == query - 1) return "previous token";
  if (is_like_query(key)) return "duplicate token";
  return key - 1 != query && is_like_query(key - 1) ? "induction" : std::string_view();
}

void draw_why_path(Scene& scene, const WhyReading* why, const Box& region) {
  const Ui& ui = scene.ui;
  ui.fill(region, ui.theme.panel);
  ui.horizontal(region.x, region.y, region.w, ui.theme.hairline);
  const float pad = region_pad(scene);
  const Box line{region.x + pad, region.y, region.w - 2 * pad, title_height(ui)};
  draw_region_title(ui, line, "Strongest path",
                    "each number is what that head adds to the score, or logit, it points to", line.right());
  const Box area{line.x, line.bottom() + ui.px(2), line.w, region.h - title_height(ui) - ui.px(12)};
  std::string_view words;
  if (why == nullptr)
    words = no_why(scene);
  else if (why->score_problem.empty() && !why->path)
    words = "Computing.";
  else if (!why->score_problem.empty() || why->path->empty())
    words = "There is no split score to follow here.";
  else if (why->run != scene.model->run)
    words = "Computing.";
  if (!words.empty()) {
    ui.text(area.x, area.y + ui.px(10), words,
            {type::label, ui.theme.text2, Ink::Regular, Align::Left, area.w});
    return;
  }
  if (area.h >= ui.px(84) && area.w >= ui.px(560)) WhyPath(scene, *why, area).draw();
}

}  // namespace attnscope
