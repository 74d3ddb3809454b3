// app/cli/models: the model of a command, opened on first use; `serve` keeps one for many requests.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/models/model.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {

/// For one thread at a time.
class ModelAtHand {
 public:
  explicit ModelAtHand(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  /// Both are read once; the model prints say_note(). Throw Error at every call if reading fails.
  const Model& model();
  const tokenizers::Tokenizer& tokenizer();
  /// A pool with all threads of the machine.
  ThreadPool& pool();

 private:
  std::filesystem::path path_;
  ModelPtr model_;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_;
  std::optional<ThreadPool> pool_;
};

}  // namespace attnscope
