// The encoder that AttnScope itself trains (core/training): pre-norm, rotary, with
// "no_rope_layer_interval" not in every layer. Unknown to other programs.
#include <array>
#include <string_view>

#include "core/transformer/families/config_object.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/shared_rows.hpp"

namespace attnscope {
namespace reader_rows {
namespace {

using enum Part;
using enum BiasRule;

using enum HeadKind;
using enum HeadInput;

constexpr auto reader_types = std::to_array<std::string_view>({"attnscope_reader"});
constexpr auto reader_prefixes = std::to_array<std::string_view>({"reader."});
constexpr auto reader_model = std::to_array<PartName>({
    {TokenTable, "tokens"},
});
constexpr auto reader_blocks = std::to_array<PartName>({
    {AttentionNorm, "blocks.{}.attention_norm"},
    {Query, "blocks.{}.query", Always},
    {Key, "blocks.{}.key", Always},
    {Value, "blocks.{}.value", Always},
    {Output, "blocks.{}.output", Always},
    {MlpNorm, "blocks.{}.mlp_norm"},
    {Up, "blocks.{}.up", Always},
    {Down, "blocks.{}.down", Always},
    {FinalNorm, "final_norm"},
});
constexpr ConfigKeys keys = like(bert_keys, [](ConfigKeys& made) {
  made.default_width = 96;
  made.default_layers = 3;
  made.default_heads = 4;
  made.default_inner = 384;
  made.default_positions = 48;
  made.default_epsilon = 1e-5;
  made.default_activation = "gelu_new";
  made.default_vocabulary = ConfigKeys{}.default_vocabulary;
});
constexpr auto reader_heads = std::to_array<HeadRow>({
    {"ForReferents", TokenClass, EveryRow, "", "", "referent", "", Activation::Identity, true},
    {"ForMaskedWords", MaskedToken, EveryRow, "", "", "masked_word", "", Activation::Identity},
});

constexpr auto own_keys = std::to_array<std::string_view>({"no_rope_layer_interval"});

void read_stack(const ConfigObject& config, StackSpec& stack) {
  leave_unrotated(stack, config.whole(own_keys[0], 0, 0, most_blocks));
}

}  // namespace
}  // namespace reader_rows

constinit const Family reader_family{.name = "AttnScope Reader",
                                     .model_types = reader_rows::reader_types,
                                     .prefixes = reader_rows::reader_prefixes,
                                     .positions = Positions::RopeHalf,
                                     .keys = reader_rows::keys,
                                     .model = reader_rows::reader_model,
                                     .encoder = reader_rows::reader_blocks,
                                     .heads = reader_rows::reader_heads,
                                     .read_stack = reader_rows::read_stack,
                                     .own_keys = reader_rows::own_keys};

}  // namespace attnscope
