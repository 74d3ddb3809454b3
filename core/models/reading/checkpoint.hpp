// core/models/reading: the tensors of a model by name, from one safetensors file or from several with an
// index.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/formats/safetensors.hpp"
#include "core/models/quantised/quantised_form.hpp"
#include "core/models/reading/tensor_source.hpp"

namespace attnscope {

class ModelFiles;

class Checkpoint final : public TensorSource {
 public:
  /// A folder with model.safetensors, or with model.safetensors.index.json and the files in it. Prefixes that
  /// wrappers add to all names ("module.", "_orig_mod.", "base_model.model.") are cut off, then the first of
  /// `prefixes` that a tensor's name begins with; "gamma" and "beta" at the end of a name, from files before
  /// 2019, become "weight" and "bias". Throws Error if there is no such file, or only one that would have to
  /// be unpickled; if an index names nothing, files elsewhere, or tensors that are not where it says; for two
  /// files with the same tensor; and for an unmerged adapter. Tensors of its files that the index leaves out
  /// are read as well. `files` must outlive it, but not the tensors that are taken.
  Checkpoint(ModelFiles& files, std::span<const std::string_view> prefixes, QuantisedForm form = {});

  /// Also true for weights that other tensors hold as codes.
  bool has(const std::string& name) const override;
  /// Codes with scales beside them stay in their map: quantised_tensor.hpp. Other integers are refused, since
  /// they are not weights.
  StoredTensor take(const std::string& name, const Shape& shape) override;
  StoredTensor take_rows(const std::string& name, std::int64_t columns) override;
  std::vector<std::string> used() const override { return names(true); }
  std::vector<std::string> ignored() const override { return names(false); }

 private:
  struct Entry {
    const SafetensorsFile* file = nullptr;
    const TensorEntry* tensor = nullptr;
    bool taken = false;
  };
  void add(const SafetensorsFile& file, std::span<const std::string_view> prefixes,
           const std::vector<std::string>* wanted);
  void refuse_unmerged() const;
  Entry& find(const std::string& name, const std::string& expected);
  std::optional<StoredTensor> quantised(const std::string& name, const Shape& shape);
  std::string common_prefix() const;
  std::vector<std::string> names(bool taken) const;

  std::filesystem::path folder_;
  QuantisedForm form_;
  std::string note_;  // a hint for errors about a tensor that does not fit
  std::map<std::string, Entry> tensors_;
};

}  // namespace attnscope
