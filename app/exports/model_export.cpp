#include "app/exports/model_export.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/exports/activations.hpp"
#include "app/exports/model_tables.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/posix.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

void write_table(const ExportedTable& what, const ModelReading& reading, const std::filesystem::path& path,
                 const std::stop_token& stop) {
  const TableSource of{reading, what.difference.get()};
  if (const std::string why = why_no_table(what.table, of); !why.empty())
    throw Error(fmt::format("Cannot write {}: {}", in_quotes(path.native()), why));
  const std::string text = model_table(what.table, of, stop);
  if (stop.stop_requested()) throw Cancelled();
  write_atomically(path, std::array{std::string_view(text)});
}

}  // namespace

ModelExported model_exported(const FilesState& files, const ModelReading& reading,
                             ModelDifferencePtr difference, const std::filesystem::path& path) {
  const std::string ending = lower_extension(path);
  if (ending == ".csv") return ExportedTable{files.table, std::move(difference)};
  if (ending == ".safetensors")
    return files.one_layer ? HookBlocks{reading.within.block, reading.within.block} : HookBlocks{};
  throw Error(
      fmt::format("Cannot export to {}: of a model there are tables, .csv, and activations, .safetensors.",
                  in_quotes(path.native())));
}

std::string plain_name_of(const ModelExported& what, const ModelReading& reading) {
  const std::string& model = reading.within.model->name;
  if (const auto* const table = std::get_if<ExportedTable>(&what))
    return fmt::format("{} - {}", model, words_of(table->table).file);
  if (std::holds_alternative<std::shared_ptr<GridFigure>>(what)) return model + " - all heads";
  const HookBlocks& blocks = std::get<HookBlocks>(what);
  return blocks.last < 0 ? model + " - activations"
                         : fmt::format("{} - activations of layer {}", model, blocks.first);
}

ModelExport::ModelExport(ModelReadingPtr reading, ModelExported what, std::filesystem::path path,
                         SharedPool pool)
    : path_(std::move(path)) {
  task_ = std::make_shared<Task<std::monostate, Share>>(
      [reading = std::move(reading), what, to = path_, pool = std::move(pool)](const std::stop_token& stop,
                                                                               Share& progress) {
        if (const auto* const table = std::get_if<ExportedTable>(&what)) {
          write_table(*table, *reading, to, stop);
        } else if (const auto* const figure = std::get_if<std::shared_ptr<GridFigure>>(&what)) {
          write_grid_figure(**figure, Work{*pool, stop}, [&](double share) { progress.share = share; });
        } else if (const auto* const html = std::get_if<std::shared_ptr<HtmlJob>>(&what)) {
          const std::string file =
              (*html)->make(Work{*pool, stop}, [&](double share) { progress.share = share; });
          if (stop.stop_requested()) throw Cancelled();
          write_atomically(to, std::array{std::string_view(file)});
        } else {
          // Computing takes most of the time; writing the file takes the rest.
          write_activations(*reading, std::get<HookBlocks>(what), to, Work{*pool, stop},
                            [&](double share) { progress.share = 0.9 * share; });
        }
        progress.share = 1;
        return std::monostate{};
      });
  worker_.add(task_);
}

double ModelExport::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool ModelExport::was_written(std::string& sentence) const {
  if (task_->result()) return true;
  sentence = task_->error() == "Stopped."
                 ? "The export was stopped; nothing was written to " + in_quotes(path_.native()) + "."
                 : task_->error();
  return false;
}

}  // namespace attnscope
