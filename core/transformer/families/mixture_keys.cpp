#include "core/transformer/families/mixture_keys.hpp"

namespace attnscope {

void mix_like_deepseek(const ConfigObject& config, StackSpec& stack, ExpertSettings usual, int dense) {
  usual.experts = config.whole("n_routed_experts", usual.experts, 1, most_experts);
  usual.chosen = config.whole("num_experts_per_tok", usual.chosen, 1, usual.experts);
  usual.d_inner = config.whole("moe_intermediate_size", usual.d_inner, 1, most_width * 4);
  usual.routing = Routing::Sigmoid;
  usual.normalised = config.boolean("norm_topk_prob", true);
  usual.scale = config.number("routed_scaling_factor", usual.scale);
  usual.groups = config.whole("n_group", 1, 1, usual.experts);
  usual.chosen_groups = config.whole("topk_group", 1, 1, usual.groups);
  if (usual.experts % usual.groups != 0)
    config.refuse("n_group", "the experts cannot be shared evenly by so many groups.");
  usual.d_shared = usual.d_inner * config.whole("n_shared_experts", 1, 0, 64);
  const int plain = config.whole("first_k_dense_replace", dense, 0, most_blocks);
  mix_blocks(stack, usual, [&](std::size_t i) { return static_cast<int>(i) >= plain; });
}

}  // namespace attnscope
