// app/cli/models: the model of a command, opened on first use; `serve` keeps one for many requests.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/parallel.hpp"
#include "core/models/model.hpp"

namespace attnscope {

class ModelFiles;
namespace tokenizers {
class Tokenizer;
}

/// For one thread at a time.
class ModelAtHand {
 public:
  /// Any path that model_path() takes.
  explicit ModelAtHand(const std::filesystem::path&);
  ~ModelAtHand();

  /// As it was given.
  const std::filesystem::path& path() const { return path_; }
  /// Opened once for the model, its tokenizer and its chat templates.
  ModelFiles& files() { return *files_; }
  /// Both are read once; the model prints say_note(). Throw Error at every call if reading fails.
  const Model& model();
  const tokenizers::Tokenizer& tokenizer();
  /// A pool with all threads of the machine.
  ThreadPool& pool();

 private:
  std::filesystem::path path_;
  std::unique_ptr<ModelFiles> files_;
  ModelPtr model_;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_;
  std::optional<ThreadPool> pool_;
};

}  // namespace attnscope
