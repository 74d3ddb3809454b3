#include "core/document/block_settings.hpp"

#include <array>

namespace attnscope {
namespace {

struct NormPlace {
  Stage stage;
  Parameter weight, bias;
  bool of_mlp;
  std::array<BlockKind, 3> kinds;  // kinds with a norm at the stage; unused entries are None
};

constexpr auto norm_places = std::to_array<NormPlace>({
    {Stage::AttentionNorm,
     Parameter::AttentionNorm,
     Parameter::AttentionNormBias,
     false,
     {BlockKind::PreNorm, BlockKind::Sandwich, BlockKind::Parallel}},
    {Stage::OutputNorm,
     Parameter::OutputNorm,
     Parameter::OutputNormBias,
     false,
     {BlockKind::Sandwich, BlockKind::None, BlockKind::None}},
    {Stage::StreamNorm,
     Parameter::OutputNorm,
     Parameter::OutputNormBias,
     false,
     {BlockKind::PostNorm, BlockKind::None, BlockKind::None}},
    {Stage::MlpNorm,
     Parameter::MlpNorm,
     Parameter::MlpNormBias,
     true,
     {BlockKind::PreNorm, BlockKind::Sandwich, BlockKind::Parallel}},
    {Stage::MlpOutputNorm,
     Parameter::MlpOutputNorm,
     Parameter::MlpOutputNormBias,
     true,
     {BlockKind::Sandwich, BlockKind::None, BlockKind::None}},
    {Stage::BlockOutput,
     Parameter::MlpOutputNorm,
     Parameter::MlpOutputNormBias,
     true,
     {BlockKind::PostNorm, BlockKind::None, BlockKind::None}},
});

bool is_there(const NormPlace& place, const BlockSettings& block) {
  if (!has_block(block) || block.norm == NormKind::None || (place.of_mlp && !block.mlp)) return false;
  for (const BlockKind kind : place.kinds)
    if (kind == block.kind) return true;
  return false;
}

}  // namespace

std::int64_t inner_width(const BlockSettings& block, std::int64_t d_model) {
  if (!has_mlp(block)) return 0;
  return block.d_inner == 0 ? 4 * d_model : block.d_inner;
}

std::optional<StageNorm> norm_at(const BlockSettings& block, Stage stage) {
  for (const NormPlace& place : norm_places) {
    if (place.stage != stage || !is_there(place, block)) continue;
    NormSettings settings;
    settings.kind = block.norm;
    settings.epsilon = static_cast<double>(block.epsilon);
    return StageNorm{settings, place.weight, place.bias, block.norm == NormKind::LayerNorm};
  }
  return std::nullopt;
}

bool reads(const BlockSettings& block, Parameter which) {
  switch (info(which).kind) {
    case ParameterKind::BlockMatrix:
    case ParameterKind::BlockBias:
      return has_mlp(block) && (block.gated || (which != Parameter::WGate && which != Parameter::BGate));
    case ParameterKind::BlockNorm:
      for (const NormPlace& place : norm_places) {
        if (!is_there(place, block)) continue;
        if (which == place.weight || (which == place.bias && block.norm == NormKind::LayerNorm)) return true;
      }
      return false;
    default: return false;
  }
}

}  // namespace attnscope
