// app/pages/lessons: the plot above the matrices: a histogram of the scores before and after the division,
// the chosen row as bars, or the entropy of every row.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/plot.hpp"
#include "app/pages/lessons/step/parts.hpp"
#include "app/pages/lessons/step/row_bars.hpp"

namespace attnscope {
namespace {

/// A swatch and its words, ending at `right`; returns its left end.
float lesson_legend(const Ui& ui, float right, float y, std::string_view words, Rgba colour, bool outlined) {
  const float width = ui.text(right, y, words, {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  const Box swatch{right - width - ui.px(18), y - ui.px(5), ui.px(10), ui.px(10)};
  if (outlined)
    ui.frame(swatch, colour, ui.px(2));
  else
    ui.fill(swatch, colour);
  return swatch.x - ui.px(20);
}

std::vector<double> finite_scores(const LayerResult& result, std::int64_t head, Stage stage) {
  std::vector<double> numbers;
  if (!result.trace[stage]) return numbers;
  const auto values = result.trace[stage]->matrix(0, head);
  for (std::int64_t i = 0; i < values.rows(); ++i)
    for (std::int64_t j = 0; j < values.cols(); ++j)
      if (std::isfinite(values(i, j))) numbers.push_back(static_cast<double>(values(i, j)));
  return numbers;
}

double score_deviation(const std::vector<double>& numbers) {
  double sum = 0, squares = 0;
  for (const double x : numbers) sum += x;
  const double mean = sum / std::max<double>(1, static_cast<double>(numbers.size()));
  for (const double x : numbers) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / std::max<double>(1, static_cast<double>(numbers.size())));
}

std::vector<int> counted_in_bins(const std::vector<double>& numbers, double low, double high,
                                 std::size_t bins) {
  std::vector<int> counts(bins, 0);
  for (const double x : numbers) {
    const auto at = static_cast<std::int64_t>((x - low) / (high - low) * static_cast<double>(bins));
    ++counts[static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, static_cast<std::int64_t>(bins) - 1))];
  }
  return counts;
}

/// The end of the axis. It stays the same during a step, so that a wider spread is visible, unless the scores
/// go beyond it. If dₖ can be changed, there is room for scores twice as wide, as of four times the
/// dimensions.
double reach_of_scores(const LessonPage& page, double most) {
  LessonState& state = page.state();
  const bool widens = std::ranges::find(page.step.shown, "d_k") != page.step.shown.end();
  const auto whole = [](double reach) {
    const double step = nice_step(2 * reach, 4);
    return std::ceil(reach / step) * step;
  };
  const auto kept = static_cast<double>(page.moments().plot_reach);
  if (kept > 0 && most <= kept) return kept;
  const double reach = whole(kept > 0 || !widens ? most : 2.2 * most);
  if (!state.look_due)
    page.moments().plot_reach = static_cast<float>(reach);  // the step's own scores are computed
  return reach;
}

/// The scores before the division in outline, after it filled, on one axis.
void plot_lesson_scores(const LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  const LayerResult& result = page.scene.result;
  const std::int64_t head = page.scene.head();
  const std::vector<double> before = finite_scores(result, head, Stage::Score),
                            after = finite_scores(result, head, Stage::Scale);
  if (before.empty() || after.empty()) return;
  double most = 0.5;
  for (const double x : before) most = std::max(most, std::abs(x));
  for (const double x : after) most = std::max(most, std::abs(x));
  const double reach = reach_of_scores(page, most);
  constexpr std::size_t bins = 41;
  const std::vector<int> outline = counted_in_bins(before, -reach, reach, bins),
                         filled = counted_in_bins(after, -reach, reach, bins);
  const int tallest = std::max(*std::ranges::max_element(outline), *std::ranges::max_element(filled));

  const float line = box.y + ui.px(10);
  const float title = ui.text(box.x, line, "Scores", {type::label, ui.theme.text1, Ink::Semibold});
  const std::string cells = std::to_string(before.size()) + " cells, same axis";
  ui.text(box.x + title + ui.px(12), line, cells, {type::label, ui.theme.text2});
  const std::string after_words = "scaled, σ " + fixed(score_deviation(after), 2);
  const std::string before_words = "q·k, σ " + fixed(score_deviation(before), 2);
  const float left = lesson_legend(ui, box.right(), line, after_words, ui.theme.bar, false);
  lesson_legend(ui, left, line, before_words, ui.theme.b, true);

  const Axes axes{{box.x + ui.px(28), box.y + ui.px(28), box.w - ui.px(36), box.h - ui.px(50)},
                  -reach,
                  reach,
                  0,
                  std::max(1.0, static_cast<double>(tallest) * 1.08)};
  draw_y_axis(ui, axes, 3);
  draw_x_axis(ui, axes, 5);
  const auto bar = [&](std::size_t i, int count) {
    const double from = -reach + 2 * reach * static_cast<double>(i) / bins;
    const double to = -reach + 2 * reach * static_cast<double>(i + 1) / bins;
    const float x = std::round(axes.x(from)) + ui.px(1), y = std::round(axes.y(static_cast<double>(count)));
    return Box{x, y, std::max(1.f, std::round(axes.x(to)) - x), axes.area.bottom() - y};
  };
  for (std::size_t i = 0; i < bins; ++i)
    if (filled[i] > 0) ui.fill(bar(i, filled[i]), ui.theme.bar);
  for (std::size_t i = 0; i < bins; ++i)
    if (outline[i] > 0) ui.frame(bar(i, outline[i]), ui.theme.b, std::max(1.f, ui.px(1.5f)));
}

/// The chosen row's weights with those of uniform attention, and B's beside them.
void plot_lesson_row(const LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  const LayerResult& result = page.scene.result;
  const std::int64_t head = page.scene.head(), row = lesson_row(page);
  const LayerResult* const b =
      page.scene.held != nullptr && !page.hides() ? &page.scene.held->result->layer() : nullptr;
  const RowBars all = lesson_row_bars(page.lesson(), page.step, result, b, head, row);
  const RowMeasures& measures = result.measures.row(0, head, row);
  const bool covered_a = page.hides() && page.scene.held == nullptr;
  const float line = box.y + ui.px(10);
  const float title = ui.text(box.x, line, "Row", {type::label, ui.theme.text1, Ink::Semibold});
  ui.text(box.x + title + ui.px(8), line, placed_query_label(result, 0, row),
          {type::label, ui.theme.query, Ink::Semibold});
  const double uniform = 1 / static_cast<double>(std::max<std::int64_t>(1, measures.allowed));
  float right = lesson_legend(ui, box.right(), line, "uniform " + fixed(uniform, 2), ui.theme.text3, true);
  if (all.held_row.at >= 0) {  // it may be the row of another token
    const std::string held =
        all.held_row.is_same ? std::string("held") : "held: " + placed_query_label(*b, 0, all.held_row.at);
    right = lesson_legend(ui, right, line, held, ui.theme.b, true);
  }
  lesson_legend(ui, right, line, "weight", ui.theme.query, false);

  const std::int64_t count = std::ssize(all.bars);
  const Axes axes{{box.x + ui.px(34), box.y + ui.px(28), box.w - ui.px(42), box.h - ui.px(52)},
                  0,
                  static_cast<double>(count),
                  0,
                  1};
  draw_y_axis(ui, axes, 3);
  const float column = axes.area.w / static_cast<float>(count);
  for (std::int64_t j = 0; j < count; ++j) {
    const RowBar& key = all.bars[static_cast<std::size_t>(j)];
    const float x = std::round(axes.x(static_cast<double>(j)) + column * 0.2f),
                wide = std::round(column * 0.6f);
    const auto bar = [&](double weight) {
      const float y = std::round(axes.y(std::clamp(weight, 0.0, 1.0)));
      return Box{x, y, wide, axes.area.bottom() - y};
    };
    if (covered_a) {
      ui.fill({x, axes.area.y, wide, axes.area.h}, ui.theme.hatch_ground, ui.px(2));
    } else {
      if (key.shown) ui.fill(bar(*key.shown), ui.theme.query, ui.px(2));
      if (key.held) ui.frame(bar(*key.held), ui.theme.b, ui.px(2));
    }
  }
  const float y = std::round(axes.y(uniform));
  draw_dashes(ui, {{axes.area.x, y}, {axes.area.right(), y}}, ui.theme.text3, ui.px(1));
  const auto chosen = std::ranges::find(all.bars, page.scene.cell().key, &RowBar::shown_key);
  LabelAxis labels{.count = count,
                   .marked = chosen != all.bars.end() ? chosen - all.bars.begin() : -1,
                   .colour = ui.theme.key,
                   .label = {}};
  labels.label = [&](std::int64_t j) { return all.bars[static_cast<std::size_t>(j)].key; };
  Axes named = axes;
  named.x0 = -0.5;
  named.x1 = static_cast<double>(count) - 0.5;
  draw_label_axis(ui, named, labels);
}

/// The entropy of B's row of the same token, for every row; NaN if B has no such row.
std::vector<ImVec2> held_entropies(const LessonPage& page, const LayerResult& held) {
  const LayerResult& result = page.scene.result;
  const HeldPlaces places(page.step, result, held);
  std::vector<ImVec2> all;
  for (std::int64_t i = 0; i < result.dimensions.queries; ++i) {
    const HeldPlace there = places.row(i);
    all.emplace_back(static_cast<float>(i),
                     there.is_same
                         ? static_cast<float>(held.measures.row(0, page.scene.head(), there.at).entropy)
                         : std::nanf(""));
  }
  return all;
}

/// The entropy of every row, and the dashed bound, ln of its allowed keys.
void plot_lesson_entropy(const LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  const LayerResult& result = page.scene.result;
  const std::int64_t head = page.scene.head(), rows = result.dimensions.queries;
  const float line = box.y + ui.px(10);
  const float title =
      ui.text(box.x, line, "Entropy of every row", {type::label, ui.theme.text1, Ink::Semibold});
  ui.text(box.x + title + ui.px(12), line, "nats", {type::label, ui.theme.text2});
  float right = lesson_legend(ui, box.right(), line, "ln of allowed keys", ui.theme.text3, true);
  const LayerResult* const b = page.scene.held != nullptr ? &page.scene.held->result->layer() : nullptr;
  const bool has_b =
      b != nullptr && !page.hides() && !b->is_long() && b->dimensions.heads == result.dimensions.heads;
  if (has_b) right = lesson_legend(ui, right, line, "held", ui.theme.b, true);
  lesson_legend(ui, right, line, "H", ui.theme.query, false);
  std::vector<ImVec2> own, most;
  double top = 0.5;
  for (std::int64_t i = 0; i < rows; ++i) {
    const RowMeasures& row = result.measures.row(0, head, i);
    const auto x = static_cast<float>(i);
    const double limit = std::log(static_cast<double>(std::max<std::int64_t>(1, row.allowed)));
    top = std::max(top, limit);
    most.emplace_back(x, static_cast<float>(limit));
    own.emplace_back(x, static_cast<float>(row.entropy));
  }
  const Axes axes{{box.x + ui.px(34), box.y + ui.px(28), box.w - ui.px(42), box.h - ui.px(52)},
                  -0.5,
                  static_cast<double>(rows) - 0.5,
                  0,
                  top * 1.08};
  draw_y_axis(ui, axes, 3);
  draw_dashed_curve(ui, axes, most, ui.theme.text3, ui.px(1));
  if (!(page.hides() && page.scene.held == nullptr)) draw_curve(ui, axes, own, ui.theme.query, ui.px(2));
  if (has_b) draw_dashed_curve(ui, axes, held_entropies(page, *b), ui.theme.b, ui.px(2));
  LabelAxis labels{.count = rows, .marked = page.scene.cell().query, .colour = ui.theme.query, .label = {}};
  labels.label = [&](std::int64_t i) { return placed_query_label(result, 0, i); };
  draw_label_axis(ui, axes, labels);
}

}  // namespace

void draw_lesson_plot(LessonPage& page, const Box& box) {
  if (page.hides_plot()) return draw_lesson_lid(page, box, page.ui().theme.border);
  switch (page.step.plot) {
    case lessons::Plot::Scores: return plot_lesson_scores(page, box);
    case lessons::Plot::Row: return plot_lesson_row(page, box);
    case lessons::Plot::Entropy: return plot_lesson_entropy(page, box);
    case lessons::Plot::Pruning:  // in lessons with a model it is below the heads
    case lessons::Plot::None: break;
  }
}

}  // namespace attnscope
