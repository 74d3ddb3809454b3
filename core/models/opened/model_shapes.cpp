#include "core/models/opened/model_shapes.hpp"

#include "core/base/error.hpp"
#include "core/files/formats/gguf.hpp"
#include "core/files/formats/posix.hpp"
#include "core/files/model/model_path.hpp"
#include "core/models/config/config.hpp"
#include "core/models/reading/gguf_model.hpp"

namespace attnscope {
namespace {

constexpr std::uint64_t most_config = 1 << 20;

ModelSpec spec_at(const std::filesystem::path& path) {
  if (is_gguf(path)) {
    GgufTensors files(path);
    return read_gguf_config(files).spec;
  }
  const std::filesystem::path config = path / "config.json";
  return read_config(read_whole(config, most_config), config.native()).spec;
}

}  // namespace

std::optional<ModelShapes> read_model_shapes(const std::filesystem::path& given) {
  try {
    const ModelSpec spec = spec_at(model_path(given));
    if (spec.image || spec.reads_two_texts() || (!spec.encoder && !spec.decoder)) return std::nullopt;
    ModelShapes shapes{.blocks = {}, .vocabulary = spec.vocabulary};
    for (const LayerSpec& block : spec.output_stack().blocks)
      shapes.blocks.push_back({block.heads, block.kv_heads, block.d_k});
    return shapes;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace attnscope
