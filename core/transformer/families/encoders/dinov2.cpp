// DINOv2 (Oquab et al. 2023): ViT whose blocks multiply what they add by learned numbers.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/image_keys.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace dinov2_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"dinov2"});
constexpr auto prefixes = std::to_array<std::string_view>({"dinov2."});
constexpr auto model = std::to_array<PartName>({
    {ClassToken, "embeddings.cls_token"},
    {PositionTable, "embeddings.position_embeddings"},
    {Patches, "embeddings.patch_embeddings.projection", Always},
});
constexpr auto blocks = std::to_array<PartName>({
    {AttentionNorm, "encoder.layer.{}.norm1"},
    {Query, "encoder.layer.{}.attention.attention.query", Attention},
    {Key, "encoder.layer.{}.attention.attention.key", Attention},
    {Value, "encoder.layer.{}.attention.attention.value", Attention},
    {Output, "encoder.layer.{}.attention.output.dense", Always},
    {AttentionScale, "encoder.layer.{}.layer_scale1.lambda1"},
    {MlpNorm, "encoder.layer.{}.norm2"},
    {Up, "encoder.layer.{}.mlp.fc1", Always},
    {Down, "encoder.layer.{}.mlp.fc2", Always},
    {MlpScale, "encoder.layer.{}.layer_scale2.lambda1"},
    {FinalNorm, "layernorm"},
});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.inner = "";
  made.default_inner = 0;
  made.positions = "";
  made.default_positions = 0;
  made.default_epsilon = 1e-6;
  made.default_vocabulary = ConfigKeys{}.default_vocabulary;
});
constexpr auto own_keys = std::to_array<std::string_view>(
    {"image_size", "patch_size", "num_channels", "qkv_bias", "mlp_ratio", "use_swiglu_ffn"});
// What a backbone hands on, the token for masked images, and a number that the learned ones began with.
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"apply_layernorm", "reshape_hidden_states", "use_mask_token", "layerscale_value", "out_features",
     "out_indices", "stage_names", "drop_path_rate"});

void read_model(const ConfigObject& config, ModelSpec& spec) {
  if (config.boolean("use_swiglu_ffn", false))
    refuse_change(config, dinov2_family, "use_swiglu_ffn", *config.find("use_swiglu_ffn"));
  spec.image = image_of(config, 14);
  spec.final_norm_in_hidden = false;
  spec.pools_first_row = true;
  spec.d_inner = spec.d_model * config.whole("mlp_ratio", 4, 1, 64);
  set_blocks(*spec.encoder, [&](BlockSettings& block) { block.d_inner = spec.d_inner; });
}

}  // namespace
}  // namespace dinov2_rows

constinit const Family dinov2_family{.name = "DINOv2",
                                     .model_types = dinov2_rows::types,
                                     .prefixes = dinov2_rows::prefixes,
                                     .keys = dinov2_rows::keys,
                                     .model = dinov2_rows::model,
                                     .encoder = dinov2_rows::blocks,
                                     .attention_bias = true,
                                     .read_model = dinov2_rows::read_model,
                                     .own_keys = dinov2_rows::own_keys,
                                     .harmless_keys = dinov2_rows::harmless_keys};

}  // namespace attnscope
