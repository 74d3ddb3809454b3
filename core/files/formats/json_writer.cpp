#include "core/files/formats/json_writer.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace attnscope {
namespace {

/// Nested arrays with one row of numbers per line.
void append_tensor(const Tensor& tensor, bool null_hides, std::string& out) {
  if (tensor.size() == 0) {
    out += "[]";
    return;
  }
  const int rank = tensor.shape().rank();
  const std::int64_t columns = rank == 0 ? 1 : tensor.shape()[rank - 1];
  // How many levels open or close at element i: the axes whose block starts or ends there.
  const auto levels = [&](std::int64_t i) {
    int count = 0;
    std::int64_t block = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      block *= tensor.shape()[axis];
      if (i % block == 0) ++count;
    }
    return static_cast<std::size_t>(count);
  };
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (i > 0) out += i % columns == 0 ? ",\n   " : ", ";
    if (i % columns == 0) out.append(levels(i), '[');
    const float value = tensor.values()[static_cast<std::size_t>(i)];
    out += null_hides && std::isinf(value) && value < 0 ? "null" : json_number(value);
    if ((i + 1) % columns == 0) out.append(levels(i + 1), ']');
  }
}

}  // namespace

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(float value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";
  const std::string shortest = fmt::format("{}", value);
  double back = 0;
  std::from_chars(shortest.data(), shortest.data() + shortest.size(), back);
  return static_cast<float>(back) == value ? shortest : fmt::format("{}", static_cast<double>(value));
}

std::string json_texts(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() == 1 ? "" : ", ") + json_text(text);
  return out + "]";
}

void JsonWriter::add(std::string_view key, std::string_view value) {
  out_ += fmt::format("{}\n{}\"{}\": {}", empty() ? "" : ",", indent_, key, value);
}

void JsonWriter::add(std::string_view key, const TensorPtr& tensor, bool null_hides) {
  if (!tensor) return;
  std::string text;
  append_tensor(*tensor, null_hides, text);
  add(key, text);
}

}  // namespace attnscope
