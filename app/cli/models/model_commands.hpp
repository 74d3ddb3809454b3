// app/cli/models: the commands for the folder of a model: `run`, `atlas`, `heads`, `patch`, `similar`,
// `tokenize` and `model`.
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
  ChatOptions chat;   // instead of lines
};

class ModelCommands {
 public:
  /// Adds them to `app`, which must outlive this.
  explicit ModelCommands(CLI::App& app);
  ~ModelCommands();
  /// What these three were asked for, once `app` has read its line; nothing when it was another one.
  std::optional<RunModelOptions> asked_run() const;
  std::optional<AtlasOptions> asked_atlas() const;
  std::optional<TokenizeOptions> asked_tokenize() const;
  /// Does what was asked for; false when it was none of them. Throws Error.
  bool run() const;

 private:
  struct Lines;
  std::unique_ptr<Lines> lines_;
};

}  // namespace attnscope
