// tests: a large safetensors file that costs no disk: attention weights of which few are not 0, in a file
// with holes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace attnscope::test {

/// F32 [heads][n][n] under `name`: every query gives itself 0.75 and the key before it 0.25; query 0
/// itself 1.
inline void write_sparse_weights(const std::filesystem::path& path, const std::string& name,
                                 std::int64_t heads, std::int64_t n) {
  const std::string side = std::to_string(n), bytes = std::to_string(4 * heads * n * n);
  const std::string header = R"({")" + name + R"(":{"dtype":"F32","shape":[)" + std::to_string(heads) + "," +
                             side + "," + side + R"(],"data_offsets":[0,)" + bytes + "]}}";
  std::ofstream out(path, std::ios::binary);
  const std::uint64_t length = header.size();
  out.write(reinterpret_cast<const char*>(&length), 8);
  out << header;
  const float first = 1, pair[] = {0.25f, 0.75f};
  for (std::int64_t row = 0; row < heads * n; ++row) {
    const std::int64_t query = row % n;
    const std::int64_t at = row * n + (query == 0 ? 0 : query - 1);
    out.seekp(static_cast<std::streamoff>(8 + length) + 4 * at);
    out.write(reinterpret_cast<const char*>(query == 0 ? &first : pair), query == 0 ? 4 : 8);
  }
}

}  // namespace attnscope::test
