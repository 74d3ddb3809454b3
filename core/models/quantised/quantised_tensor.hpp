// core/models/quantised: a matrix of weights from the tensors that a quantised folder has in its place. The
// tensors stay in their maps, and a piece is widened when it is multiplied.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/stored_tensor.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/models/quantised/quantised_form.hpp"

namespace attnscope {

struct TensorInFile {
  const SafetensorsFile* file = nullptr;  // null if there is no such tensor
  const TensorEntry* tensor = nullptr;
};
/// Finds a tensor of the folder by its name and notes that it was taken.
using FindTensor = std::function<TensorInFile(const std::string&)>;

/// The weights [rows][columns] under a name that ends in "weight", or in MXFP4's "_blocks", of three
/// dimensions; nothing if they are not quantised. Throws Error naming the tensor, what was found and what was
/// expected, also for floats of 8 bits that have no scales.
std::optional<StoredTensor> quantised_tensor(const QuantisedForm&, const std::string& name, const Shape&,
                                             const FindTensor&);

}  // namespace attnscope
