// ViT (Dosovitskiy et al. 2020).
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/image_keys.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace vit_rows {
namespace {

using enum Part;
using enum BiasRule;

using enum HeadKind;
using enum HeadInput;

constexpr auto vit_types = std::to_array<std::string_view>({"vit"});
constexpr auto vit_prefixes = std::to_array<std::string_view>({"vit."});
constexpr auto vit_model = std::to_array<PartName>({
    {ClassToken, "embeddings.cls_token"},
    {PositionTable, "embeddings.position_embeddings"},
    {Patches, "embeddings.patch_embeddings.projection", Always},
    {Pooler, "pooler.dense", Always},
});
constexpr auto vit_blocks = std::to_array<PartName>({
    {AttentionNorm, "encoder.layer.{}.layernorm_before"},
    {Query, "encoder.layer.{}.attention.attention.query", Attention},
    {Key, "encoder.layer.{}.attention.attention.key", Attention},
    {Value, "encoder.layer.{}.attention.attention.value", Attention},
    {Output, "encoder.layer.{}.attention.output.dense", Always},
    {MlpNorm, "encoder.layer.{}.layernorm_after"},
    {Up, "encoder.layer.{}.intermediate.dense", Always},
    {Down, "encoder.layer.{}.output.dense", Always},
    {FinalNorm, "layernorm"},
});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.positions = "";
  made.default_positions = 0;
  made.default_vocabulary = ConfigKeys{}.default_vocabulary;
});
constexpr auto vit_heads = std::to_array<HeadRow>({
    linear_head("ForImageClassification", SequenceClass, FirstRow, "classifier"),
});
constexpr auto own_keys = std::to_array<std::string_view>(
    {"image_size", "patch_size", "num_channels", "qkv_bias", "pooler_act", "pooler_output_size"});
// Of the decoder for masked images.
constexpr auto harmless_keys = std::to_array<std::string_view>({"encoder_stride"});

void read_model(const ConfigObject& config, ModelSpec& spec) {
  spec.image = image_of(config, 16);
  spec.final_norm_in_hidden = false;
  if (const nlohmann::json* activation = config.find("pooler_act");
      activation != nullptr && *activation != "tanh")
    refuse_change(config, vit_family, "pooler_act", *activation);
  need_implied(config, vit_family, "pooler_output_size", spec.d_model);
}

}  // namespace
}  // namespace vit_rows

constinit const Family vit_family{.name = "ViT",
                                  .model_types = vit_rows::vit_types,
                                  .prefixes = vit_rows::vit_prefixes,
                                  .keys = vit_rows::keys,
                                  .model = vit_rows::vit_model,
                                  .encoder = vit_rows::vit_blocks,
                                  .heads = vit_rows::vit_heads,
                                  .attention_bias = true,
                                  .read_model = vit_rows::read_model,
                                  .own_keys = vit_rows::own_keys,
                                  .harmless_keys = vit_rows::harmless_keys};

}  // namespace attnscope
