// app/pages/lessons: the walk as a step's picture: the matrices up to its last stage, those that its question
// asks for under lids.
#include <algorithm>
#include <vector>

#include "app/lessons/lesson_numbers.hpp"
#include "app/lessons/until.hpp"
#include "app/pages/lessons/step/parts.hpp"
#include "app/state/plane.hpp"
#include "app/walk/picture.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {
namespace {

/// The stage that the step is about.
Stage walk_stage(const LessonPage& page) {
  const LayerResult& result = page.scene.result;
  const std::string name = page.step.stage.value_or("weights");
  if (const auto plane = lessons::plane_called(result, name)) return *plane;
  return lessons::vectors_called(result, name).value_or(weights_stage(result.document));
}

/// The first stage under a lid: weights before an intervention or dropout tell those after it, too.
Stage first_covered(Stage asked) {
  const bool weights = holds_weights(asked) && index_of(asked) > index_of(Stage::Softmax);
  return weights ? Stage::Softmax : asked;
}

/// Whether a plane of scores has the numbers of the one before it, as where nothing is masked.
bool repeats_plane(const Scene& scene, Stage stage) {
  if (!holds_scores_or_weights(stage) || holds_weights(stage)) return false;
  const LayerResult& result = scene.result;
  std::optional<Stage> before;
  for (const StageInfo& row : stage_table)
    if (index_of(row.stage) < index_of(stage) && holds_scores_or_weights(row.stage) &&
        result.trace[row.stage])
      before = row.stage;
  if (!before || !result.trace[stage]) return false;
  const auto here = matrix_of(result, stage, scene.sequence(), scene.head());
  const auto there = matrix_of(result, *before, scene.sequence(), scene.head());
  for (std::int64_t i = 0; i < here.rows(); ++i)
    for (std::int64_t j = 0; j < here.cols(); ++j)
      if (here(i, j) != there(i, j)) return false;
  return true;
}

/// Rings what a word of the prose refers to: a row in every matrix that has it, or a whole matrix.
void ring_walk_word(const Ui& ui, const LayerResult& result, const std::vector<WalkMatrix>& matrices,
                    const lessons::Anchor& word) {
  using Kind = lessons::Anchor::Kind;
  using Rows = WalkMatrix::Rows;
  const auto ring = [&](const Box& box, Rgba colour) {
    if (box.w > 0 && box.h > 0) ui.frame(box.grown(ui.px(2)), colour, ui.px(3), ui.px(4));
  };
  const bool all = word.places.empty();
  const std::int64_t first = all ? -1 : word.places.front(), last = all ? -1 : word.places.back();
  std::optional<Stage> named;
  if (word.kind == Kind::Stage) {
    named = lessons::plane_called(result, word.name);
    if (!named) named = lessons::vectors_called(result, word.name);
  }
  for (const WalkMatrix& m : matrices) {
    if (m.is_parameter) continue;
    const bool is_value = m.stage == Stage::Value;
    const bool projects = is_before_scores(m.stage) && info(m.stage).level != StageLevel::Source;
    switch (word.kind) {
      case Kind::Query:
        if (m.rows != Rows::Queries) break;
        if (!all) ring(m.row(first), ui.theme.query);
        if (all && projects) ring(m.cells, ui.theme.query);
        break;
      case Kind::Key:
        if (all && m.rows == Rows::Keys && projects && !is_value) ring(m.cells, ui.theme.key);
        if (!all && m.is_plane) ring(m.column(first), ui.theme.key);
        if (!all && m.rows == Rows::Keys && !is_value) ring(m.row(first), ui.theme.key);
        break;
      case Kind::Value:
        if (is_value) ring(all ? m.cells : m.row(first), ui.theme.value);
        break;
      case Kind::Cell:
        if (m.is_plane && !m.is_covered) ring(m.cell(first, last), ui.theme.text1);
        break;
      case Kind::Stage:
        if (named && m.stage == *named) ring(m.cells, ui.theme.text1);
        break;
      default: break;
    }
  }
}

}  // namespace

bool shows_lesson_walk(const LessonPage& page) {
  return page.step.view == lessons::StepView::Walk && has_walk(page.scene.result);
}

void draw_lesson_walk(LessonPage& page, const Box& area) {
  const Stage asked = walk_stage(page), from = first_covered(asked);
  const auto is_earlier = [&](Stage stage) { return index_of(stage) < index_of(asked); };
  const auto all = [&](Stage stage) {
    return lessons::walks_stage(page.step, stage) && !(is_earlier(stage) && repeats_plane(page.scene, stage));
  };
  // Without the stages between the scores and the step's own; and without queries, keys and values.
  const auto fewer = [&](Stage stage) {
    return all(stage) && !(is_earlier(stage) && holds_plane(stage) && stage != Stage::Score);
  };
  const auto planes = [&](Stage stage) { return fewer(stage) && !is_before_scores(stage); };
  std::vector<std::function<bool(Stage)>> choices{all, fewer};
  if (!is_before_scores(asked)) choices.emplace_back(planes);
  const auto covers = [&](Stage stage) { return page.hides() && index_of(stage) >= index_of(from); };
  const auto lid = [&](const Box& cells) { draw_lesson_lid(page, cells, page.ui().theme.border); };
  const std::vector<WalkMatrix> matrices = draw_walk_picture(page.scene, area, {choices, covers, lid});
  if (page.pointed) ring_walk_word(page.ui(), page.scene.result, matrices, *page.pointed);
}

}  // namespace attnscope
