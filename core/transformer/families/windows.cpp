#include "core/transformer/families/windows.hpp"

#include <string_view>

#include <fmt/format.h>

namespace attnscope {

std::int64_t window_width(const ConfigObject& config) {
  constexpr std::string_view name = "sliding_window";
  return config.has(name) && config.find(name) == nullptr ? 0 : config.whole(name, 4096, 1, most_positions);
}

std::vector<std::int64_t> windows_by_type(const ConfigObject& config, std::int64_t width,
                                          std::size_t blocks) {
  const nlohmann::json& types = *config.find("layer_types");
  if (!types.is_array() || types.size() != blocks)
    config.fail("layer_types", fmt::format("a list of {} names", blocks), types);
  std::vector<std::int64_t> windows(blocks, 0);
  for (std::size_t i = 0; i < blocks; ++i) {
    const nlohmann::json& type = types[i];
    if (type == "sliding_attention" && width > 0)
      windows[i] = width;
    else if (type == "sliding_attention")
      config.refuse("layer_types",
                    "it asks for windows, and sliding_window or use_sliding_window turns them off.");
    else if (type != "full_attention")
      config.fail("layer_types", "\"full_attention\" or \"sliding_attention\"", type);
  }
  return windows;
}

std::vector<std::int64_t> windows_by_pattern(const ConfigObject& config, std::int64_t width, int pattern,
                                             std::size_t blocks) {
  if (config.find("layer_types") != nullptr) return windows_by_type(config, width, blocks);
  std::vector<std::int64_t> windows(blocks, 0);
  for (std::size_t i = 0; i < blocks; ++i)
    if (!is_full(i, pattern)) windows[i] = width;
  return windows;
}

}  // namespace attnscope
