// tests/core: GGUF files written byte by byte, valid or faulty as a test needs them.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::gguf_samples {

/// A number as the file has it.
std::string le(auto value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
inline std::string u32(std::uint32_t value) { return le(value); }
inline std::string u64(std::uint64_t value) { return le(value); }
inline std::string text(std::string_view value) { return u64(value.size()) + std::string(value); }

/// Numbers of value types and of ggml types.
enum : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 };
enum : std::uint32_t {
  ggml_f32 = 0,
  ggml_f16 = 1,
  ggml_q4_0 = 2,
  ggml_q8_0 = 8,
  ggml_q4_k = 12,
  ggml_i32 = 26
};

/// The bytes of an array's value.
inline std::string array(std::uint32_t type, std::initializer_list<std::string> elements) {
  std::string bytes = u32(type) + u64(elements.size());
  for (const std::string& element : elements) bytes += element;
  return bytes;
}

/// Entries and tensors that are added are written; a field that is set replaces the right value.
struct GgufSample {
  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  std::uint64_t entries = 0, tensors = 0;  // as the header says
  std::string metadata, infos, data;

  GgufSample& value(std::string_view key, std::uint32_t type, std::string_view bytes) {
    ++entries;
    metadata += text(key) + u32(type) + std::string(bytes);
    return *this;
  }
  /// `sizes` as the file has them: innermost first.
  GgufSample& info(std::string_view name, std::initializer_list<std::uint64_t> sizes, std::uint32_t type,
                   std::uint64_t offset) {
    ++tensors;
    infos += text(name) + u32(static_cast<std::uint32_t>(sizes.size()));
    for (const std::uint64_t size : sizes) infos += u64(size);
    infos += u32(type) + u64(offset);
    return *this;
  }
  /// At the next place in the data.
  GgufSample& tensor(std::string_view name, std::initializer_list<std::uint64_t> sizes, std::uint32_t type,
                     std::string_view bytes) {
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    info(name, sizes, type, data.size());
    data += bytes;
    return *this;
  }
  std::string head() const { return magic + u32(version) + u64(tensors) + u64(entries) + metadata + infos; }
  std::string bytes() const {
    std::string all = head();
    all.resize((all.size() + alignment - 1) / alignment * alignment);
    return all + data;
  }
};

/// One value of every type and one tensor of every type that is read.
GgufSample rich_sample();

}  // namespace attnscope::gguf_samples
