// core/models/opened: the shapes of a model's attention from its files, without its weights.
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
  std::vector<HeadShape> blocks;  // of its only stack
  std::int64_t vocabulary = 0;
};
/// Reads a folder's config.json or the metadata of a GGUF file; no tensor. Nothing if the files cannot be
/// read or would be refused on opening, and for models of pictures or with two stacks. Throws only
/// std::bad_alloc.
std::optional<ModelShapes> read_model_shapes(const std::filesystem::path&);

}  // namespace attnscope
