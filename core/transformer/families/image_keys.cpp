#include "core/transformer/families/image_keys.hpp"

#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace attnscope {
namespace {

/// One number for both, or height and width.
std::pair<int, int> size_of(const ConfigObject& config, std::string_view name, int fallback, int least,
                            int most) {
  const nlohmann::json* found = config.find(name);
  if (found == nullptr || !found->is_array()) {
    const int size = config.whole(name, fallback, least, most);
    return {size, size};
  }
  const auto side = [&](std::size_t i) {
    const bool fits =
        found->size() == 2 && (*found)[i].is_number_integer() && (*found)[i] >= least && (*found)[i] <= most;
    if (!fits) config.fail(name, fmt::format("one or two whole numbers from {} to {}", least, most), *found);
    return (*found)[i].get<int>();
  };
  return {side(0), side(1)};
}

}  // namespace

ImageSpec image_of(const ConfigObject& config, int patch_side) {
  ImageSpec image;
  image.channels = config.whole("num_channels", 3, 1, 1024);
  const auto [height, width] = size_of(config, "patch_size", patch_side, 1, 4096);
  if (height != width)
    config.refuse("patch_size", "its height and width differ; square patches were expected.");
  image.patch = height;
  std::tie(image.height, image.width) = size_of(config, "image_size", 224, image.patch, 65'536);
  return image;
}

}  // namespace attnscope
