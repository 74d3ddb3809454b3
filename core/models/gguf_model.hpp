// core/models: a GGUF file as a model: its metadata as a config, its tensors by name.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/files/formats/gguf.hpp"
#include "core/models/config.hpp"
#include "core/models/tensor_source.hpp"

namespace attnscope {

class GgufTensors final : public TensorSource {
 public:
  /// Throws Error as GgufFile.
  explicit GgufTensors(const std::filesystem::path& path) : file_(path) {}

  const GgufFile& file() const { return file_; }
  bool has(const std::string& name) const override { return file_.find(name) != nullptr; }
  StoredTensor take(const std::string& name, const Shape& shape) override;
  StoredTensor take_rows(const std::string& name, std::int64_t columns) override;
  std::vector<std::string> used() const override { return {taken_.begin(), taken_.end()}; }
  std::vector<std::string> ignored() const override;

 private:
  GgufFile file_;
  std::set<std::string> taken_;
};

/// Architectures llama, qwen2, qwen3, gemma2 and gpt2. The rows of W_Q and W_K of "llama" files are in the
/// order of interleaved rotary pairs, and so are its queries and keys here: their products are the same.
/// Throws Error naming the file, the key, what was found and what was expected.
ModelConfig read_gguf_config(GgufTensors& files);

}  // namespace attnscope
