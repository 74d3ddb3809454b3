#include "core/document/stage.hpp"

#include <algorithm>

namespace attnscope {

namespace {

static_assert(stage_table.size() == stage_count, "every stage has a row");

/// Whether row i describes stage i: info() indexes the table by the enumerator.
constexpr bool stage_rows_in_order() {
  for (std::size_t i = 0; i < stage_count; ++i)
    if (index_of(stage_table[i].stage) != i) return false;
  return true;
}
static_assert(stage_rows_in_order());

constexpr bool every_row(bool (*is)(const StageInfo&)) { return std::ranges::all_of(stage_table, is); }

static_assert(every_row([](const StageInfo& row) { return stages_before(row.stage).contains(row.inputs); }),
              "a stage comes after those that it reads");

static_assert(std::ranges::is_sorted(stage_table, {}, &StageInfo::level), "levels follow one another");

constexpr bool kind_fits(const StageInfo& row) {
  switch (row.level) {
    case StageLevel::Scores: return row.kind != StageKind::Vectors && row.kind != StageKind::Weights;
    case StageLevel::Weights: return row.kind == StageKind::Weights;
    default: return row.kind == StageKind::Vectors;
  }
}
static_assert(every_row(kind_fits), "a stage holds what its level is about");

constexpr bool shape_fits(const StageInfo& row) {
  if (holds_scores_or_weights(row.stage)) return row.shape == scores_shape;
  return holds_plane(row.stage) == row.shape.ends_with("[heads][queries][keys]");
}
static_assert(every_row(shape_fits), "planes are as large as the scores, and nothing else is");

constexpr bool inputs_fit(const StageInfo& row) {
  const bool first = row.level == StageLevel::Source || row.kind == StageKind::Bias;
  return first || !row.inputs.empty();
}
static_assert(every_row(inputs_fit), "all but sources and positions are made of other stages");

constexpr Fields fields_read() {
  Fields read;
  for (const StageInfo& row : stage_table) read |= row.fields;
  return read;
}
static_assert(fields_read() == Fields::all(), "every Field matters to a stage");

}  // namespace

}  // namespace attnscope
