// tests/fuzz: config.json of a model.
#include "core/models/config/config.hpp"

#include "fuzz/harness.hpp"

using namespace attnscope;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::expect_result_or_sentence([&] {
    const ModelConfig config = read_config(text, "config.json");
    if (config.family == nullptr) fuzz::finding("a config", "without a family");
    if (!config.spec.encoder && !config.spec.decoder) fuzz::finding("a config", "without blocks");
    for (const auto& stack : {config.spec.encoder, config.spec.decoder})
      for (const LayerSpec& block : stack ? stack->blocks : std::vector<LayerSpec>())
        if (is_rotary(block.positions))
          fuzz::expect_result_or_sentence([&] { rope_frequencies(rope_of(block), 7); });
  });
  return 0;
}
