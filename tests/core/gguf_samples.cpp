#include "core/gguf_samples.hpp"

#include <array>
#include <utility>

namespace attnscope::gguf_samples {

GgufSample rich_sample() {
  GgufSample sample;
  sample.value("general.architecture", STRING, text("llama"))
      .value("a.u8", U8, "\xfe")
      .value("a.i8", I8, "\xfe")
      .value("a.u16", U16, le(std::uint16_t{65000}))
      .value("a.i16", I16, le(std::int16_t{-300}))
      .value("a.u32", U32, u32(4'000'000'000))
      .value("a.i32", I32, le(std::int32_t{-70000}))
      .value("a.f32", F32, le(1e-5f))
      .value("a.yes", BOOL, "\1")
      .value("a.no", BOOL, std::string(1, '\0'))
      .value("a.u64", U64, u64(1ull << 62))
      .value("a.large", U64, u64(~0ull))
      .value("a.i64", I64, le(std::int64_t{-5}))
      .value("a.f64", F64, le(0.1))
      .value("list.strings", ARRAY, array(STRING, {text("a"), text(""), text("\xc3")}))
      .value("list.i32", ARRAY, array(I32, {le(std::int32_t{-1}), le(std::int32_t{7})}))
      .value("list.f32", ARRAY, array(F32, {le(0.5f), le(-2.0f)}))
      .value("list.bools", ARRAY, array(BOOL, {"\1", std::string(1, '\0')}))
      .value("list.none", ARRAY, array(U8, {}))
      .value("list.nested", ARRAY, array(ARRAY, {array(U8, {"\1", "\2"}), array(STRING, {text("x")})}));
  const auto bytes = [](std::size_t size) {
    std::string filled(size, '\0');
    for (std::size_t i = 0; i < size; ++i) filled[i] = static_cast<char>(i * 37 % 61);
    return filled;
  };
  sample.tensor("f32", {3, 2}, ggml_f32, le(1.5f) + le(-2.0f) + le(0.25f) + le(4.0f) + le(5.0f) + le(6.0f));
  // Numbers of ggml types with the elements and bytes of their blocks: two rows of one block each.
  constexpr std::array<std::array<std::uint32_t, 3>, 10> types{{{1, 1, 2},
                                                                {2, 32, 18},
                                                                {3, 32, 20},
                                                                {6, 32, 22},
                                                                {7, 32, 24},
                                                                {8, 32, 34},
                                                                {12, 256, 144},
                                                                {13, 256, 176},
                                                                {14, 256, 210},
                                                                {30, 1, 2}}};
  for (const auto& [type, elements, size] : types)
    sample.tensor("type " + std::to_string(type), {elements, 2}, type, bytes(2 * size));
  sample.tensor("four", {2, 1, 3, 1}, ggml_f32, bytes(24)).tensor("empty", {0, 5}, ggml_f32, "");
  return sample;
}

}  // namespace attnscope::gguf_samples
