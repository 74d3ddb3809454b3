// app/views/files: numbers on their way to the clipboard.
#include <exception>

#include <fmt/format.h>

#include "app/exports/export_choice.hpp"
#include "app/views/files/files.hpp"

namespace attnscope {

ExportSource export_source(const Scene& scene) {
  return {scene.result, scene.stats, scene.held, scene.view, scene.selection};
}

void copy_numbers(Scene& scene) {
  try {
    const ExportChoice choice = export_choice(export_source(scene));
    scene.requests.copy = tab_separated(*choice.result, *choice.stats, choice.what, *scene.backends.pool());
    scene.view.notices.tell("Copied as tab-separated text · " + choice.name);
  } catch (const std::exception& error) {
    scene.view.notices.say(error.what());
  }
}

void copy_cell(Scene& scene) {
  const auto& [query, key] = scene.selection.cell;
  const std::int64_t b = scene.sequence();
  const float value = scene.stats.matrix(scene.view.stage, b, scene.selection.head)(query, key);
  scene.requests.copy = fmt::format("{}", value);
  scene.view.notices.tell(fmt::format("Copied {}, {} → {}.", own(scene.requests.copy),
                                      query_label(scene.result, b, query), key_label(scene.result, b, key)));
}

}  // namespace attnscope
