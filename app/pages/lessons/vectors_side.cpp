// app/pages/lessons: steps about the block around attention: the vectors of a stage, a row for each token,
// and the chosen token's vector through the block.
#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Core>

#include "app/kit/ui/number_format.hpp"
#include "app/lessons/until.hpp"
#include "app/pages/lessons/parts/held_cell.hpp"
#include "app/pages/lessons/step/parts.hpp"
#include "app/views/parts/strips.hpp"
#include "app/views/parts/vector_map.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

/// Stages as wide as the residual stream, in order of computation, up to the last that the step shows.
std::vector<Stage> stream_stages(const lessons::Step& step, const LayerResult& result) {
  std::vector<Stage> all;
  for (const Stage stage : vector_stages(result)) {
    const bool of_layer = stage == Stage::Output || is_of_block(stage);
    const bool inside = stage == Stage::Gate || stage == Stage::Up || stage == Stage::Activation;
    if (of_layer && !inside) all.push_back(stage);
  }
  // The block's input is listed whether positions were added to it or not.
  if (result.trace[Stage::Position]) all.insert(all.begin(), Stage::Position);
  std::erase_if(all, [&](Stage stage) { return !lessons::shows_stage(step, stage); });
  return all;
}

/// The name of a stream's stage in prose: the input is X; the last sum is X₂ if no norm follows it.
struct StreamName {
  std::string_view symbol, name;
};
StreamName name_in_stream(const LayerResult& result, Stage stage) {
  const TensorPtr& last = result.trace[Stage::BlockOutput];
  if (stage == Stage::Position) return {info(stage).symbol, "Token vectors"};
  const bool is_last = stage == Stage::MlpResidual && last && result.trace[stage] == last;
  const StageInfo& what = info(is_last ? Stage::BlockOutput : stage);
  return {what.symbol, what.name};
}

/// The stage with this name in B: X₂ is the output of B's block, even if in A the last sum is.
Stage held_stage(const LayerResult& held, const StreamName& name, Stage stage) {
  const bool is_last = name.symbol == info(Stage::BlockOutput).symbol && held.trace[Stage::BlockOutput];
  return is_last ? Stage::BlockOutput : stage;
}

/// The vector of the query's token; empty where the stage has none.
std::vector<float> vector_of_query(const LayerResult& result, Stage stage, std::int64_t query) {
  const TensorPtr& tensor = result.trace[stage];
  if (!tensor || tensor->shape().rank() != 3) return {};
  const auto matrix = tensor->matrix(0);
  // The rows of attention's input begin with the cache.
  const bool of_tokens = stage == Stage::Position || stage == Stage::AttentionNorm;
  const std::int64_t row = of_tokens ? query + result.dimensions.past : query;
  if (row < 0 || row >= matrix.rows()) return {};
  std::vector<float> numbers(static_cast<std::size_t>(matrix.cols()));
  for (std::int64_t i = 0; i < matrix.cols(); ++i) numbers[static_cast<std::size_t>(i)] = matrix(row, i);
  return numbers;
}

/// Measures of a token's vector.
struct VectorFacts {
  double mean = 0, deviation = 0, length = 0;
};
std::optional<VectorFacts> vector_facts(const LayerResult& result, Stage stage, std::int64_t query) {
  const std::vector<float> numbers = vector_of_query(result, stage, query);
  if (numbers.empty()) return std::nullopt;
  const Eigen::ArrayXd x =
      Eigen::Map<const Eigen::ArrayXf>(numbers.data(), std::ssize(numbers)).cast<double>();
  return VectorFacts{x.mean(), std::sqrt((x - x.mean()).square().mean()), x.matrix().norm()};
}

/// Stages that change nothing share the tensor of the one before.
bool is_same_stage(const LayerResult& result, Stage a, std::optional<Stage> b) {
  return b && result.trace[a] == result.trace[*b];
}

