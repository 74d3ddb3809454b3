#include "core/models/opened/gguf_head.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/error.hpp"
#include "core/files/formats/gguf_values.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_head = 64 << 10;

/// The values of general.file_type, llama.cpp's enum llama_ftype; empty for retired numbers.
constexpr std::array<std::string_view, 41> file_types{
    "F32",   "F16",     "Q4_0",   "Q4_1",   "",       "",        "",       "Q8_0",   "Q5_0",
    "Q5_1",  "Q2_K",    "Q3_K_S", "Q3_K_M", "Q3_K_L", "Q4_K_S",  "Q4_K_M", "Q5_K_S", "Q5_K_M",
    "Q6_K",  "IQ2_XXS", "IQ2_XS", "Q2_K_S", "IQ3_XS", "IQ3_XXS", "IQ1_S",  "IQ4_NL", "IQ3_S",
    "IQ3_M", "IQ2_S",   "IQ2_M",  "IQ4_XS", "IQ1_M",  "BF16",    "",       "",       "",
    "TQ1_0", "TQ2_0",   "MXFP4",  "NVFP4",  "Q1_0"};

/// Reads little-endian numbers and strings; returns nothing once the bytes have ended.
class HeadBytes {
 public:
  explicit HeadBytes(std::string_view bytes) : left_(bytes) {}
  std::optional<std::string_view> take(std::uint64_t count) {
    if (count > left_.size()) {
      left_ = {};
      return std::nullopt;
    }
    const std::string_view taken = left_.substr(0, static_cast<std::size_t>(count));
    left_.remove_prefix(taken.size());
    return taken;
  }
  std::optional<std::uint64_t> number(std::uint64_t size) {
    const auto bytes = take(size);
    if (!bytes) return std::nullopt;
    std::uint64_t value = 0;
    for (auto at = bytes->rbegin(); at != bytes->rend(); ++at)
      value = value << 8 | static_cast<unsigned char>(*at);
    return value;
  }
  std::optional<std::string_view> string() {
    const auto size = number(8);
    return size ? take(*size) : std::nullopt;
  }
  /// Skips a value; false if its end cannot be determined.
  bool skip(std::uint64_t type) {
    if (type >= gguf_type_count) return false;
    if (static_cast<GgufType>(type) == GgufType::String) return string().has_value();
    if (static_cast<GgufType>(type) != GgufType::Array)
      return take(gguf_size_of(static_cast<GgufType>(type))).has_value();
    const auto element = number(4), count = number(8);
    if (!element || !count || *element >= gguf_type_count) return false;
    const auto kind = static_cast<GgufType>(*element);
    if (kind == GgufType::Array) return false;
    if (kind != GgufType::String) {
      const std::uint64_t size = gguf_size_of(kind);
      return *count <= left_.size() / size && take(*count * size).has_value();
    }
    for (std::uint64_t i = 0; i < *count; ++i)
      if (!string()) return false;
    return true;
  }

 private:
  std::string_view left_;
};

}  // namespace

std::optional<GgufHead> read_gguf_head(const std::filesystem::path& path) {
  std::string bytes;
  try {
    const Descriptor file = open_regular(path);
    bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size_of(file, path), most_head)));
    read_exactly(file, path, 0, bytes.data(), bytes.size());
  } catch (const Error&) {
    return std::nullopt;
  }
  HeadBytes rest(bytes);
  if (rest.take(4) != "GGUF") return std::nullopt;
  const auto version = rest.number(4), tensors = rest.number(8), values = rest.number(8);
  if (!version || *version < 2 || *version > 3 || !tensors || !values) return std::nullopt;
  GgufHead head;
  for (std::uint64_t i = 0; i < *values; ++i) {
    const auto key = rest.string();
    const auto type = rest.number(4);
    if (!key || !type) break;
    if (*key == "general.architecture" && static_cast<GgufType>(*type) == GgufType::String) {
      const auto value = rest.string();
      if (!value) break;
      head.architecture = *value;
    } else if (*key == "general.file_type" && static_cast<GgufType>(*type) == GgufType::UInt32) {
      const auto value = rest.number(4);
      if (!value) break;
      if (*value < file_types.size()) head.precision = file_types[static_cast<std::size_t>(*value)];
    } else if (!rest.skip(*type)) {
      break;
    }
  }
  if (head.architecture.empty()) return std::nullopt;
  return head;
}

}  // namespace attnscope
