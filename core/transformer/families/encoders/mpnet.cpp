// MPNet (Song et al. 2020): BERT with RoBERTa's positions, and T5's relative buckets added in every block.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/known_keys.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace mpnet_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"mpnet"});
constexpr auto prefixes = std::to_array<std::string_view>({"mpnet."});
constexpr auto model = names_like<1>(bert_tables, {{Pooler, "pooler.dense", Always}});
constexpr auto blocks = std::to_array<PartName>({
    {Query, "encoder.layer.{}.attention.attn.q", Always},
    {Key, "encoder.layer.{}.attention.attn.k", Always},
    {Value, "encoder.layer.{}.attention.attn.v", Always},
    {Output, "encoder.layer.{}.attention.attn.o", Always},
    {RelativeBias, "encoder.relative_attention_bias"},
    {AfterAttentionNorm, "encoder.layer.{}.attention.LayerNorm"},
    {Up, "encoder.layer.{}.intermediate.dense", Always},
    {Down, "encoder.layer.{}.output.dense", Always},
    {AfterMlpNorm, "encoder.layer.{}.output.LayerNorm"},
});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) { made.default_vocabulary = 30'527; });
constexpr auto heads = std::to_array<HeadRow>({
    {"ForMaskedLM", HeadKind::MaskedToken, HeadInput::EveryRow, "lm_head.dense", "lm_head.layer_norm",
     "lm_head.decoder", "lm_head.bias", Activation::Gelu},
    {"ForSequenceClassification", HeadKind::SequenceClass, HeadInput::FirstRow, "classifier.dense", "",
     "classifier.out_proj", "", Activation::Tanh},
    token_class,
    answer_span,
});
constexpr auto own_keys = std::to_array<std::string_view>({"relative_attention_num_buckets"});

void read_stack(const ConfigObject& config, StackSpec& stack) {
  // transformers sorts into 32, whatever the key says.
  need_implied(config, mpnet_family, "relative_attention_num_buckets", 32);
  for (LayerSpec& block : stack.blocks) {
    block.positions = Positions::RelativeBuckets;
    block.position_settings.buckets = 32;
    block.position_settings.bucket_distance = 128;
  }
}

/// Positions count from the one after the padding's, which is always 1.
void read_model(const ConfigObject&, ModelSpec& spec) {
  spec.padding_id = 1;
  spec.first_position = 2;
}

}  // namespace
}  // namespace mpnet_rows

constinit const Family mpnet_family{.name = "MPNet",
                                    .model_types = mpnet_rows::types,
                                    .prefixes = mpnet_rows::prefixes,
                                    .arrangement = Arrangement::PostNorm,
                                    .keys = mpnet_rows::keys,
                                    .model = mpnet_rows::model,
                                    .encoder = mpnet_rows::blocks,
                                    .heads = mpnet_rows::heads,
                                    .read_stack = mpnet_rows::read_stack,
                                    .read_model = mpnet_rows::read_model,
                                    .own_keys = mpnet_rows::own_keys};

}  // namespace attnscope
