#include "core/family_blocks.hpp"

#include "core/samples.hpp"

namespace attnscope::samples {
namespace {

struct FamilyShape {
  std::string_view family;
  Arrangement kind;
  NormKind norm;
  float epsilon;
  bool gated;
  Activation activation;
  int d_inner;
  Positions positions;
  bool causal, biases;
  int kv_heads = 0;
  float soft_cap = 0;
  QkNorm::Kind qk_norm = QkNorm::Kind::None;
  bool scaled = true;
};

constexpr FamilyShape shapes[]{
    {"GPT-2", Arrangement::PreNorm, NormKind::LayerNorm, 1e-5f, false, Activation::GeluTanh, 0,
     Positions::Learned, true, true},
    {"BERT", Arrangement::PostNorm, NormKind::LayerNorm, 1e-12f, false, Activation::Gelu, 0,
     Positions::Learned, false, true},
    {"ViT", Arrangement::PreNorm, NormKind::LayerNorm, 1e-12f, false, Activation::Gelu, 0, Positions::Learned,
     false, true},
    {"BLOOM", Arrangement::PreNorm, NormKind::LayerNorm, 1e-5f, false, Activation::GeluTanh, 0,
     Positions::Alibi, true, true},
    {"GPT-NeoX", Arrangement::Parallel, NormKind::LayerNorm, 1e-5f, false, Activation::Gelu, 0,
     Positions::RopeHalf, true, true},
    {"Llama", Arrangement::PreNorm, NormKind::RmsNorm, 1e-6f, true, Activation::Silu, 20, Positions::RopeHalf,
     true, false, 1},
    {"Qwen3", Arrangement::PreNorm, NormKind::RmsNorm, 1e-6f, true, Activation::Silu, 18, Positions::RopeHalf,
     true, false, 1, 0, QkNorm::Kind::RootMeanSquare},
    {"Gemma 2", Arrangement::Sandwich, NormKind::RmsNormOnePlus, 1e-6f, true, Activation::GeluTanh, 16,
     Positions::RopeHalf, true, false, 1, 50},
    {"T5", Arrangement::PreNorm, NormKind::RmsNorm, 1e-6f, false, Activation::Relu, 16,
     Positions::RelativeBuckets, false, false, 0, 0, QkNorm::Kind::None, false},
    {"T5 1.1", Arrangement::PreNorm, NormKind::RmsNorm, 1e-6f, true, Activation::GeluTanh, 16,
     Positions::RelativeBuckets, false, false, 0, 0, QkNorm::Kind::None, false},
    {"OLMo 2", Arrangement::After, NormKind::RmsNorm, 1e-5f, true, Activation::Silu, 18, Positions::RopeHalf,
     true, false, 1, 0, QkNorm::Kind::AllHeads},
};

Document document_of(const FamilyShape& shape, Random& random) {
  constexpr int d_model = 12, heads = 2;
  Document document = text_document(random, {4, 3}, heads, d_model, shape.biases);
  LayerSpec& layer = document.layer();
  layer.kv_heads = shape.kv_heads;
  layer.block = {.kind = shape.kind,
                 .norm = shape.norm,
                 .epsilon = shape.epsilon,
                 .gated = shape.gated,
                 .activation = shape.activation,
                 .d_inner = shape.d_inner};
  layer.positions = shape.positions;
  layer.masking.causal = shape.causal;
  layer.masking.padding = true;
  layer.soft_cap = shape.soft_cap;
  if (!shape.scaled) layer.scaling.kind = Scaling::Kind::Off;
  layer.qk_norm.kind = shape.qk_norm;
  ParameterSizes sizes = parameter_sizes(document);
  sizes.positions = 4;
  for (const ParameterInfo& row : parameter_table) {
    const bool norm = row.kind == ParameterKind::Norm && shape.qk_norm != QkNorm::Kind::None;
    const bool position =
        (row.parameter == Parameter::PositionTable && shape.positions == Positions::Learned) ||
        (row.parameter == Parameter::RelativeBias && shape.positions == Positions::RelativeBuckets);
    const bool projected =
        row.kind == ParameterKind::Matrix || (row.kind == ParameterKind::Bias && shape.biases);
    const bool bias = row.kind == ParameterKind::BlockBias;
    if (!norm && !position && !projected && (!reads(layer.block, row.parameter) || (bias && !shape.biases)))
      continue;
    const Shape wanted = shape_of(row, sizes);
    layer.weights[row.parameter] =
        random.tensor(wanted, row.rank() == 2 ? 1 / std::sqrt(static_cast<double>(wanted[0])) : 0.7);
  }
  document.loss.kind = Loss::Kind::Sum;
  document.loss.given = random.tensor({2, 4, d_model});
  return document;
}

}  // namespace

std::vector<FamilyBlock> family_blocks(std::uint64_t seed) {
  std::vector<FamilyBlock> all;
  for (const FamilyShape& shape : shapes) {
    Random random(seed++);
    all.push_back({shape.family, document_of(shape, random)});
  }
  return all;
}

}  // namespace attnscope::samples
