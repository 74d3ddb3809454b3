// app/training: every head's weights on the probe at the shown step, with the name of the score that it
// passes.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/plot.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/training/head_axes.hpp"
#include "app/training/head_facts.hpp"
#include "app/training/head_places.hpp"
#include "app/training/panels.hpp"
#include "app/training/run_words.hpp"

namespace attnscope {
namespace {

using training::LabMoment;
using training::LabPoint;

struct HeadPicture {
  std::shared_ptr<const LabMoment> moment;
  std::shared_ptr<const LabMoment> minus;  // the subtracted moment; null: none
  std::int64_t head;
  bool hides_later = false;  // no query sees a later key: those cells are hatched

  std::int64_t rows() const { return moment->probe.weights.shape()[2]; }
  float weight(std::int64_t per_layer, Cell cell) const {
    const auto of = [&](const LabMoment& from) {
      return from.probe.weights.matrix(head / per_layer, head % per_layer)(cell.query, cell.key);
    };
    return of(*moment) - (minus != nullptr ? of(*minus) : 0.f);
  }
};

/// Whether every weight of a query on a later key is exactly 0, as the causal mask makes it.
bool hides_later_keys(const LabMoment& moment) {
  const auto weights = moment.probe.weights.matrix(0, 0);
  for (std::int64_t i = 0; i < weights.rows(); ++i)
    for (std::int64_t j = i + 1; j < weights.cols(); ++j)
      if (weights(i, j) != 0) return false;
  return weights.rows() > 1;
}

void draw_lab_matrix(const TrainingPanels& panels, const HeadPicture& of, const char* place, const Box& box) {
  const Ui& ui = panels.ui();
  const std::int64_t per_layer = panels.recipe().network.heads;
  std::uint64_t content = mix_hash(ui.textures.serial(of.moment), ui.textures.serial(of.minus));
  for (const auto part : {static_cast<std::uint64_t>(of.head), static_cast<std::uint64_t>(box.w),
                          static_cast<std::uint64_t>(box.h), static_cast<std::uint64_t>(ui.theme.name)})
    content = mix_hash(content, part);
  ui.matrix(place, content, box, [&](const Ui::UseJob& use) {
    const auto weights = of.moment->probe.weights.matrix(of.head / per_layer, of.head % per_layer);
    Tensor numbers({weights.rows(), weights.cols()});
    numbers.matrix() = weights;
    if (of.minus != nullptr)
      numbers.matrix() -= of.minus->probe.weights.matrix(of.head / per_layer, of.head % per_layer);
    const Map map =
        of.minus != nullptr ? ui.theme.scores : weights_map(ui.theme, focus_of(panels.scene.view).colours);
    const Tensor& whole = numbers;
    RasterJob job = whole_matrix(ui, whole.matrix(), colormap(map), box);
    job.low = of.minus != nullptr ? -1.f : 0.f;
    job.high = 1;
    if (of.hides_later)
      job.kind = [](std::int64_t row, std::int64_t key) {
        return key > row ? CellKind::Masked : CellKind::Number;
      };
    use(job);
  });
}

/// The row of the probe that pictures and sentences are about, and the cell under the mouse.
struct Pointed {
  const ProbeText* text = nullptr;        // null: not known yet
  const ProbeText::Look* look = nullptr;  // of the goal's score; null: none
  std::optional<std::int64_t> head;       // under the mouse,
  Cell cell;                              // and its cell there
};

/// The first score that the goal's answers need.
int goal_score(const training::TaskRow& task) {
  for (std::size_t s = 0; s < task.scores.size(); ++s)
    if (task.group_of(task.scores[s]) == static_cast<std::size_t>(task.goal_group))
      return static_cast<int>(s);
  return 0;
}

/// The key is marked if the head has the name of a score that has one key in this row.
MarkedCell marked_cell(const TrainingPanels& panels, const LabPoint* point, const Pointed& pointed,
                       std::int64_t head) {
  if (pointed.look == nullptr) return {};
  MarkedCell marked{pointed.look->query, -1};
  if (point == nullptr || !head_title_of(panels, point, head).is_named) return marked;
  const int score = training::job_of_head(*panels.lab.task, *point, static_cast<std::size_t>(head)).score;
  const ProbeText::Look* const own_look = pointed.text->look_of(score, marked.query);
  if (own_look != nullptr && own_look->query == marked.query && own_look->keys.size() == 1)
    marked.key = own_look->keys.front();
  return marked;
}

/// The matrix with its labels, the mark of its row, and what the mouse does there.
void draw_lab_picture(const TrainingPanels& panels, const LabPoint* point, const HeadPicture& of,
                      const LabelledSquare& square, const Box& picture, Pointed& pointed) {
  const Ui& ui = panels.ui();
  const std::string name = lab_head_name(panels.recipe(), of.head);
  ui.frame(picture.grown(1), ui.theme.border);
  draw_lab_matrix(panels, of, ("lab head " + name).c_str(), picture);
  const MarkedCell marked = marked_cell(panels, point, pointed, of.head);
  if (square.has_labels()) {
    draw_square_labels(ui, *pointed.text, square, picture, marked);
    if (pointed.text->fold > 0) {
      const float y = square_cell(picture, of.rows(), {pointed.text->fold, 0}).y;
      draw_dashes(ui, {{picture.x, y}, {picture.right(), y}}, ui.theme.text3, ui.px(1));
    }
  }
  if (marked.key >= 0)
    ui.frame(square_cell(picture, of.rows(), marked).grown(ui.px(1)), ui.theme.query, ui.px(2));
  const Ui::Touch touch = ui.touch(("Lab head " + name).c_str(), picture, panels.enlarges);
  if (touch.focused) ui.frame(picture.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(2));
  if (touch.pointed && picture.contains(ImGui::GetIO().MousePos)) {
    pointed.head = of.head;
    pointed.cell = cell_at(picture, ImGui::GetIO().MousePos, of.rows(), of.rows());
    ui.frame(square_cell(picture, of.rows(), {pointed.cell.query, pointed.cell.key}).grown(ui.px(1)),
             ui.theme.text1, ui.px(1));
  }
  if (touch.clicked && panels.enlarges) panels.state().head = panels.large_head() == of.head ? -1 : of.head;
}

/// The head's picture, name, badge and numbers.
void draw_lab_head(const TrainingPanels& panels, const LabPoint* point, const HeadPicture& of, const Box& box,
                   const HeadLines& lines, Pointed& pointed) {
  const Ui& ui = panels.ui();
  const std::string badge_text = lab_head_name(panels.recipe(), of.head);
  const float badge_wide = ui.text_width(own(badge_text), type::tick, Ink::Medium) + ui.px(12),
              line = ui.px(lines.two ? 33 : 18);
  const Rgba hue = ui.theme.head(of.head);
  // Numbers are beside the picture or below it, whichever leaves the picture larger.
  const std::vector<HeadFact> facts = point != nullptr && !panels.covers_numbers
                                          ? head_facts_of(panels, *point, of.head)
                                          : std::vector<HeadFact>();
  const HeadLayout layout =
      layout_of_head(panels, pointed.text, of.rows(), facts, box.w, box.h - line - ui.px(6));
  const LabelledSquare& square = layout.square;
  const float whole = square.whole(), beside_badge = std::max(1.f, whole - badge_wide - ui.px(8));
  HeadTitle title = head_title_of(panels, point, of.head);
  const std::string_view need = layout.in_line ? std::exchange(title.need, {}) : std::string_view();
  draw_head_title(ui, title, {box.x, box.y}, lines.badge_below ? std::max(1.f, whole) : beside_badge,
                  beside_badge, lines.two);
  badge(ui, {box.x + whole - badge_wide, box.y + (lines.badge_below ? ui.px(17) : 0), badge_wide, ui.px(16)},
        own(badge_text), fade(hue, 0.3f), hue);
  const Box picture{box.x + square.left, box.y + line + ui.px(2) + square.top, square.side, square.side};
  draw_lab_picture(panels, point, of, square, picture, pointed);
  if (layout.below)
    return draw_facts_below(ui, facts, {picture.x, picture.bottom() + ui.px(4), square.side, ui.px(44)});
  if (layout.in_line)
    return draw_facts_in_line(ui, need, facts, {box.x, picture.bottom() + ui.px(3), box.w, ui.px(16)});
  if (layout.beside)
    draw_facts_beside(ui, facts,
                      {picture.right() + ui.px(10), picture.y, width_of_facts(ui, facts) - ui.px(10),
                       std::max(picture.bottom(), box.bottom()) - picture.y});
}

/// What the cell under the mouse holds, or what the row that is marked is to look at, and the head that does
/// so most.
std::string probe_sentence(const TrainingPanels& panels, const HeadPicture& of, const Pointed& pointed) {
  const ProbeText& text = *pointed.text;
  const std::int64_t per_layer = panels.recipe().network.heads;
  if (pointed.head) {
    const std::string name = lab_head_name(panels.recipe(), *pointed.head),
                      query = text.label(pointed.cell.query), key = text.label(pointed.cell.key);
    HeadPicture head = of;
    head.head = *pointed.head;
    const std::string weight = fixed(static_cast<double>(head.weight(per_layer, pointed.cell)), 3);
    if (of.minus != nullptr)
      return own(name) + ", row " + own(query) + ", key " + own(key) + ": A − B is " + weight + ".";
    return own(name) + ": row " + own(query) + " puts " + weight + " of its weight on " + own(key) + ".";
  }
  const ProbeText::Look& look = *pointed.look;
  const std::string_view score = panels.lab.task->scores[static_cast<std::size_t>(look.score)].name;
  std::string keys;
  for (const std::int64_t key : look.keys) keys += (keys.empty() ? "" : " ") + text.label(key);
  std::string words = "Row " + own(text.label(look.query)) + ": “" + inner(std::string(score)) +
                      "” is its weight on " + own(keys) + ".";
  if (text.fold > 0)
    words = "Row " + own(text.label(look.query)) + ", its second time: " + own(keys) +
            " came right after it the first time.";
  double most = -1;
  std::int64_t best = 0;
  for (std::int64_t head = 0; head < panels.heads(); ++head) {
    HeadPicture one{of.moment, nullptr, head};
    double sum = 0;
    for (const std::int64_t key : look.keys)
      sum += static_cast<double>(one.weight(per_layer, {look.query, key}));
    if (sum > most) most = sum, best = head;
  }
  const auto seen = static_cast<double>(of.hides_later ? look.query + 1 : of.rows());
  return words + " Most there: " + own(lab_head_name(panels.recipe(), best)) + " " + fixed(most, 2) +
         ", even weights " + fixed(static_cast<double>(std::ssize(look.keys)) / seen, 2) + ".";
}

void draw_probe_sentence(const TrainingPanels& panels, const HeadPicture& of, const Pointed& pointed,
                         const Box& box) {
  if (pointed.text == nullptr || (!pointed.head && (pointed.look == nullptr || of.minus != nullptr))) return;
  if (!pointed.head &&
      (panels.covers_numbers ||
       !panels.has_plot(panels.lab.task->scores[static_cast<std::size_t>(pointed.look->score)].name)))
    return;
  panels.ui().clip(box.grown(panels.ui().px(2)));
  panels.ui().paragraph(box.x, box.y, box.w, probe_sentence(panels, of, pointed),
                        {type::tick, panels.ui().theme.text2});
  panels.ui().unclip();
}

void draw_lab_sides(const TrainingPanels& panels, const Box& box) {
  constexpr std::array<std::string_view, 3> names{"A", "B", "A − B"};
  if (panels.b == nullptr) return;
  if (const auto picked =
          segments(panels.ui(), "Heads of", box, names, static_cast<int>(panels.state().side)))
    panels.state().side = static_cast<LabSide>(*picked);
}

}  // namespace

void draw_lab_heads(const TrainingPanels& panels, const Box& box) {
  const Ui& ui = panels.ui();
  const float pad = ui.px(panels.narrow ? 12 : 20);
  float top = box.y + ui.px(panels.narrow ? 16 : 24);
  const training::LabRun* const run = panels.shown();
  const std::shared_ptr<const LabMoment> moment = panels.moment_at(*run, panels.step);
  const LabPoint* const point = run->point_at(panels.step);
  Box sides{box.right() - pad - ui.px(150), top - ui.px(14), ui.px(150), ui.px(28)};
  const float title =
      ui.text(box.x + pad, top, "Heads on the probe", {type::body, ui.theme.text1, Ink::Semibold});
  // The switch of sides gets a line of its own if it does not fit beside the title.
  const bool has_line = panels.b != nullptr && sides.x < box.x + pad + title + ui.px(60);
  if (has_line) sides.y += ui.px(28);
  draw_lab_sides(panels, sides);
  if (moment == nullptr) return;
  const std::int64_t rows = moment->probe.weights.shape()[2];
  ui.text(
      box.x + pad + title + ui.px(12), top,
      "step " + grouped(moment->step) + "   ·   " + std::to_string(rows) +
          (panels.recipe().network.reads_patches() ? " patches" : " tokens"),
      {type::tick, ui.theme.text2, Ink::Regular, Align::Left,
       (panels.b != nullptr && !has_line ? sides.x : box.right() - pad) - box.x - pad - title - ui.px(20)});
  if (has_line) top += ui.px(32);
  const bool is_difference = panels.state().side == LabSide::Difference && panels.b != nullptr;
  HeadPicture drawn{moment, is_difference ? panels.moment_at(*panels.b, panels.step) : nullptr, 0,
                    hides_later_keys(*moment)};
  // Until both are known on the probe's own sequence, both are those of the measured one.
  if (drawn.minus && drawn.minus->probe.weights.shape() != moment->probe.weights.shape()) {
    drawn.moment = run->moment_at(panels.step);
    drawn.minus = panels.b->moment_at(panels.step);
  }
  if (drawn.minus && !hides_later_keys(*drawn.minus)) drawn.hides_later = false;
  Pointed pointed{panels.text_of(*drawn.moment), nullptr, {}, {}};
  if (pointed.text != nullptr) pointed.look = pointed.text->look_of(goal_score(*panels.lab.task));
  const std::int64_t layers = panels.recipe().network.layers, per_layer = panels.recipe().network.heads;
  constexpr std::string_view rule =
      "Name: a score at least halfway from even weights to 1. Needed: muting it alone costs at least 0.05 of "
      "accuracy. Where it costs less: shared if another head has the score, spare if none has.";
  const float words_high = panels.has_rule ? ui.paragraph_height(box.w - 2 * pad, rule, type::tick) : 0;
  const float sentence_high = panels.has_sentence ? ui.px(36) : 0, gap = ui.px(panels.narrow ? 8 : 14);
  const std::int64_t large = panels.large_head(), count = large < 0 ? layers * per_layer : 1;
  const auto place = [&](float rule_high) {
    return place_heads(panels, point, pointed.text, drawn.rows(),
                       {box.x + pad, top + ui.px(24), box.w - 2 * pad,
                        box.bottom() - top - rule_high - sentence_high - ui.px(32)},
                       gap);
  };
  HeadPlaces places = place(words_high);
  float rule_high = words_high;
  // Labels count more than the rule.
  if (panels.enlarges && rule_high > 0 && !places.has_labels)
    if (const HeadPlaces higher = place(0); higher.has_labels) places = higher, rule_high = 0;
  const auto& [inner, columns, wide, high, titles, has_labels] = places;
  for (std::int64_t i = 0; i < count; ++i) {
    drawn.head = large < 0 ? i : large;
    draw_lab_head(panels, point, drawn,
                  {inner.x + (wide + gap) * static_cast<float>(i % columns),
                   inner.y + (high + gap) * static_cast<float>(i / columns), wide, high},
                  titles, pointed);
  }
  if (panels.has_sentence)
    draw_probe_sentence(
        panels, drawn, pointed,
        {inner.x, box.bottom() - rule_high - sentence_high - ui.px(4), inner.w, sentence_high});
  if (rule_high > 0)
    ui.paragraph(box.x + pad, box.bottom() - rule_high - ui.px(4), inner.w, rule,
                 {type::tick, ui.theme.text3});
}

void draw_lab_heads_small(const TrainingPanels& panels, const std::shared_ptr<const LabMoment>& moment,
                          const char* place, const Box& box) {
  const std::int64_t layers = panels.recipe().network.layers, per_layer = panels.recipe().network.heads;
  const float gap = std::max(1.f, panels.ui().px(1));
  const float wide =
      std::floor((box.w - gap * static_cast<float>(per_layer - 1)) / static_cast<float>(per_layer));
  const float high = std::floor((box.h - gap * static_cast<float>(layers - 1)) / static_cast<float>(layers));
  if (wide < 2 || high < 2) return;
  for (std::int64_t head = 0; head < layers * per_layer; ++head) {
    const Box at{box.x + (wide + gap) * static_cast<float>(head % per_layer),
                 box.y + (high + gap) * static_cast<float>(head / per_layer), wide, high};
    draw_lab_matrix(panels, {moment, nullptr, head},
                    (std::string(place) + " " + std::to_string(head)).c_str(), at);
  }
}

}  // namespace attnscope
