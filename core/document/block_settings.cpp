#include "core/document/block_settings.hpp"

#include <array>

namespace attnscope {
namespace {

struct NormPlace {
  Stage stage;
  Parameter weight, bias;
  bool of_mlp;
  std::array<Arrangement, 3> kinds;  // kinds with a norm at the stage; unused entries are None
};

constexpr auto norm_places = std::to_array<NormPlace>({
    {Stage::AttentionNorm,
     Parameter::AttentionNorm,
     Parameter::AttentionNormBias,
     false,
     {Arrangement::PreNorm, Arrangement::Sandwich, Arrangement::Parallel}},
    {Stage::OutputNorm,
     Parameter::OutputNorm,
     Parameter::OutputNormBias,
     false,
     {Arrangement::Sandwich, Arrangement::After, Arrangement::None}},
    {Stage::StreamNorm,
     Parameter::OutputNorm,
     Parameter::OutputNormBias,
     false,
     {Arrangement::PostNorm, Arrangement::None, Arrangement::None}},
    {Stage::MlpNorm,
     Parameter::MlpNorm,
     Parameter::MlpNormBias,
     true,
     {Arrangement::PreNorm, Arrangement::Sandwich, Arrangement::Parallel}},
    {Stage::MlpOutputNorm,
     Parameter::MlpOutputNorm,
     Parameter::MlpOutputNormBias,
     true,
     {Arrangement::Sandwich, Arrangement::After, Arrangement::None}},
    {Stage::BlockOutput,
     Parameter::MlpOutputNorm,
     Parameter::MlpOutputNormBias,
     true,
     {Arrangement::PostNorm, Arrangement::None, Arrangement::None}},
});

bool is_there(const NormPlace& place, const BlockSettings& block) {
  if (!has_block(block) || block.norm == NormKind::None || (place.of_mlp && !block.mlp)) return false;
  for (const Arrangement kind : place.kinds)
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
    return StageNorm{norm_settings(block), place.weight, place.bias, block.norm == NormKind::LayerNorm};
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
