// core/files/model: the files of a model while it is opened. Each is opened once, and what was read is handed
// on: to the weights, the tokenizer, the chat templates and the facts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/files/formats/gguf_parts.hpp"
#include "core/files/formats/safetensors.hpp"

namespace attnscope {

/// Files are opened at first use, and a file that cannot be read is tried again at the next. What it returns
/// lives as long as it does. Not thread-safe.
class ModelFiles {
 public:
  /// A folder or a GGUF file, as model_path() gives it. Does not throw if there is none.
  explicit ModelFiles(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  bool is_gguf() const { return is_gguf_; }

  /// Of a GGUF file. Throws Error as open_gguf_parts().
  std::shared_ptr<const GgufParts> gguf();

  /// The text of a file in the folder. Throws Error if it is longer than `limit` bytes.
  const std::string& text(const std::string& name, std::uint64_t limit);
  /// The value of a JSON file in the folder. Throws Error as text(), and naming the file by `name` alone if
  /// its JSON is not strict.
  const nlohmann::json& json(const std::string& name, std::uint64_t limit);

  /// A safetensors file in the folder. Throws Error as SafetensorsFile.
  const SafetensorsFile& tensors(const std::string& name);
  /// Those that tensors() has opened, by their names.
  const std::map<std::string, SafetensorsFile>& opened_tensors() const { return tensors_; }

 private:
  std::filesystem::path path_;
  bool is_gguf_;
  std::shared_ptr<const GgufParts> gguf_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::shared_ptr<const nlohmann::json>> values_;
  std::map<std::string, SafetensorsFile> tensors_;
};

}  // namespace attnscope
