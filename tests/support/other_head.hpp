// tests/support: a model of the goldens with another output head, made from its own numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/files/formats/posix.hpp"
#include "core/files/formats/safetensors.hpp"

namespace attnscope::test {

inline std::string replaced(std::string text, const std::string& old, const std::string& with) {
  if (const std::size_t at = text.find(old); at != text.npos) text.replace(at, old.size(), with);
  return text;
}

/// A model of the goldens with the first `rows` classes of its last map, which is called `module`, as another
/// architecture.
struct OtherHead {
  std::string golden, old_architecture, architecture, module;
  std::int64_t rows;
};
inline void write_with_head(const std::filesystem::path& folder, const OtherHead& head) {
  const std::filesystem::path golden =
      std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models" / head.golden;
  const SafetensorsFile file(golden / "model.safetensors");
  std::vector<Tensor> tensors;
  std::vector<std::string> names;
  for (const TensorEntry& entry : file.tensors()) {
    Tensor tensor = to_tensor<float>(entry, file.path());
    names.push_back(entry.name);
    if (entry.name.starts_with("classifier.")) {
      names.back() = replaced(entry.name, "classifier", head.module);
      std::vector<std::int64_t> sizes = entry.shape;
      sizes[0] = head.rows;
      const Shape shape{std::span<const std::int64_t>(sizes)};
      tensor = Tensor(shape, std::vector<float>(tensor.data(), tensor.data() + shape.count()));
    }
    tensors.push_back(std::move(tensor));
  }
  std::vector<NamedTensor> named;
  for (std::size_t i = 0; i < tensors.size(); ++i) named.push_back({names[i], &tensors[i]});
  write_safetensors(folder / "model.safetensors", named);
  std::ofstream(folder / "config.json")
      << replaced(read_whole(golden / "config.json", 1 << 20), head.old_architecture, head.architecture);
}

}  // namespace attnscope::test
