// app/views/files: numbers on their way to the clipboard.
#include <exception>

#include <fmt/format.h>

#include "app/export.hpp"
#include "app/views/files/files.hpp"

namespace attnscope {

void copy_numbers(Scene& scene) {
  const Exported what{scene.view.stage, scene.view.vectors,   scene.view.editing.weights,
                      scene.sequence(), scene.selection.head, scene.view.long_view.in_sight()};
  try {
    scene.requests.copy = tab_separated(scene.result, scene.stats, what);
    scene.view.message = "Copied the matrix in the focus as tab-separated text.";
  } catch (const std::exception& error) {
    scene.view.message = error.what();
  }
  scene.view.message_from_engine = false;
}

void copy_cell(Scene& scene) {
  const auto& [query, key] = scene.selection.cell;
  const std::int64_t b = scene.sequence();
  const float value = scene.stats.matrix(scene.view.stage, b, scene.selection.head)(query, key);
  scene.requests.copy = fmt::format("{}", value);
  scene.view.message = fmt::format("Copied {}, {} → {}.", scene.requests.copy,
                                   query_label(scene.result, b, query), key_label(scene.result, b, key));
  scene.view.message_from_engine = false;
}

}  // namespace attnscope
