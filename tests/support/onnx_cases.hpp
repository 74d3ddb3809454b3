// tests: the operator tests of ONNX beside the checkout, one file each with tensors in.NAME and out.NAME.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/files/formats/safetensors.hpp"

namespace attnscope {

struct OnnxCase {
  std::string name;
  std::filesystem::path file;
  nlohmann::json attributes;

  bool has_input(const std::string& which) const {
    return SafetensorsFile(file).find("in." + which) != nullptr;
  }
  Tensor input(const std::string& which) const {
    const SafetensorsFile open(file);
    return to_tensor<float>(*open.find("in." + which), file);
  }
  std::map<std::string, Tensor> outputs() const {
    const SafetensorsFile open(file);
    std::map<std::string, Tensor> found;
    for (const TensorEntry& entry : open.tensors())
      if (entry.name.starts_with("out.")) found.emplace(entry.name.substr(4), to_tensor<float>(entry, file));
    return found;
  }
  /// The tolerance depends on their types: 2e-6 in float32, 2e-3 in float16.
  double tolerance() const {
    const SafetensorsFile open(file);
    const bool half = std::any_of(open.tensors().begin(), open.tensors().end(), [](const TensorEntry& entry) {
      return entry.name == "out.Y" && entry.dtype == DType::F16;
    });
    return half ? 2e-3 : 2e-6;
  }

  /// The inputs under their plain names, in a file of their own, types and all: the header is written again,
  /// the data is copied.
  std::filesystem::path inputs(const std::filesystem::path& folder) const {
    const SafetensorsFile open(file);
    nlohmann::json header;
    std::string data;
    for (const TensorEntry& entry : open.tensors()) {
      if (!entry.name.starts_with("in.")) continue;
      const std::size_t start = data.size();
      data.append(reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size());
      header[entry.name.substr(3)] = {
          {"dtype", to_string(entry.dtype)}, {"shape", entry.shape}, {"data_offsets", {start, data.size()}}};
    }
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    const std::filesystem::path path = folder / (name + ".safetensors");
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&length), 8);
    out << text << data;
    return path;
  }
};

/// Empty when there is no such folder.
inline std::vector<OnnxCase> onnx_cases(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(ATTNSCOPE_SHARED) / "vectors" / folder;
  std::vector<OnnxCase> cases;
  if (!std::filesystem::exists(path)) return cases;
  std::ifstream stream(path / "index.json");
  const nlohmann::json index = nlohmann::json::parse(stream);
  for (const auto& [name, test] : index.at("tests").items())
    cases.push_back({name, path / test.at("file").get<std::string>(), test.at("attributes")});
  return cases;
}

}  // namespace attnscope
