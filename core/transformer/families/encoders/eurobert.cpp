// EuroBERT (Boizard et al. 2025): Llama's block in an encoder.
#include <array>
#include <string_view>

#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace eurobert_rows {
namespace {

using enum Part;
using enum BiasRule;

constexpr auto types = std::to_array<std::string_view>({"eurobert"});
constexpr auto model = std::to_array<PartName>({{TokenTable, "embed_tokens"}});
constexpr auto blocks = names_like(gated_blocks, {{Gate, "layers.{}.mlp.gate_proj", Mlp},
                                                  {Up, "layers.{}.mlp.up_proj", Mlp},
                                                  {Down, "layers.{}.mlp.down_proj", Mlp}});
constexpr ConfigKeys keys = like(like_llama(768, 12, 12, like_llama(3072, 8192, 128'256, 0, 0)),
                                 [](ConfigKeys& made) { made.default_epsilon = 1e-5; });
constexpr auto heads = std::to_array<HeadRow>(
    {linear_head("ForMaskedLM", HeadKind::MaskedToken, HeadInput::EveryRow, "lm_head"), token_class});
// Heads of classes of texts are not computed.
constexpr auto harmless_keys =
    std::to_array<std::string_view>({"pretraining_tp", "mask_token_id", "classifier_pooling"});

}  // namespace
}  // namespace eurobert_rows

constinit const Family eurobert_family{.name = "EuroBERT",
                                       .model_types = eurobert_rows::types,
                                       .prefixes = gated_prefixes,
                                       .norm = NormKind::RmsNorm,
                                       .positions = Positions::RopeHalf,
                                       .keys = eurobert_rows::keys,
                                       .model = eurobert_rows::model,
                                       .encoder = eurobert_rows::blocks,
                                       .heads = eurobert_rows::heads,
                                       .tied = false,
                                       .harmless_keys = eurobert_rows::harmless_keys};

}  // namespace attnscope
