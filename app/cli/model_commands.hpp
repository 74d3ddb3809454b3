// app/cli: the commands for the folder of a model: `run`, `atlas`, `heads`, `patch`, `similar`, `tokenize`
// and `model`.
#pragma once

#include <memory>
#include <optional>

#include "app/cli/atlas.hpp"
#include "app/cli/run_model.hpp"

namespace CLI {
class App;
}

namespace attnscope {

class ModelCommands {
 public:
  /// Adds them to `app`, which must outlive this.
  explicit ModelCommands(CLI::App& app);
  ~ModelCommands();
  /// What `run` and `atlas` were asked for, once `app` has read its line; nothing when it was another one.
  std::optional<RunModelOptions> asked_run() const;
  std::optional<AtlasOptions> asked_atlas() const;
  /// Does what was asked for; false when it was none of them. Throws Error.
  bool run() const;

 private:
  struct Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace attnscope
