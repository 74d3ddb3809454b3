// app/exports: an export of a model's data to a file, on a thread of its own: its progress and its end.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>

#include "app/exports/grid_figure.hpp"
#include "app/exports/html/html_job.hpp"
#include "app/state/files_state.hpp"
#include "core/base/worker.hpp"
#include "core/engine/model/model_difference.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/readouts/hook_tensors.hpp"

namespace attnscope {

/// A table, and the comparison that it is of, or null.
struct ExportedTable {
  ModelTable table = ModelTable::Heads;
  ModelDifferencePtr difference;
};
/// The contents of an export: a table, activations of these blocks, a page with all heads, or an HTML file,
/// which needs no reading.
using ModelExported =
    std::variant<ExportedTable, HookBlocks, std::shared_ptr<GridFigure>, std::shared_ptr<HtmlJob>>;

/// The choice of the dialog, for the extension of this path; `difference`: the comparison, or null. Throws
/// Error that names the path for another extension than .csv and .safetensors.
ModelExported model_exported(const FilesState&, const ModelReading&, ModelDifferencePtr difference,
                             const std::filesystem::path&);
/// "Head scores of SmolLM2", "Activations of layer 3 of SmolLM2": for a file name.
std::string plain_name_of(const ModelExported&, const ModelReading&);

class ModelExport {
 public:
  /// Starts at once, with the reading as it is now.
  ModelExport(ModelReadingPtr, ModelExported, std::filesystem::path, SharedPool pool = {});

  const std::filesystem::path& path() const { return path_; }
  double share() const { return task_->progress().share; }
  double seconds() const;
  bool is_done() const { return task_->is_done(); }
  /// Asks it to stop; is_done() soon after.
  void cancel() { task_->cancel(); }
  void wait() { worker_.wait(); }
  /// Call when it is done. True: the file is written; else the file is unchanged and `sentence` tells why.
  bool was_written(std::string& sentence) const;

 private:
  struct Share {
    std::atomic<double> share{0};
  };
  std::filesystem::path path_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::shared_ptr<Task<std::monostate, Share>> task_;
  Worker worker_;  // last: it ends before the other members are destroyed
};

}  // namespace attnscope
