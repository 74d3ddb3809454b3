// T5 (Raffel et al. 2019), mT5 (Xue et al. 2020), and UMT5 (Chung et al. 2023), in which each block has a
// table of relative positions.
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace t5_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto t5_types = std::to_array<std::string_view>({"t5"});
constexpr auto mt5_types = std::to_array<std::string_view>({"mt5"});
constexpr auto umt5_types = std::to_array<std::string_view>({"umt5"});
constexpr auto t5_aliases = std::to_array<KeyAlias>({{"hidden_size", "d_model"},
                                                     {"num_hidden_layers", "num_layers"},
                                                     {"num_attention_heads", "num_heads"},
                                                     {"head_dim", "d_kv"}});
constexpr auto t5_model = std::to_array<PartName>({
    {TokenTable, "shared"},
    {Logits, "lm_head"},
});
constexpr auto t5_encoder = std::to_array<PartName>({
    {AttentionNorm, "encoder.block.{}.layer.0.layer_norm"},
    {Query, "encoder.block.{}.layer.0.SelfAttention.q"},
    {Key, "encoder.block.{}.layer.0.SelfAttention.k"},
    {Value, "encoder.block.{}.layer.0.SelfAttention.v"},
    {Output, "encoder.block.{}.layer.0.SelfAttention.o"},
    {RelativeBias, "encoder.block.0.layer.0.SelfAttention.relative_attention_bias"},
    {MlpNorm, "encoder.block.{}.layer.1.layer_norm"},
    {Gate, "encoder.block.{}.layer.1.DenseReluDense.wi_0"},
    {Up, "encoder.block.{}.layer.1.DenseReluDense.wi"},
    {Down, "encoder.block.{}.layer.1.DenseReluDense.wo"},
    {FinalNorm, "encoder.final_layer_norm"},
});
constexpr auto t5_decoder = std::to_array<PartName>({
    {AttentionNorm, "decoder.block.{}.layer.0.layer_norm"},
    {Query, "decoder.block.{}.layer.0.SelfAttention.q"},
    {Key, "decoder.block.{}.layer.0.SelfAttention.k"},
    {Value, "decoder.block.{}.layer.0.SelfAttention.v"},
    {Output, "decoder.block.{}.layer.0.SelfAttention.o"},
    {RelativeBias, "decoder.block.0.layer.0.SelfAttention.relative_attention_bias"},
    {CrossNorm, "decoder.block.{}.layer.1.layer_norm"},
    {CrossQuery, "decoder.block.{}.layer.1.EncDecAttention.q"},
    {CrossKey, "decoder.block.{}.layer.1.EncDecAttention.k"},
    {CrossValue, "decoder.block.{}.layer.1.EncDecAttention.v"},
    {CrossOutput, "decoder.block.{}.layer.1.EncDecAttention.o"},
    {MlpNorm, "decoder.block.{}.layer.2.layer_norm"},
    {Gate, "decoder.block.{}.layer.2.DenseReluDense.wi_0"},
    {Up, "decoder.block.{}.layer.2.DenseReluDense.wi"},
    {Down, "decoder.block.{}.layer.2.DenseReluDense.wo"},
    {FinalNorm, "decoder.final_layer_norm"},
});
constexpr auto umt5_encoder = names_like(
    t5_encoder, {{RelativeBias, "encoder.block.{}.layer.0.SelfAttention.relative_attention_bias"}});
constexpr auto umt5_decoder = names_like(
    t5_decoder, {{RelativeBias, "decoder.block.{}.layer.0.SelfAttention.relative_attention_bias"}});
constexpr ConfigKeys keys{.width = "d_model",
                          .layers = "num_layers",
                          .heads = "num_heads",
                          .kv_heads = "",
                          .inner = "d_ff",
                          .positions = "",
                          .epsilon = "layer_norm_epsilon",
                          .activation = "",
                          .default_width = 512,
                          .default_layers = 6,
                          .default_heads = 8,
                          .default_inner = 2048,
                          .default_positions = 0,
                          .default_epsilon = 1e-6,
                          .default_activation = "relu",
                          .default_vocabulary = 32'128,
                          .head_width = "d_kv",
                          .default_head_width = 64};
constexpr auto own_keys = std::to_array<std::string_view>(
    {"feed_forward_proj", "is_gated_act", "dense_act_fn", "relative_attention_num_buckets",
     "relative_attention_max_distance", "num_decoder_layers", "scale_decoder_outputs",
     "decoder_start_token_id"});
