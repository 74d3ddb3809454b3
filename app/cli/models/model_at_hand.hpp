// app/cli/models: the model of a command, opened when it is first asked for; `serve` keeps one for many
// requests.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/models/model.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {

/// Of one thread at a time.
class ModelAtHand {
 public:
  explicit ModelAtHand(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  /// These two are read once, the model with say_note(). Throw Error, each time they are asked for.
  const Model& model();
  const tokenizers::Tokenizer& tokenizer();
  /// All threads of the machine.
  ThreadPool& pool();

 private:
  std::filesystem::path path_;
  ModelPtr model_;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_;
  std::optional<ThreadPool> pool_;
};

}  // namespace attnscope
