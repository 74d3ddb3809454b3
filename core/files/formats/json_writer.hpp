// core/files/formats: writes documents as JSON. Every float is printed so that it reads back to the same
// bits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor.hpp"

namespace attnscope {

std::string json_text(const std::string& text);
/// The shortest decimal that reads back to this float only. Readers go through double, which may round a
/// second time: if that gave another float, the digits of the double are printed.
std::string json_number(float value);
std::string json_texts(const std::vector<std::string>& texts);

/// An object that is written key by key.
class JsonWriter {
 public:
  explicit JsonWriter(std::string_view indent) : indent_(indent) {}

  void add(std::string_view key, std::string_view value);
  void add(std::string_view key, bool value) { add(key, std::string_view(value ? "true" : "false")); }
  /// Nested arrays with one row of numbers per line; writes nothing if the tensor is null.
  void add(std::string_view key, const TensorPtr& tensor, bool null_hides = false);
  bool empty() const { return out_.size() == 1; }
  std::string take() { return out_ + "}"; }

 private:
  std::string_view indent_;
  std::string out_ = "{";
};

}  // namespace attnscope