// The number of positions is unlimited.
constexpr auto harmless_keys = std::to_array<std::string_view>({"n_positions"});

/// The MLP, gated or not, as one or more keys describe it.
void read_mlp(const ConfigObject& config, BlockSettings& block) {
  std::string activation = config.text("feed_forward_proj", "relu");
  if (activation.starts_with("gated-")) {
    block.gated = true;
    activation.erase(0, 6);
    if (activation == "gelu") activation = "gelu_new";
  }
  // transformers derives is_gated_act and saves it; if present it counts.
  block.gated = config.boolean("is_gated_act", block.gated);
  const std::string_view said = config.find("dense_act_fn") != nullptr ? "dense_act_fn" : "feed_forward_proj";
  if (said == "dense_act_fn") activation = config.text(said, activation);
  block.activation = activation_named(config, said, activation);
}

void read_stack(const ConfigObject& config, StackSpec& stack) {
  const int buckets = config.whole("relative_attention_num_buckets", 32, 4, 4096),
            distance = config.whole("relative_attention_max_distance", 128,
                                    least_bucket_distance(buckets, true), most_positions);
  for (LayerSpec& block : stack.blocks) {
    block.scaling = scaling_of(1, block.d_k);
    block.position_settings.buckets = buckets;
    block.position_settings.bucket_distance = distance;
    read_mlp(config, block.block);
  }
}

/// The decoder, which has the encoder's settings but its own number of blocks.
void read_model(const ConfigObject& config, ModelSpec& spec) {
  StackSpec decoder = *spec.encoder;
  const int blocks = static_cast<int>(decoder.blocks.size());
  decoder.blocks.resize(static_cast<std::size_t>(config.whole("num_decoder_layers", blocks, 1, most_blocks)),
                        spec.encoder->blocks[0]);
  decoder.cross = true;
  set_causal(decoder, true);
  if (spec.architecture.ends_with("EncoderModel")) return;  // the encoder alone
  // On one side only, twice as many distances have a bucket of their own.
  const PositionSettings& positions = decoder.blocks[0].position_settings;
  if (const int least = least_bucket_distance(positions.buckets, false); positions.bucket_distance < least)
    config.refuse("relative_attention_max_distance",
                  fmt::format("it is {}; more than {}, half of the decoder's buckets, was expected.",
                              positions.bucket_distance, least - 1));
  spec.decoder = decoder;
  const bool tied = config.boolean("tie_word_embeddings", true);
  if (config.boolean("scale_decoder_outputs", tied))
    spec.logit_scale = 1 / std::sqrt(static_cast<double>(spec.d_model));
  spec.decoder_start = config.whole("decoder_start_token_id", 0, 0, most_vocabulary);
}

/// mT5 never scales its logits, whatever the tables are.
void read_mt5(const ConfigObject& config, ModelSpec& spec) {
  read_model(config, spec);
  spec.logit_scale = 1;
}

constexpr Family t5{.name = "T5",
                    .model_types = t5_types,
                    .norm = NormKind::RmsNorm,
                    .positions = Positions::RelativeBuckets,
                    .keys = keys,
                    .model = t5_model,
                    .encoder = t5_encoder,
                    .decoder = t5_decoder,
                    .aliases = t5_aliases,
                    .read_stack = read_stack,
                    .read_model = read_model,
                    .own_keys = own_keys,
                    .harmless_keys = harmless_keys};

}  // namespace
}  // namespace t5_rows

constinit const Family t5_family = t5_rows::t5;

constinit const Family mt5_family = like(t5_rows::t5, [](Family& made) {
  made.name = "mT5";
  made.model_types = t5_rows::mt5_types;
  made.keys.default_vocabulary = 250'112;
  made.keys.default_layers = 8;
  made.keys.default_heads = 6;
  made.keys.default_inner = 1024;
  made.read_model = t5_rows::read_mt5;
});

constinit const Family umt5_family = like(t5_rows::t5, [](Family& made) {
  made.name = "UMT5";
  made.model_types = t5_rows::umt5_types;
  made.keys.default_vocabulary = 250'112;
  made.keys.default_layers = 8;
  made.keys.default_heads = 6;
  made.keys.default_inner = 1024;
  made.encoder = t5_rows::umt5_encoder;
  made.decoder = t5_rows::umt5_decoder;
});

}  // namespace attnscope
