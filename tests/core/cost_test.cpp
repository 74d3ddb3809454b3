// The cost model against known numbers, and against counting.
#include "core/analysis/cost.hpp"

#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "core/edits/block.hpp"
#include "core/engine/pipeline.hpp"
#include "core/samples.hpp"

namespace attnscope::cost_test {
namespace {

const StageCost& of(const LayerCost& cost, Stage stage) {
  for (const StageCost& row : cost.stages)
    if (row.stage == stage) return row;
  FAIL("no such stage");
  return cost.stages.front();
}

LayerSize vit_base() {
  return {.queries = 197, .keys = 197, .d_model = 768, .heads = 12, .kv_heads = 12, .d_k = 64, .d_v = 64};
}

}  // namespace

TEST_CASE("ViT-Base has the parameters it is known for", "[cost]") {
  LayerSize size = vit_base();
  CHECK(cost_of(size).qkv_parameters == 1'769'472);
  CHECK(cost_of(size).output_parameters == 589'824);
  CHECK(cost_of(size).parameters() == 4.0 * 768 * 768);
  size.biases = true;
  CHECK(cost_of(size).bias_parameters == 4.0 * 768);
}

TEST_CASE("Parameters are those of the blocks that are there", "[cost]") {
  samples::Random random(1);
  const Document document = samples::text_document(random, {7, 5}, 4, 32);
  const Weights& w = document.layer().weights;
  const LayerCost cost = cost_of(layer_size(document));
  const auto numbers = [](const std::initializer_list<TensorPtr>& blocks) {
    std::int64_t sum = 0;
    for (const TensorPtr& block : blocks) sum += block->size();
    return static_cast<double>(sum);
  };
  CHECK(cost.qkv_parameters == numbers({w[Parameter::WQuery], w[Parameter::WKey], w[Parameter::WValue]}));
  CHECK(cost.output_parameters == numbers({w[Parameter::WOutput]}));
  CHECK(cost.bias_parameters ==
        numbers({w[Parameter::BQuery], w[Parameter::BKey], w[Parameter::BValue], w[Parameter::BOutput]}));
  const ResultPtr result = Pipeline(make_cpu_backend(1)).run(document);
  CHECK(cost.held == 4.0 * 4 * static_cast<double>(result->layer().trace[Stage::Score]->size()));
  CHECK(cost.cache == 4.0 * static_cast<double>(result->layer().trace[Stage::Key]->size() +
                                                result->layer().trace[Stage::Value]->size()));
}

TEST_CASE("Operations are counted, one multiply-add as two", "[cost]") {
  const LayerSize size{
      .batch = 2, .queries = 3, .keys = 5, .d_model = 8, .heads = 4, .kv_heads = 2, .d_k = 2, .d_v = 3};
  const LayerCost cost = cost_of(size);
  double products = 0;  // of one head of one sequence, counted one by one
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      for (int d = 0; d < 2; ++d) products += 2;
  CHECK(of(cost, Stage::Score).flops == 2 * 4 * products);
  CHECK(of(cost, Stage::Query).flops == 2.0 * 2 * 3 * 8 * 8);
  CHECK(of(cost, Stage::Key).flops == 2.0 * 2 * 5 * 8 * 4);
  CHECK(of(cost, Stage::Value).flops == 2.0 * 2 * 5 * 8 * 6);
  CHECK(of(cost, Stage::Mix).flops == 2.0 * 2 * 4 * 3 * 5 * 3);
  CHECK(of(cost, Stage::Output).flops == 2.0 * 2 * 3 * 12 * 8);
  CHECK(of(cost, Stage::Softmax).flops == 5.0 * 2 * 4 * 3 * 5);
  double sum = 0;
  for (const StageCost& stage : cost.stages) sum += stage.flops;
  CHECK(cost.flops == sum);
}

TEST_CASE("A cache's keys and values are not projected again", "[cost]") {
  LayerSize size = vit_base();
  size.queries = 1;
  size.cached = 196;
  const LayerCost cost = cost_of(size);
  CHECK(of(cost, Stage::Key).flops == 2.0 * 768 * 768);  // of the one new token
  CHECK(of(cost, Stage::Value).flops == 2.0 * 768 * 768);
  CHECK(of(cost, Stage::Score).flops == 2.0 * 12 * 197 * 64);  // it attends to all of them
  CHECK(cost.cache == 4.0 * 2 * 197 * 768);

  samples::Random random(2);
  Document document = samples::text_document(random, {6}, 2, 8);
  document.input.cached = 4;
  document.layer().add_zero_attn = true;
  const LayerSize decoding = layer_size(document);
  CHECK(decoding.cached == 4);
  CHECK(of(cost_of(decoding), Stage::Key).flops == 2.0 * 2 * 8 * 8);  // neither the cache nor the zero key
}

TEST_CASE("A block's norms, additions and MLP are counted", "[cost]") {
  samples::Random random(4);
  const Document lone = samples::text_document(random, {6, 6}, 2, 8);
  const LayerCost plain = cost_of(layer_size(lone));
  const double vectors = 2.0 * 6 * 8, inner = 2.0 * 6 * 32;
  const LayerCost gpt = cost_of(layer_size(edit::block(lone, edit::BlockPreset::Gpt)));
  CHECK(gpt.block_parameters == 2 * 8 * 32 + 4 * 8);  // two matrices, two norms of weights and biases
  CHECK(gpt.parameters() == plain.parameters() + gpt.block_parameters);
  CHECK(gpt.flops == plain.flops + 2 * 4 * vectors + 2 * vectors + 2 * 2.0 * 12 * 8 * 32 + inner);
  BlockSettings gated = edit::block_of(edit::BlockPreset::Gpt, 8);
  gated.gated = true;
  CHECK(cost_of(layer_size(edit::block(lone, gated))).flops == gpt.flops + 2.0 * 12 * 8 * 32 + inner);
}

TEST_CASE("What positions, caps, windows and learned numbers cost is counted", "[cost]") {
  samples::Random random(3);
  Document document = samples::text_document(random, {6, 6}, 2, 8);
  const LayerCost plain = cost_of(layer_size(document));
  const double cells = 2.0 * 2 * 6 * 6;
  CHECK(plain.seen_flops == plain.flops);
  document.layer().soft_cap = 3;
  document.layer().positions = Positions::Alibi;
  CHECK(cost_of(layer_size(document)).flops == plain.flops + 3 * cells + cells);
  document.layer().soft_cap = 0;
  document.layer().positions = Positions::RopeHalf;
  CHECK(cost_of(layer_size(document)).flops == plain.flops + 3.0 * 2 * (2 * 6 * 8));  // Q and K, all numbers
  document.layer().positions = Positions::RelativeWindows;
  CHECK(cost_of(layer_size(document)).flops == plain.flops + cells);
  CHECK(cost_of(layer_size(document)).position_parameters == 9 * 2);
  document.layer().positions = Positions::Disentangled;
  document.layer().position_settings.span = 3;
  const double met = 2.0 * (2 * 6) * 8 * 6;  // all queries, or keys, of both heads with six vectors
  CHECK(cost_of(layer_size(document)).flops == plain.flops + cells + 2 * met);
  CHECK(cost_of(layer_size(document)).position_parameters == 6 * 8);
  document.layer().position_settings.position_to_content = false;
  CHECK(cost_of(layer_size(document)).flops == plain.flops + cells + met);
  document.layer().positions = Positions::None;
  document.layer().qk_norm.kind = QkNorm::Kind::Layer;
  const LayerCost normed = cost_of(layer_size(document));
  CHECK(normed.flops == plain.flops + 4.0 * 2 * (2 * 6 * 8));
  CHECK(normed.parameters() == plain.parameters() + 2 * 4);
  document.layer().qk_norm = {};
  document.layer().positions = Positions::Learned;
  document.layer().weights[Parameter::PositionTable] = random.tensor({10, 8});
  document.layer().weights[Parameter::BiasK] = random.tensor({8});
  document.layer().weights[Parameter::BiasV] = random.tensor({8});
  const LayerCost learned = cost_of(layer_size(document));
  CHECK(learned.position_parameters == 80);
  CHECK(learned.extra_parameters == 16);
  CHECK(learned.parameters() == plain.parameters() + 96);
  document.layer().weights[Parameter::BiasK] = document.layer().weights[Parameter::BiasV] = nullptr;

  // A causal window of two: 1 + 2 + 2 + 2 + 2 + 2 of 36 cells, counted from the rule and from the measures.
  document.layer().masking.causal = true;
  document.layer().masking.window.left = 1;
  const ResultPtr result = Pipeline(make_cpu_backend(1)).run(document);
  for (const Measures* measures : {static_cast<const Measures*>(nullptr), &result->layer().measures}) {
    const LayerSize size = layer_size(document, measures);
    CHECK(size.seen == 11.0 / 36);
    const LayerCost cost = cost_of(size);
    double attention = 0;
    for (const Stage stage : {Stage::Score, Stage::Scale, Stage::Mask, Stage::Softmax, Stage::Mix})
      attention += of(cost, stage).flops;
    CHECK(std::abs(cost.seen_flops - (cost.flops - attention * 25 / 36)) < 1e-6 * cost.flops);
  }
}

TEST_CASE("Linear attention costs n, not n squared", "[cost]") {
  LayerSize size = vit_base();
  size.linear = true;
  const auto attention = [&](std::int64_t n) {
    size.queries = size.keys = n;
    const LayerCost cost = cost_of(size);
    return of(cost, Stage::Linear).flops + of(cost, Stage::Mix).flops;
  };
  CHECK(attention(2000) == 2 * attention(1000));
  // Σ φ(k) vᵀ and Σ φ(k), token by token, then φ(q) times those and a division, and φ itself.
  CHECK(attention(1) == 12 * (2.0 * 64 + 2 * 64 * 65 + 2 * 64 * 65 + 64));
  CHECK(cost_of(size).held == 4.0 * 12 * 64 * 65);
}

TEST_CASE("Streaming moves and holds less the longer the sequence", "[cost]") {
  LayerSize size = vit_base();
  double last = 0;
  for (const std::int64_t n : {256, 1024, 4096, 32'768}) {
    size.queries = size.keys = n;
    const LayerCost cost = cost_of(size);
    CHECK(cost.streaming_bytes < cost.bytes);
    const double saved = cost.held / cost.streaming_held;
    CHECK(saved > last);
    last = saved;
  }
  size.queries = size.keys = 32'768;
  CHECK(cost_of(size).held == 4.0 * 4 * 12 * 32'768 * 32'768);  // 206 GB
  CHECK(cost_of(size).streaming_held == 8.0 * 12 * 32'768);     // 3 MB
  size.bytes_per_number = 2;
  CHECK(cost_of(size).held == 4.0 * 2 * 12 * 32'768 * 32'768);
}

}  // namespace attnscope::cost_test