/// The chosen token's vector in every stage, one below the other on one scale, so that additions are visible.
void draw_token_strips(const LessonPage& page, const Scene& side, const Box& area, Stage asked, bool is_b) {
  const Ui& ui = page.ui();
  const LayerResult& result = side.result;
  const Cell shown{lesson_row(page), 0};
  const std::int64_t query =
      is_b ? HeldPlaces(page.step, page.scene.result, result).cell(shown).query : shown.query;
  const std::vector<Stage> stages = stream_stages(page.step, result);
  if (stages.empty()) return;
  const std::int64_t columns = std::ssize(vector_of_query(result, stages.front(), query));
  const float left = ui.px(74), title = ui.px(28);
  const float wide = (area.w - left) / static_cast<float>(std::max<std::int64_t>(1, columns));
  const float row = std::floor(std::min(ui.px(26), (area.h - title) / static_cast<float>(stages.size())));
  if (columns == 0 || row < ui.px(16) || wide < 2) return;
  StripMatrix values(std::ssize(stages), columns);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::vector<float> numbers = vector_of_query(result, stages[i], query);
    for (std::int64_t j = 0; j < columns; ++j)
      values(static_cast<Eigen::Index>(i), j) =
          static_cast<std::size_t>(j) < numbers.size() ? numbers[static_cast<std::size_t>(j)] : 0;
  }
  const float name = ui.text(area.x, area.y + ui.px(10), query_label(result, 0, query),
                             {type::label, ui.theme.query, Ink::Semibold, Align::Left, area.w * 0.5f});
  ui.text(area.x + name + ui.px(8), area.y + ui.px(10), "through the block",
          {type::label, ui.theme.text2, Ink::Regular, Align::Left, area.w - name - ui.px(8)});
  const float side_of = wide >= ui.px(56) ? ui.px(56) : wide >= 24 ? std::floor(wide) : wide;
  const Box box{area.x + left, area.y + title, std::floor(side_of * static_cast<float>(columns)),
                row * static_cast<float>(stages.size())};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const bool chosen = is_same_stage(result, stages[i], asked);
    ui.text(box.x - ui.px(10), box.y + row * (static_cast<float>(i) + 0.5f) - ui.px(1),
            name_in_stream(result, stages[i]).symbol,
            {type::label, chosen ? ui.theme.text1 : ui.theme.text2, chosen ? Ink::Semibold : Ink::Regular,
             Align::Right, left - ui.px(10)});
  }
  draw_strips(ui, {.place = "token strips",
                   .box = box,
                   .values = values,
                   .most = largest_of(values),
                   .ground = ui.theme.panel});
}

}  // namespace

std::optional<Stage> lesson_vectors(const LessonPage& page, const LayerResult& result) {
  const auto stage = page.step.stage ? lessons::vectors_called(result, *page.step.stage) : std::nullopt;
  return stage && lessons::shows_stage(page.step, *stage) ? stage : std::nullopt;
}

void draw_lesson_vectors(LessonPage& page, Scene& side, const Box& area, Stage stage, bool is_b,
                         bool covered) {
  const Ui& ui = page.ui();
  if (covered) {
    const VectorWords words = vector_words(side.result.document.layer().block, stage);
    ui.text(area.x, area.y + ui.px(10), words.formula,
            {type::label, ui.theme.text1, Ink::Medium, Align::Left, area.w});
    return draw_lesson_lid(page, {area.x, area.y + ui.px(28), area.w, area.h - ui.px(28)},
                           is_b ? ui.theme.b : ui.theme.border);
  }
  ImGui::PushID(is_b ? "lesson B" : "lesson A");
  // B cannot be edited, and nothing can while a question is open.
  const bool locked = is_b || page.covered;
  if (locked) ImGui::BeginDisabled();
  // As high as its rows need; below them the chosen token, stage by stage.
  const auto rows = static_cast<float>(side.result.trace[stage]->shape()[1]);
  const float wanted = rows * ui.px(36) + ui.px(26 + 64 + 28), strips = ui.px(28 + 7 * 18);
  const float high = area.h - wanted >= strips ? wanted : area.h;
  draw_vector_map(side, {area.x, area.y, area.w, high}, stage, is_b ? "held vector map" : "vector map");
  if (locked) ImGui::EndDisabled();
  if (high < area.h)
    draw_token_strips(page, side, {area.x, area.y + high + ui.px(8), area.w, area.h - high - ui.px(8)}, stage,
                      is_b);
  ImGui::PopID();
}

