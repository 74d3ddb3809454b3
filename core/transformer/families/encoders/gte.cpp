// GTE (Zhang et al. 2024): BERT with RoPE, one matrix for queries, keys and values, and one for both halves
// of a gated MLP, the gate second.
#include <array>
#include <string_view>

#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace gte_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"gte"});
constexpr auto prefixes = std::to_array<std::string_view>({"gte.", "new."});
constexpr auto model = std::to_array<PartName>({
    {TokenTable, "embeddings.word_embeddings"},
    {TypeTable, "embeddings.token_type_embeddings"},
    {EmbeddingNorm, "embeddings.LayerNorm"},
    {Pooler, "pooler.dense", Always},
});
constexpr auto blocks = std::to_array<PartName>({
    {QueryKeyValue, "encoder.layer.{}.attention.qkv_proj", Always},
    {Output, "encoder.layer.{}.attention.o_proj", Always},
    {AfterAttentionNorm, "encoder.layer.{}.attn_ln"},
    {UpGate, "encoder.layer.{}.mlp.up_gate_proj"},
    {Down, "encoder.layer.{}.mlp.down_proj", Always},
    {AfterMlpNorm, "encoder.layer.{}.mlp_ln"},
});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.default_positions = 8192;
  made.default_vocabulary = 250'048;
});
constexpr auto own_keys = std::to_array<std::string_view>({"type_vocab_size"});

}  // namespace
}  // namespace gte_rows

constinit const Family gte_family{.name = "GTE",
                                  .model_types = gte_rows::types,
                                  .prefixes = gte_rows::prefixes,
                                  .arrangement = Arrangement::PostNorm,
                                  .positions = Positions::RopeHalf,
                                  .fused = FusedOrder::Stacked,
                                  .keys = gte_rows::keys,
                                  .model = gte_rows::model,
                                  .encoder = gte_rows::blocks,
                                  .rope = {.default_base = 160'000},
                                  .own_keys = gte_rows::own_keys};

}  // namespace attnscope
