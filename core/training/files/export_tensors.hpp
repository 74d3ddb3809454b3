// core/training/files: the tensors of a model's folder, gathered out of a network's array under the names and
// in the layouts of each shape.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/tensor.hpp"
#include "core/training/network/layout.hpp"

namespace attnscope::training {

/// Where number (row, column) of a tensor of the folder stands in the network's array.
using Place = std::function<std::int64_t(std::int64_t row, std::int64_t column)>;

class FolderTensors {
 public:
  explicit FolderTensors(std::span<const float> weights) : weights_(weights) {}

  void add(const std::string& name, Shape shape, const Place& place);
  void vector(const std::string& name, std::int64_t at, std::int64_t count);
  void table(const std::string& name, std::int64_t at, std::int64_t rows, std::int64_t columns);
  void norm(const std::string& name, const NormAt&, int width);
  /// [d_out][d_in], as PyTorch's linear maps have it.
  void map(const std::string& name, const MapAt&);
  /// [d_in][d_out], as GPT-2 has it.
  void map_as_stored(const std::string& name, const MapAt&);
  /// [d_out][3][side][side]: a map of grey patches as a convolution over three colours, a third each, so that
  /// a grey picture gives the same.
  void patches(const std::string& name, const MapAt&, int side);
  void zeros(const std::string& name, Shape shape);
  void ones(const std::string& name, Shape shape);
  void write(const std::filesystem::path& path, const std::map<std::string, std::string>& facts) const;

 private:
  std::span<const float> weights_;
  std::deque<Tensor> tensors_;
  std::vector<std::string> names_;
};

/// Inner width of an MLP of zeros, which stands for none: no family has blocks without one.
inline constexpr int inner_of_none = 4;
inline int inner_of(const NetworkSpec& spec) { return spec.inner > 0 ? spec.inner : inner_of_none; }

void add_neox(FolderTensors&, const NetworkSpec&, const Layout&);
void add_gpt2(FolderTensors&, const NetworkSpec&, const Layout&);
void add_reader(FolderTensors&, const NetworkSpec&, const Layout&);
void add_vit(FolderTensors&, const NetworkSpec&, const Layout&);

/// Pixels of a side of a patch; 0 where the patch is no square.
int patch_side(const NetworkSpec&);

}  // namespace attnscope::training
