// app/views/controls: the cost of this layer, at its own length or at any other, stage by stage.
#include "core/analysis/cost.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/controls_state.hpp"
#include "app/views/controls/column.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

constexpr double most_tokens = 131072;  // the right end of the slider

std::string bytes_of(double count) {
  constexpr double too_many = 9e18;  // fits into the integer
  return bytes(static_cast<std::int64_t>(std::min(count, too_many)));
}

/// The size of the shown layer at the number of tokens of the slider.
LayerSize asked_size(const Scene& scene) {
  LayerSize size = layer_size(scene.result.document, &scene.result.measures);
  if (controls_of(scene.view).cost_tokens <= 0) return size;
  size.queries = size.keys = controls_of(scene.view).cost_tokens;
  size.cached = size.extra = 0;
  // A window keeps its width; a sparse pattern is assumed to leave the same share of cells.
  const Masking& masking = scene.result.document.layer().masking;
  const auto n = static_cast<double>(size.keys);
  if (masking.window.left >= 0) {
    const int right = masking.causal ? 0 : std::max(0, masking.window.right);
    size.seen = std::min(size.seen, (masking.window.left + 1 + right) / n);
  } else if (masking.causal && masking.sparsity.kind == Sparsity::Kind::None) {
    size.seen = (n + 1) / (2 * n);
  }
  return size;
}

void tokens_row(Column& c, const LayerSize& size) {
  std::int64_t& asked = controls_of(c.scene.view).cost_tokens;
  const std::int64_t own = layer_size(c.scene.result.document).keys;
  const SliderRange range{1, static_cast<float>(most_tokens), static_cast<float>(own), true};
  const Tip tip{"At tokens", "n queries × n keys",
                "What the layer would cost at another length; nothing is computed."};
  if (const auto moved = slider(c.ui(), "At tokens", "at tokens", grouped(size.keys), c.row(36, 4),
                                static_cast<float>(size.keys), range, asked > 0, tip)) {
    const auto tokens =
        static_cast<std::int64_t>(std::llround(std::clamp(static_cast<double>(*moved), 1.0, most_tokens)));
    asked = tokens == own ? 0 : tokens;
  }
}

void parameter_rows(Column& c, const LayerCost& cost) {
  const auto count = [](double number) { return grouped(static_cast<std::int64_t>(number)); };
  c.fact("Parameters QKV", "W_Q W_K W_V", count(cost.qkv_parameters),
         {"Parameters of the projections", "d_model · (h·dₖ + g·(dₖ + d_v))",
          "g heads of keys and values. ViT-Base, d_model 768, has 1,769,472."});
  c.fact("Parameters output", "W_O", count(cost.output_parameters),
         {"Parameters of the output", "h·d_v · d_model", "ViT-Base, d_model 768, has 589,824."});
  if (cost.bias_parameters > 0)
    c.fact("Parameters biases", "biases", count(cost.bias_parameters), {"Biases", "one for each column"});
  if (cost.position_parameters > 0)
    c.fact("Parameters positions", "positions", count(cost.position_parameters),
           {"Learned positions", "positions × d_model, or buckets × heads"});
  if (cost.extra_parameters > 0)
    c.fact("Parameters key", "learned key", count(cost.extra_parameters),
           {"Learned key and value", "groups · (dₖ + d_v)"});
  if (cost.sink_parameters > 0)
    c.fact("Parameters sinks", "sinks", count(cost.sink_parameters), {"Learned sinks", "one for each head"});
  if (cost.norm_parameters > 0)
    c.fact("Parameters norm", "QK-norm", count(cost.norm_parameters),
           {"Weights of the QK-norm", "2 · dₖ", "Shared by all heads."});
  if (cost.block_parameters > 0)
    c.fact("Parameters block", "block", count(cost.block_parameters),
           {"Norms and MLP of the block", "2 · d_model · d_inner, 3 with a gate",
            "In a usual block two thirds of all parameters."});
}

void total_rows(Column& c, const LayerSize& size, const LayerCost& cost) {
  c.fact("FLOPs", "FLOPs", metric(cost.flops),
         {"Floating-point operations", "one multiply-add = 2",
          "Hidden keys are counted: the whole matrix is computed."});
  if (cost.seen_flops < cost.flops)
    c.fact("FLOPs seen", "of these for seen keys", metric(cost.seen_flops),
           {"Without what the mask hides", "scores to mix × seen / all",
            "What is left for a kernel that skips the cells a causal mask, a window or a pattern hides."});
  c.fact("Bytes staged", "moved, staged", bytes_of(cost.bytes),
         {"Bytes moved, staged", "every stage reads and writes",
          "Every stage is kept, as here, so that it can be shown."});
  c.fact("Bytes streaming", "moved, streaming", bytes_of(cost.streaming_bytes),
         {"Bytes moved, streaming", "K and V once per 64 queries",
          "Scores and weights stay in on-chip memory, as in FlashAttention."});
  c.fact("Held staged", "held, staged", bytes_of(cost.held),
         size.linear ? Tip{"Memory held", "batch · h · dₖ · (d_v + 1)", "φ(K)ᵀ·V and Σ φ(K): no scores."}
                     : Tip{"Memory held, staged", "4 · batch · h · n²",
                           "Scores, scaled logits, masked logits and weights of all heads."});
  c.fact("Held streaming", "held, streaming", bytes_of(cost.streaming_held),
         size.linear ? Tip{"Memory held", "batch · h · dₖ · (d_v + 1)", "φ(K)ᵀ·V and Σ φ(K): no scores."}
                     : Tip{"Memory held, streaming", "2 · batch · h · n",
                           "A running maximum and sum for every query."});
  if (size.cached > 0)
    c.remark(
        "K and V of cached tokens are not counted again; they are computed here all the same, to be shown.");
  if (size.linear) c.remark("Counted as linear attention does it; its n² weights are made here to be shown.");
}

/// "Scores  37 k  ▬▬▬───": a stage's operations, and their share of all.
void stage_rows(Column& c, const LayerCost& cost) {
  for (const StageCost& stage : cost.stages) {
    const std::string label = "Cost of " + std::string(info(stage.stage).name);
    c.fact(label.c_str(), info(stage.stage).name, metric(stage.flops) + " · " + bytes_of(stage.bytes),
           {info(stage.stage).name, info(stage.stage).formula, "Operations and bytes moved, staged."});
  }
}

}  // namespace

void cost_section(Column& c) {
  if (!knows_values(c.document())) return;  // widths are not known
  const LayerSize size = asked_size(c.scene);
  const LayerCost cost = cost_of(size);
  if (c.begin({.which = Section::Cost,
               .label = "Cost",
               .note = metric(cost.flops) + " FLOPs",
               .opens = Opens::OnDemand,
               .has_extras = true,
               .extras_used = false})) {
    tokens_row(c, size);
    if (!c.document().input.is_given()) parameter_rows(c, cost);
    total_rows(c, size, cost);
    if (c.extras(Section::Cost)) stage_rows(c, cost);
  }
  c.end();
}

}  // namespace attnscope
