#include "core/base/element_type.hpp"

#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include <Eigen/Core>

#include "core/base/quantised.hpp"

namespace attnscope {
namespace {

static_assert(std::endian::native == std::endian::little);

struct ElementInfo {
  std::string_view name;
  BlockSize block;
};

constexpr std::array<ElementInfo, 27> elements{
    {{"F32", {1, 4}},       {"BF16", {1, 2}},       {"F16", {1, 2}},        {"Q8_0", {32, 34}},
     {"Q4_0", {32, 18}},    {"Q4_1", {32, 20}},     {"Q5_0", {32, 22}},     {"Q5_1", {32, 24}},
     {"Q4_K", {256, 144}},  {"Q5_K", {256, 176}},   {"Q6_K", {256, 210}},   {"Q2_K", {256, 84}},
     {"Q3_K", {256, 110}},  {"IQ1_S", {256, 50}},   {"IQ1_M", {256, 56}},   {"IQ2_XXS", {256, 66}},
     {"IQ2_XS", {256, 74}}, {"IQ2_S", {256, 82}},   {"IQ3_XXS", {256, 98}}, {"IQ3_S", {256, 110}},
     {"IQ4_NL", {32, 18}},  {"IQ4_XS", {256, 136}}, {"TQ1_0", {256, 54}},   {"TQ2_0", {256, 66}},
     {"MXFP4", {32, 17}},   {"NVFP4", {64, 36}},    {"coded", {1, 1}}}};

template <class Stored>
void widen_all(std::span<const std::byte> bytes, std::span<float> to) {
  const std::byte* from = bytes.data();
  for (std::size_t i = 0; i < to.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, from + i * sizeof(Stored), sizeof(Stored));
    to[i] = static_cast<float>(stored);
  }
}

}  // namespace

std::string_view to_string(ElementType type) { return elements[static_cast<std::size_t>(type)].name; }

BlockSize block_of(ElementType type) { return elements[static_cast<std::size_t>(type)].block; }

void widen(ElementType type, std::span<const std::byte> bytes, std::span<float> to) {
  assert(to.size() % static_cast<std::size_t>(block_of(type).elements) == 0);
  switch (type) {
    case ElementType::Float32:
      if (!to.empty()) std::memcpy(to.data(), bytes.data(), to.size_bytes());
      return;
    case ElementType::BFloat16: return widen_all<Eigen::bfloat16>(bytes, to);
    case ElementType::Float16: return widen_all<Eigen::half>(bytes, to);
    default: return dequantise(type, bytes, to);
  }
}

}  // namespace attnscope
