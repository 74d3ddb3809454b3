// app/views/files: which numbers of a model are exported: tables of its screen, or the activations of every
// layer.
#include <algorithm>
#include <array>
#include <string>

#include "app/exports/activations.hpp"
#include "app/exports/model_export.hpp"
#include "app/exports/model_tables.hpp"
#include "app/files/file_kinds.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/state/files_state.hpp"
#include "app/state/model_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/files/dialog.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

bool are_tensors(const FilesState& files) { return files.numbers == NumberFormat::Tensors; }

HookBlocks blocks_of(const FilesState& files, const ModelReading& reading) {
  return files.one_layer ? HookBlocks{reading.within.block, reading.within.block} : HookBlocks{};
}

/// Replaces a table that belongs to another screen by the first one of this screen.
void keep_table_there(const Scene& scene) {
  ModelTable& table = scene.view.files->table;
  const std::vector<ModelTable> all = tables_of(model_look_of(scene.view).screen);
  if (std::ranges::find(all, table) == all.end()) table = all.front();
}

void draw_table_choice(Scene& scene, const Box& line) {
  FilesState& files = *scene.view.files;
  const std::vector<ModelTable> all = tables_of(model_look_of(scene.view).screen);
  std::vector<std::string_view> names;
  std::vector<Tip> tips;
  int now = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TableWords& words = words_of(all[i]);
    names.push_back(words.name);
    tips.push_back({words.name, {}, words.holds});
    if (all[i] == files.table) now = static_cast<int>(i);
  }
  if (const auto picked = segments(scene.ui, "Table of", line, names, now, tips)) {
    files.table = all[static_cast<std::size_t>(*picked)];
    follow_choice(scene);
  }
}

void draw_layer_choice(Scene& scene, const Box& line) {
  FilesState& files = *scene.view.files;
  constexpr std::array<std::string_view, 2> names{"All layers", "This layer"};
  constexpr std::array<Tip, 2> tips{
      {{"All layers",
        {},
        "Residual stream, queries, keys, values, scores, patterns and MLPs of every layer."},
       {"This layer", {}, "Of the layer that is looked at alone: a smaller file."}}};
  if (const auto picked = segments(scene.ui, "Activations of", {line.x, line.y, scene.ui.px(220), line.h},
                                   names, files.one_layer ? 1 : 0, tips)) {
    files.one_layer = *picked == 1;
    follow_choice(scene);
  }
}

/// The contents of the file, or why there are none.
void draw_facts(Scene& scene, const Box& line) {
  const Ui& ui = scene.ui;
  const FilesState& files = *scene.view.files;
  const ModelReading& reading = *scene.model;
  const HookBlocks blocks = blocks_of(files, reading);
  const TableSource of{reading, scene.held_model != nullptr ? scene.held_model->difference.get() : nullptr};
  const std::string trouble =
      are_tensors(files) ? why_no_activations(reading, blocks) : why_no_table(files.table, of);
  if (!trouble.empty()) {
    ui.text(line.x, line.centre_y(), trouble,
            {type::tick, ui.theme.error, Ink::Regular, Align::Left, line.w});
    return;
  }
  std::string words;
  if (are_tensors(files))
    words = "TransformerLens names, float32, " +
            bytes(static_cast<std::int64_t>(activation_bytes(reading, blocks)));
  else if (is_partial(files.table, of))
    words = "Still being computed: what is not known yet is an empty field.";
  else
    words = "Every number with the digits that read back to it.";
  ui.text(line.x, line.centre_y(), words, {type::tick, ui.theme.text3, Ink::Regular, Align::Left, line.w});
}

}  // namespace

bool is_of_model(const Scene& scene) {
  return scene.view.mode == Mode::Model && scene.model != nullptr && scene.model->run != nullptr;
}

std::string model_numbers_name(const Scene& scene) {
  const FilesState& files = *scene.view.files;
  keep_table_there(scene);
  const bool tensors = are_tensors(files);
  const ModelExported what =
      tensors ? ModelExported(blocks_of(files, *scene.model)) : ModelExported(ExportedTable{files.table, {}});
  return suggested_name(plain_name_of(what, *scene.model), tensors ? ".safetensors" : ".csv");
}

void draw_model_number_options(Scene& scene, const Box& card, float& y) {
  const Ui& ui = scene.ui;
  FilesState& files = *scene.view.files;
  keep_table_there(scene);
  constexpr std::array<std::string_view, 2> formats{"Table", "Activations"};
  constexpr std::array<Tip, 2> tips{
      {{"Table", "CSV", "Numbers of what is on the screen, a line each, for a spreadsheet or a script."},
       {"Activations", "safetensors",
        "What every layer computed on this text, under the names of TransformerLens' hook points."}}};
  Box as = option_line(ui, card, y, "As");
  as.w = std::min(as.w, ui.px(220));
  if (const auto picked = segments(ui, "Model numbers as", as, formats, are_tensors(files) ? 1 : 0, tips)) {
    files.numbers = *picked == 1 ? NumberFormat::Tensors : NumberFormat::Csv;
    follow_choice(scene);
  }
  const Box of = option_line(ui, card, y, "Of");
  are_tensors(files) ? draw_layer_choice(scene, of) : draw_table_choice(scene, of);
  draw_facts(scene, option_line(ui, card, y, ""));
}

}  // namespace attnscope
