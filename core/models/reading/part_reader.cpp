#include "core/models/reading/part_reader.hpp"

namespace attnscope {

NormWeights PartReader::norm(const PartName& name, std::size_t block, NormKind kind, std::int64_t d,
                             NormForm form) const {
  const std::string at = path(name, block);
  NormWeights norm;
  if (form == NormForm::Nothing) {
    norm.weight.assign(static_cast<std::size_t>(d), 1);
    return norm;
  }
  norm.weight = files_.take_floats(at + ".weight", Shape{d});
  // A GGUF file holds 1 + w where the config's family stores w.
  if (form == NormForm::LessOne && !config_.gguf)
    for (float& weight : norm.weight) weight += 1;
  if (kind == NormKind::LayerNorm && form != NormForm::WeightOnly)
    norm.bias = files_.take_floats(at + ".bias", Shape{d});
  return norm;
}

NormWeights PartReader::head_norm(const PartName& name, std::size_t block, std::int64_t width) const {
  // A GGUF file holds 1 + w where the config's family stores w.
  NormWeights made = norm(name, block, NormKind::RmsNorm, width);
  if (adds_one(family_.norm) && !config_.gguf)
    for (float& weight : made.weight) weight += 1;
  return made;
}

bool PartReader::has_bias(BiasRule rule) const {
  switch (rule) {
    case BiasRule::Never: return false;
    case BiasRule::Always: return true;
    case BiasRule::Attention: return config_.attention_bias;
    case BiasRule::Mlp: return config_.mlp_bias;
  }
  return false;
}

LinearMap PartReader::map_at(const std::string& at, BiasRule bias, std::int64_t d_in,
                             std::int64_t d_out) const {
  LinearMap map;
  map.layout = config_.input_output ? WeightLayout::InOut : WeightLayout::OutIn;
  map.weight = files_.take(at + ".weight", config_.input_output ? Shape{d_in, d_out} : Shape{d_out, d_in});
  if (has_bias(bias)) map.bias = files_.take_floats(at + ".bias", Shape{d_out});
  return map;
}

LinearMap rows_of(const LinearMap& map, std::int64_t first, std::int64_t count) {
  LinearMap part{map.weight.rows(first, count), map.layout, {}};
  if (!map.bias.empty()) part.bias.assign(map.bias.begin() + first, map.bias.begin() + first + count);
  return part;
}

}  // namespace attnscope
