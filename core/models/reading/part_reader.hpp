// core/models/reading: single parts of a model's weights, by the names in the table of families.
#pragma once

#include <cstdint>
#include <string>

#include "core/models/config/config.hpp"
#include "core/models/model.hpp"
#include "core/models/reading/tensor_source.hpp"

namespace attnscope {

/// Keeps references. Its functions throw Error as TensorSource::take().
class PartReader {
 public:
  PartReader(const ModelConfig& config, TensorSource& files)
      : config_(config), family_(*config.family), files_(files) {}

  const ModelConfig& config() const { return config_; }
  const Family& family() const { return family_; }
  TensorSource& files() const { return files_; }

  /// The path of the part in the files.
  std::string path(const PartName& name, std::size_t block = 0) const {
    return config_.gguf ? gguf_path_of(family_, name.part, block) : path_of(name, place_of(block));
  }
  /// The number of the block in names: that of its group where blocks share their weights.
  std::size_t place_of(std::size_t block) const {
    const auto groups = static_cast<std::size_t>(config_.groups);
    return groups == 0 ? block : block * groups / config_.spec.input_stack().blocks.size();
  }
  bool has_bias(BiasRule) const;
  /// Weights of `width` numbers each, as a norm uses them: not as files hold them, see NormForm.
  NormWeights norm(const PartName&, std::size_t block, NormKind, std::int64_t width,
                   NormForm = NormForm::Usual) const;
  /// The norm of queries or keys.
  NormWeights head_norm(const PartName&, std::size_t block, std::int64_t width) const;
  LinearMap map(const PartName& name, std::size_t block, std::int64_t d_in, std::int64_t d_out) const {
    return map_at(path(name, block), name.bias, d_in, d_out);
  }
  LinearMap map_at(const std::string& path, BiasRule, std::int64_t d_in, std::int64_t d_out) const;

 private:
  const ModelConfig& config_;
  const Family& family_;
  TensorSource& files_;
};

/// The map that makes numbers [first, first + count) of what the map makes, which lies as [d_out][d_in].
LinearMap rows_of(const LinearMap&, std::int64_t first, std::int64_t count);

}  // namespace attnscope
