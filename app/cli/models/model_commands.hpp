// app/cli/models: the commands on a model: `run`, `atlas`, `heads`, `patch`, `similar`, `tokenize` and
// `model`.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "app/cli/chat/chat_text.hpp"
#include "app/cli/models/atlas.hpp"
#include "app/cli/models/run_model.hpp"

namespace CLI {
class App;
}

namespace attnscope {

struct TokenizeOptions {
  std::filesystem::path model;
  bool json = false;  // each line is a text as a JSON string
  ChatOptions chat;   // in place of lines
};

class ModelCommands {
 public:
  /// Adds them to `app`, which must outlive this.
  explicit ModelCommands(CLI::App& app);
  ~ModelCommands();
  /// The options of these commands, once `app` has parsed its line; empty if another command was given.
  std::optional<RunModelOptions> asked_run() const;
  std::optional<AtlasOptions> asked_atlas() const;
  std::optional<TokenizeOptions> asked_tokenize() const;
  /// Runs the command; false if another one was given. Throws Error.
  bool run() const;

 private:
  struct Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace attnscope
