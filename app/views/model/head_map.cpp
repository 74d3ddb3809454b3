#include "app/views/model/head_map.hpp"

#include <algorithm>
#include <bit>

#include "app/scene/picture.hpp"
#include "app/views/model/facts.hpp"
#include "core/readouts/contribution.hpp"

namespace attnscope {
namespace {

/// What the map of a place shows: the head of a run, in this theme, this part of it.
std::uint64_t content_of(const Scene& scene, const void* numbers, const ModelHead& head, const Box& box,
                         const Part& part, const ColourScale& scale) {
  std::uint64_t content = mix_hash(mix_hash(scene.model->ticket, numbers), scale.high);
  for (const std::int64_t number :
       {static_cast<std::int64_t>(head.of), static_cast<std::int64_t>(head.block), head.head,
        static_cast<std::int64_t>(scene.ui.theme.name), static_cast<std::int64_t>(scale.map),
        static_cast<std::int64_t>(scale.log), static_cast<std::int64_t>(part.turned),
        static_cast<std::int64_t>(box.w), static_cast<std::int64_t>(box.h)})
    content = mix_hash(content, static_cast<std::uint64_t>(number));
  for (const double place : {part.row0, part.column0, part.rows, part.columns})
    content = mix_hash(content, std::bit_cast<std::uint64_t>(place));
  return content;
}

/// Cells of `rows_per_cell` queries by `keys_per_cell` keys, hidden where the mask hides all of a cell.
void draw_cells(Scene& scene, const Tensor& values, std::int64_t plane, const PooledCells& cells,
                const ModelHead& head, const Box& box, const Part& part, const ColourScale& scale,
                const char* place) {
  const ModelRun& run = *shown_run(scene);
  const KeysSeen seen = keys_seen(scene.model->within.model->model->spec, run, head.of, head.block);
  const std::int64_t queries = rows_of(run, head.of);
  scene.ui.matrix(
      place, content_of(scene, values.data(), head, box, part, scale), box, [&](const Ui::UseJob& use) {
        RasterJob job = whole_matrix(scene.ui, values.matrix(plane), colormap(scale.map), box);
        job.row_kinds = [&](std::int64_t row, std::span<CellKind> kinds) {
          const std::int64_t first = row * cells.rows_per_cell;
          const std::int64_t last = std::min(queries, first + cells.rows_per_cell) - 1;
          for (std::size_t j = 0; j < kinds.size(); ++j) {
            const std::int64_t key = static_cast<std::int64_t>(j) * cells.keys_per_cell;
            const bool hidden = key >= seen.last(last) || key + cells.keys_per_cell <= seen.first(first);
            kinds[j] = hidden ? CellKind::Masked : CellKind::Number;
          }
        };
        job.low = scale.low;
        job.high = scale.high;
        job.log = scale.log;
        job.row0 = part.row0;
        job.column0 = part.column0;
        job.rows = part.rows;
        job.columns = part.columns;
        job.turned = part.turned;
        use(job);
      });
}

}  // namespace

const HeadMap* head_map(Scene& scene, const ModelHead& head, CellValue value) {
  const std::shared_ptr<const ModelRun>& run = shown_run(scene);
  std::shared_ptr<const HeadMap>& kept = scene.view.model->preview;
  if (kept && kept->run == run && kept->head == head && kept->value == value) return kept.get();
  const std::int64_t queries = rows_of(*run, head.of);
  const std::int64_t keys = keys_seen(scene.model->within.model->model->spec, *run, head.of, head.block).keys;
  if (queries * keys > most_map_cells) return nullptr;
  const Model& model = *scene.model->within.model->model;
  ThreadPool pool(1);
  const Work work{pool, {}};
  const auto block = static_cast<std::size_t>(head.block);
  HeadMap map{run, head, value, head_weights(model, *run, head.of, block, head.head, work), 0};
  if (value == CellValue::Contribution) {
    const std::vector<double> norms = value_norms(model, *run, head.of, block, head.head, work);
    auto numbers = map.numbers.matrix();
    for (std::int64_t j = 0; j < std::min<std::int64_t>(numbers.cols(), std::ssize(norms)); ++j)
      numbers.col(j) *= static_cast<float>(norms[static_cast<std::size_t>(j)]);
  }
  for (const float number : map.numbers.values())
    if (number > map.largest) map.largest = number;
  kept = std::make_shared<const HeadMap>(std::move(map));
  return kept.get();
}

void draw_head_map(Scene& scene, const HeadMap& map, const Box& box, const Part& part,
                   const ColourScale& scale) {
  draw_cells(scene, map.numbers, 0, {}, map.head, box, part, scale, "model head map");
}

void draw_pooled_map(Scene& scene, const ModelHead& head, const Box& box, const ColourScale& scale,
                     const char* place) {
  const std::vector<AttentionRun>& blocks = attention_of(*shown_run(scene), head.of);
  const HeadPictures& pictures = blocks[static_cast<std::size_t>(head.block)].pictures;
  if (pictures.mean.size() == 0) return;
  const auto shape = pictures.mean.matrix(head.head);
  const Part whole{0, 0, static_cast<double>(shape.rows()), static_cast<double>(shape.cols()), false};
  draw_cells(scene, pictures.mean, head.head, pictures.cells, head, box, whole, scale, place);
}

}  // namespace attnscope