float draw_lesson_stream(const LessonPage& page, const Box& column, float y) {
  const Ui& ui = page.ui();
  const LayerResult& result = page.scene.result;
  const std::int64_t query = lesson_row(page);
  const std::vector<Stage> stages = stream_stages(page.step, result);
  const LayerResult* const held = page.scene.held != nullptr ? &page.scene.held->result->layer() : nullptr;
  const std::optional<Stage> asked = lesson_vectors(page, result);
  const float pad = ui.px(12), line = ui.px(page.scene.compact ? 24 : 26);
  const float title = ui.text(column.x + pad, y + ui.px(8), "Through the block",
                              {type::label, ui.theme.text1, Ink::Semibold});
  const float name = ui.text(column.x + pad + title + ui.px(8), y + ui.px(8), query_label(result, 0, query),
                             {type::label, ui.theme.query, Ink::Semibold, Align::Left,
                              std::max(1.f, column.w - 2 * pad - title - ui.px(8))});
  const HeldPlace there = held != nullptr ? HeldPlaces(page.step, result, *held).row(query) : HeldPlace{};
  // B's row is of another token.
  if (const float room = column.w - 2 * pad - title - name - ui.px(24);
      there.at >= 0 && !there.is_same && room > ui.px(40))
    ui.text(column.right() - pad, y + ui.px(8), "held: " + query_label(*held, 0, there.at),
            {type::label, ui.theme.b, Ink::Semibold, Align::Right, room});
  y += ui.px(26);
  const std::size_t columns = held != nullptr ? 4 : 3;
  constexpr std::array<std::string_view, 4> names{"mean", "σ", "length", "held"};
  // In a narrow column beside B only the symbol names the stage.
  const bool short_names = column.w < ui.px(300) && held != nullptr;
  const float first = ui.px(short_names             ? 44
                            : column.w < ui.px(300) ? 112
                                                    : 124),
              wide = (column.w - 2 * pad - first) / static_cast<float>(columns);
  const auto right_of = [&](std::size_t i) {
    return column.x + pad + first + wide * static_cast<float>(i + 1);
  };
  for (std::size_t i = 0; i < columns; ++i)
    ui.text(right_of(i), y + ui.px(8), names[i],
            {type::tick, i == 3 ? ui.theme.b : ui.theme.text2, Ink::Regular, Align::Right});
  y += ui.px(24);
  bool behind = false;  // from the stage on that the question asks for
  for (const Stage stage : stages) {
    if (y + line > column.bottom()) break;
    const bool chosen = is_same_stage(result, stage, asked);
    behind = behind || chosen;
    if (chosen) ui.fill({column.x, y, column.w, line}, ui.theme.control);
    const float middle = y + line / 2;
    const StreamName what = name_in_stream(result, stage);
    const float symbol =
        ui.text(column.x + pad, middle, what.symbol, {type::label, ui.theme.text1, Ink::Semibold});
    if (!short_names)
      ui.text(column.x + pad + std::max(symbol + ui.px(6), ui.px(24)), middle, what.name,
              {type::tick, chosen ? ui.theme.text1 : ui.theme.text2, Ink::Regular, Align::Left,
               first - ui.px(26)});
    const auto number = [&](std::size_t i, double value, bool hidden) {
      if (hidden)
        ui.fill({right_of(i) - ui.px(34), middle - ui.px(7), ui.px(34), ui.px(14)}, ui.theme.hatch_ground,
                ui.px(3));
      else
        ui.text(right_of(i), middle, fixed(value, 2),
                {type::label, ui.theme.text1, chosen ? Ink::Semibold : Ink::Regular, Align::Right});
    };
    if (const auto facts = vector_facts(result, stage, query)) {
      const bool hidden = behind && page.hides() && held == nullptr;
      number(0, facts->mean, hidden);
      number(1, facts->deviation, hidden);
      number(2, facts->length, hidden);
    }
    if (there.at >= 0)
      if (const auto facts = vector_facts(*held, held_stage(*held, what, stage), there.at))
        number(3, facts->length, page.hides());
    y += line;
  }
  return y + ui.px(12);
}

}  // namespace attnscope
