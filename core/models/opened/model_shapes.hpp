// core/models: what the files of a model say of the shapes of its attention, without its weights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace attnscope {

/// Of one block.
struct HeadShape {
  std::int64_t heads = 0, kv_heads = 0, d_k = 0;
  bool operator==(const HeadShape&) const = default;
};

struct ModelShapes {
  std::vector<HeadShape> blocks;  // of its one stack
  std::int64_t vocabulary = 0;
};
/// Of a folder's config.json or the metadata of a GGUF file; no tensor is read. Nothing where the files
/// cannot be read, are refused when they are opened, or are of a model of pictures or of two stacks. Throws
/// nothing but std::bad_alloc.
std::optional<ModelShapes> read_model_shapes(const std::filesystem::path&);

}  // namespace attnscope
