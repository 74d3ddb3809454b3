#include "app/exports/export_choice.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"
#include "app/state/files_state.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/editing/weight_map.hpp"
#include "app/views/parts/vector_map.hpp"

namespace attnscope {
namespace {

struct MatrixSize {
  std::int64_t rows = 0, columns = 0;
};

MatrixSize size_of(const Shape& shape) {
  const int rank = static_cast<int>(shape.rank());
  if (rank == 0) return {};
  return {rank > 1 ? shape[shape.rank() - 2] : 1, shape[shape.rank() - 1]};
}

/// The block as export_numbers() finds it; null if the document no longer has it, and then the plane is
/// exported.
TensorPtr block_of(const ExportChoice& choice) {
  return choice.what.weights ? numbers_of(choice.result->document, *choice.what.weights) : nullptr;
}

MatrixSize size_of(const ExportChoice& choice) {
  const LayerResult& result = *choice.result;
  if (result.is_long()) return {choice.what.region.queries, choice.what.region.keys};
  if (const TensorPtr block = block_of(choice)) return size_of(block->shape());
  if (choice.what.vectors && result.trace[*choice.what.vectors])
    return size_of(result.trace[*choice.what.vectors]->shape());
  return {result.dimensions.queries, result.dimensions.keys};
}

/// Whether each head has a matrix of its own.
bool is_of_a_head(const ExportChoice& choice) {
  if (choice.result->is_long()) return true;
  if (const TensorPtr block = block_of(choice)) return block->shape().rank() == 4;
  if (choice.what.vectors) return choice.result->trace[*choice.what.vectors]->shape().rank() == 4;
  return true;
}

std::string_view name_of(const ExportChoice& choice) {
  if (choice.result->is_long()) return "weights in sight";
  if (block_of(choice)) return block_words(*choice.what.weights).name;
  if (choice.what.vectors) return vector_words(*choice.what.vectors).name;
  return words(choice.result->document, choice.what.plane).name;
}

/// "Weights of head 3": only characters that are safe in file names of all systems.
std::string plain_name(std::string_view name, bool of_head, std::int64_t head) {
  std::string out;
  for (const char c : name) {
    const bool simple = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (simple || (c == ' ' && !out.empty() && out.back() != ' ')) out += c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return of_head ? fmt::format("{} of head {:d}", out, head) : out;
}

constexpr std::array<std::string_view, 3> side_names{"A", "B", "A − B"}, side_files{"A", "B", "A minus B"};

}  // namespace

std::vector<ExportSide> export_sides(const ExportSource& source) {
  if (source.view.mode != Mode::Compare || source.held == nullptr) return {};
  std::vector<ExportSide> all{ExportSide::A, ExportSide::B};
  if (!source.result.is_long() &&
      source.stats.tensor(Plane(stage_look_of(source.view).stage.stage, Plane::Kind::Difference)))
    all.push_back(ExportSide::Difference);
  return all;
}

ExportChoice export_choice(const ExportSource& source) {
  const ViewState& view = source.view;
  ExportChoice choice{&source.result, &source.stats, {}, {}, {}};
  choice.what = {stage_look_of(view).stage, stage_look_of(view).vectors,   editing_of(view).weights,
                 source.selection.sequence, source.selection.shown_head(), long_view_of(view).visible_part()};
  const std::vector<ExportSide> sides = export_sides(source);
  std::string before, file;
  if (!sides.empty()) {  // Compare draws planes, whatever is chosen in Explore
    const bool there = std::find(sides.begin(), sides.end(), view.files->side) != sides.end();
    const ExportSide side = there ? view.files->side : ExportSide::A;
    choice.what.plane = Plane(stage_look_of(view).stage.stage);
    choice.what.vectors.reset();
    choice.what.weights.reset();
    if (side == ExportSide::Difference) choice.what.plane.kind = Plane::Kind::Difference;
    if (side == ExportSide::B) {
      choice.result = &source.held->result->layer();
      choice.stats = source.held->stats.get();
      const Dimensions& d = choice.result->dimensions;
      choice.what.sequence = std::min(choice.what.sequence, d.batch - 1);
      choice.what.head = std::min(choice.what.head, d.heads - 1);
    }
    before = std::string(side_names[static_cast<std::size_t>(side)]) + " · ";
    file = std::string(side_files[static_cast<std::size_t>(side)]) + " ";
  }
  const bool of_head = is_of_a_head(choice);
  const MatrixSize size = size_of(choice);
  const std::string_view name =
      sides.empty() ? name_of(choice) : words(choice.result->document, Plane(choice.what.plane.stage)).name;
  choice.name = before + std::string(name);
  if (of_head) choice.name += fmt::format(" · head {}", choice.what.head);
  choice.name += fmt::format(" · {} × {}", grouped(size.rows), grouped(size.columns));
  choice.plain = file + plain_name(name, of_head, choice.what.head);
  return choice;
}

}  // namespace attnscope
