// Packed bytes are the same again when the PNG decoder unpacks them, whatever they are, and take close to
// their entropy.
#include "app/kit/draw/deflate.hpp"

#include <cmath>
#include <span>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/base/random.hpp"
#include "core/files/packed/unpack.hpp"

namespace attnscope::deflate_test {
namespace {

std::string unpacked(const std::string& packed, std::size_t size) {
  REQUIRE(packed.size() >= 6);
  CHECK((static_cast<unsigned char>(packed[0]) * 256 + static_cast<unsigned char>(packed[1])) % 31 == 0);
  std::string out(size, '\0');
  CHECK(inflate(std::as_bytes(std::span(packed.data() + 2, packed.size() - 6)),
                std::as_writable_bytes(std::span(out))));
  return out;
}

/// Random bytes from 0 up to `kinds`, exclusive; the larger `slope`, the more frequent are small ones.
std::string drawn_bytes(std::size_t count, double kinds, double slope = 1, std::uint64_t seed = 1) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(random_bits(seed, 0, i) >> 11) * 0x1p-53;
    bytes += static_cast<char>(static_cast<unsigned char>(std::pow(share, slope) * kinds));
  }
  return bytes;
}

std::size_t size_of_packed(const std::string& bytes) {
  const std::string packed = deflated(bytes);
  CHECK(unpacked(packed, bytes.size()) == bytes);
  return packed.size();
}

}  // namespace

TEST_CASE("packed bytes are unpacked as they were", "[html][deflate]") {
  for (const std::size_t count :
       {0u, 1u, 2u, 3u, 4u, 257u, 258u, 259u, 5'000u, 65'534u, 65'535u, 65'536u, 131'070u, 150'001u}) {
    INFO(count);
    std::string cycle;
    for (std::size_t i = 0; i < count; ++i) cycle += static_cast<char>(i % 251);
    size_of_packed(std::string(count, 'a'));
    size_of_packed(cycle);
    size_of_packed(drawn_bytes(count, 256));
    size_of_packed(drawn_bytes(count, 3));
    size_of_packed(drawn_bytes(count, 200, 6));
  }
  for (std::uint64_t seed = 0; seed < 40; ++seed) {  // repeated parts, at all distances
    const std::string part = drawn_bytes(1 + 997 * seed, 40, 2, seed);
    size_of_packed(part + part.substr(part.size() / 3) + drawn_bytes(17 * seed, 256, 1, seed) + part);
  }
}

TEST_CASE("packed bytes take as little room as there is in them", "[html][deflate]") {
  CHECK(size_of_packed(std::string(1'000'000, 'x')) < 2'000);
  CHECK(size_of_packed(drawn_bytes(600'000, 256)) <= 600'000 + 5 * 40 + 6);  // noise cannot be packed
  CHECK(size_of_packed(drawn_bytes(600'000, 64)) < 460'000);                 // six bits a byte
}

}  // namespace attnscope::deflate_test
