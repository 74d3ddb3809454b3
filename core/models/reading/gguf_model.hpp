// core/models/reading: a GGUF file as a model: its metadata as a ModelConfig, its tensors by name.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/files/formats/gguf_parts.hpp"
#include "core/models/config/config.hpp"
#include "core/models/reading/tensor_source.hpp"

namespace attnscope {

class GgufTensors final : public TensorSource {
 public:
  /// One file, or several parts of one. Throws Error as open_gguf_parts(), and naming a tensor that two parts
  /// have.
  explicit GgufTensors(const std::filesystem::path& path);
  /// The same for parts that are open.
  explicit GgufTensors(std::shared_ptr<const GgufParts> parts);

  /// The part with the metadata.
  const GgufFile& file() const { return *parts_->front(); }
  /// Null if there is no such tensor.
  const GgufTensor* find(const std::string& name) const;
  bool has(const std::string& name) const override { return find(name) != nullptr; }
  StoredTensor take(const std::string& name, const Shape& shape) override;
  StoredTensor take_rows(const std::string& name, std::int64_t columns) override;
  std::vector<std::string> used() const override { return {taken_.begin(), taken_.end()}; }
  std::vector<std::string> ignored() const override;

 private:
  const GgufFile* part_of(const std::string& name) const;

  std::shared_ptr<const GgufParts> parts_;
  std::set<std::string> taken_;
};

/// Reads the architectures llama, qwen2, qwen3, gemma2 and gpt2. Rows of W_Q and W_K in "llama" files are in
/// the order of interleaved rotary pairs, and so are the queries and keys here; q·k is the same. Throws Error
/// naming the file, the key, what was found and what was expected.
ModelConfig read_gguf_config(GgufTensors& files);

}  // namespace attnscope
