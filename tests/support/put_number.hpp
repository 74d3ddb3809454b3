// tests/support: replaces one number of a stored model in its file.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "core/files/formats/safetensors.hpp"

namespace attnscope::test {

/// Element `at` of a tensor of type F32 or BF16, which has the upper half of the number, in a safetensors
/// file.
inline void put_number(const std::filesystem::path& path, std::string_view tensor, std::int64_t at,
                       float number) {
  std::uint64_t begin = 0, size = 0;
  {
    const SafetensorsFile file(path);
    const TensorEntry* const entry = file.find(tensor);
    REQUIRE(entry != nullptr);
    REQUIRE((entry->dtype == DType::F32 || entry->dtype == DType::BF16));
    REQUIRE(static_cast<std::uint64_t>(at) < entry->count());
    size = entry->dtype == DType::F32 ? 4 : 2;
    begin = entry->begin + static_cast<std::uint64_t>(at) * size;
  }
  std::fstream stream(path, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekp(static_cast<std::streamoff>(begin));
  const auto bits = std::bit_cast<std::uint32_t>(number);
  for (std::uint64_t byte = 4 - size; byte < 4; ++byte)
    stream.put(static_cast<char>(bits >> (8 * byte) & 0xFF));
  stream.flush();
  REQUIRE(stream.good());
}

}  // namespace attnscope::test
