#include "app/views/model/head_map.hpp"

#include <algorithm>
#include <bit>

#include "app/scene/picture.hpp"
#include "app/views/model/facts.hpp"

namespace attnscope {
namespace {

/// A hash of the map's contents: the run, the head, the theme, and the part of it.
std::uint64_t content_of(const Ui& ui, const RunMap& map, const Box& box, const Part& part,
                         const ColourScale& scale) {
  std::uint64_t content = mix_hash(mix_hash(map.content, ui.textures.serial(map.run)), scale.high);
  for (const std::int64_t number :
       {static_cast<std::int64_t>(map.head.of), static_cast<std::int64_t>(map.head.block), map.head.head,
        map.cells.rows_per_cell, map.cells.keys_per_cell, static_cast<std::int64_t>(map.value),
        static_cast<std::int64_t>(ui.theme.name), static_cast<std::int64_t>(scale.map),
        static_cast<std::int64_t>(scale.log), static_cast<std::int64_t>(part.turned),
        static_cast<std::int64_t>(box.w), static_cast<std::int64_t>(box.h)})
    content = mix_hash(content, static_cast<std::uint64_t>(number));
  for (const double place : {part.row0, part.column0, part.rows, part.columns})
    content = mix_hash(content, std::bit_cast<std::uint64_t>(place));
  return content;
}

}  // namespace

std::int64_t map_cells(const Model& model, const ModelRun& run, const ModelHead& head) {
  return rows_of(run, head.of) * keys_seen(model.spec, run, head.of, head.block).keys;
}

HeadMapPtr head_map(Scene& scene, const ModelHead& head, CellValue value) {
  return head_map_of(scene, HeadMaps::Place::Shown, scene.model->within.model->model, shown_run(scene), head,
                     value);
}

HeadMapPtr head_map_of(Scene& scene, HeadMaps::Place place, const ModelPtr& model,
                       const std::shared_ptr<const ModelRun>& run, const ModelHead& head, CellValue value) {
  const std::int64_t cells = map_cells(*model, *run, head);
  if (cells > most_map_cells) return nullptr;
  return scene.head_maps.get(place, {model, run, head, value, cells});
}

void draw_run_map(const Ui& ui, const char* place, const RunMap& map, const Box& box, const Part& part,
                  const ColourScale& scale) {
  const HeadMask mask(map.spec, *map.run, map.head.of, map.head.block);
  const bool is_pooled = map.cells != PooledCells{};
  ui.matrix(place, content_of(ui, map, box, part, scale), box, [&](const Ui::UseJob& use) {
    RasterJob job = whole_matrix(ui, map.values, colormap(scale.map), box);
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(map.values.cols()));
    job.row_kinds = [&](std::int64_t row, std::span<CellKind> kinds) {
      is_pooled ? mask.see_cells(map.head.head, row, seen) : mask.see(map.head.head, row, seen);
      const bool is_empty = std::ranges::find(seen, 1) == seen.end();
      kinds_of_row({map.values.data() + row * map.values.cols(), seen.size()}, seen,
                   {.leaks_are_numbers = true, .hidden = is_empty ? CellKind::NoKey : CellKind::Masked},
                   kinds);
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

void draw_head_map(Scene& scene, const HeadMap& map, const Box& box, const Part& part,
                   const ColourScale& scale) {
  const RunMap of_run{scene.model->within.model->model->spec,
                      map.run,
                      map.head,
                      map.numbers.matrix(),
                      {},
                      map.value,
                      scene.model->ticket};
  draw_run_map(scene.ui, "model head map", of_run, box, part, scale);
}

void draw_pooled_map(Scene& scene, const ModelHead& head, const Box& box, const ColourScale& scale,
                     const char* place) {
  const std::vector<AttentionRun>& blocks = attention_of(*shown_run(scene), head.of);
  const HeadPictures& pictures = blocks[static_cast<std::size_t>(head.block)].pictures;
  if (pictures.mean.size() == 0) return;
  const auto shape = (pictures.largest.size() > 0 ? pictures.largest : pictures.mean).matrix(head.head);
  const Part whole{0, 0, static_cast<double>(shape.rows()), static_cast<double>(shape.cols()), false};
  const RunMap of_run{scene.model->within.model->model->spec,
                      shown_run(scene),
                      head,
                      shape,
                      pictures.cells,
                      CellValue::Weight,
                      scene.model->ticket};
  draw_run_map(scene.ui, place, of_run, box, whole, scale);
}

}  // namespace attnscope
