// app/views/controls: what this layer costs, at its own length or at any other, stage by stage.
#include "core/cost.hpp"

#include <algorithm>
#include <cmath>

#include "app/number_format.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/unknown.hpp"

namespace attnscope {
namespace {

constexpr double most_tokens = 131072;  // the right end of the slider

std::string bytes_of(double count) {
  constexpr double too_many = 9e18;  // what a count can hold
  return bytes(static_cast<std::int64_t>(std::min(count, too_many)));
}

/// The layer on screen, at as many tokens as the slider says.
LayerSize asked_size(const Scene& scene) {
  LayerSize size = layer_size(scene.result.document);
  if (scene.view.cost_tokens > 0) size.queries = size.keys = scene.view.cost_tokens;
  return size;
}

void tokens_row(Column& c, const LayerSize& size) {
  std::int64_t& asked = c.scene.view.cost_tokens;
  const std::int64_t own = layer_size(c.scene.result.document).keys;
  const SliderRange range{1, static_cast<float>(most_tokens), static_cast<float>(own), true};
  const Tip tip{"At tokens",
                "n queries × n keys",
                "What the layer would cost at another length; nothing is computed.",
                {}};
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
         {"Parameters of the projections",
          "d_model · (h·dₖ + 2 groups)",
          "ViT-Base, d_model 768, has 1,769,472.",
          {}});
  c.fact("Parameters output", "W_O", count(cost.output_parameters),
         {"Parameters of the output", "h·d_v · d_model", "ViT-Base, d_model 768, has 589,824.", {}});
  if (cost.bias_parameters > 0)
    c.fact("Parameters biases", "biases", count(cost.bias_parameters),
           {"Biases", "one for each column", {}, {}});
}

void total_rows(Column& c, const LayerCost& cost) {
  c.fact("FLOPs", "FLOPs", metric(cost.flops),
         {"Floating-point operations",
          "one multiply-add = 2",
          "Hidden keys are counted: the whole matrix is computed.",
          {}});
  c.fact("Bytes staged", "moved, staged", bytes_of(cost.bytes),
         {"Bytes moved, staged",
          "every stage reads and writes",
          "As here, where every stage can be looked at.",
          {}});
  c.fact("Bytes streaming", "moved, streaming", bytes_of(cost.streaming_bytes),
         {"Bytes moved, streaming",
          "K and V once per 64 queries",
          "Scores and weights never leave the chip.",
          {}});
  c.fact("Held staged", "held, staged", bytes_of(cost.held),
         {"Memory held, staged", "4 · h · n²", "Scores, scaled, masked and weights of all heads.", {}});
  c.fact("Held streaming", "held, streaming", bytes_of(cost.streaming_held),
         {"Memory held, streaming", "2 · h · n", "A running maximum and sum for every query.", {}});
}

/// "Scores  37 k  ▬▬▬───": a stage's share of all operations.
void stage_rows(Column& c, const LayerCost& cost) {
  for (const StageCost& stage : cost.stages) {
    const std::string label = "Cost of " + std::string(info(stage.stage).name);
    c.fact(label.c_str(), info(stage.stage).name, metric(stage.flops) + " · " + bytes_of(stage.bytes),
           {info(stage.stage).name, info(stage.stage).formula, "Operations and bytes moved, staged.", {}});
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
    if (!c.document().input.given) parameter_rows(c, cost);
    total_rows(c, cost);
    if (c.extras(Section::Cost)) stage_rows(c, cost);
  }
  c.end();
}

}  // namespace attnscope
