// A block of a model as a Document: computed stage by stage it gives the numbers of a run of the whole model,
// for every family and block, with changes and without.
#include "core/models/opened/layer_document.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/document/attention_settings.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/layer_documents.hpp"
#include "core/models/opened/block_tensors.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/samples.hpp"
#include "core/transformers_goldens.hpp"

namespace attnscope::layer_document_test {
namespace {

namespace fs = std::filesystem;
using namespace layer_documents;
using Catch::Matchers::ContainsSubstring;
using transformers_goldens::Golden;
using transformers_goldens::input_of;
using ChangeKind = HeadChange::Kind;

const fs::path tiny_models = fs::path(ATTNSCOPE_SHARED) / "vectors/tiny_models";

/// Changes of every kind, spread over the heads and blocks of all attentions.
std::vector<ModelChanges> some_changes(const ModelSpec& spec, bool hides) {
  std::vector<ModelChanges> all(9);
  for (const AttentionOf of : attentions_of(spec)) {
    const StackSpec& stack = spec.stack(of);
    const auto blocks = static_cast<int>(stack.blocks.size());
    const int heads = stack.blocks[0].heads;
    for (int block = 0; block < blocks; ++block) {
      all[0].blocks.push_back({.of = of, .block = block, .scale = spec.family == "T5" ? 0.3 : 1.0});
      all[1].blocks.push_back({.of = of, .block = block, .temperature = 1.7});
      all[2].blocks.push_back({.of = of, .block = block, .mask_off = true});
      if (!stack.causal() && of != AttentionOf::Cross)
        all[8].blocks.push_back({.of = of, .block = block, .causal = true});
      for (int head = 0; head < heads; ++head) {
        const bool mean = head % 2 == 1 && !hides;
        all[3].heads.push_back(
            {.of = of, .block = block, .head = head, .kind = mean ? ChangeKind::Mean : ChangeKind::Zero});
        constexpr ChangeKind patterns[]{ChangeKind::Uniform, ChangeKind::PreviousToken, ChangeKind::Identity,
                                        ChangeKind::FirstToken};
        all[4].heads.push_back({.of = of, .block = block, .head = head, .kind = patterns[head % 4]});
      }
      all[5].blocks.push_back({.of = of, .block = block, .attention_off = true});
      if (of != AttentionOf::Cross) all[6].blocks.push_back({.of = of, .block = block, .mlp_off = true});
    }
    all[7].blocks.push_back(
        {.of = of, .block = blocks - 1, .mask_off = true, .scale = 0.2, .temperature = 0.6});
    all[7].heads.push_back({.of = of, .block = blocks - 1, .head = heads - 1});
  }
  return all;
}

bool counts_from_zero(const ModelInput& input) {
  for (std::size_t i = 0; i < input.positions.size(); ++i)
    if (!std::cmp_equal(input.positions[i], i)) return false;
  return true;
}

bool turns(const ModelSpec& spec) { return spec.decoder && is_rotary(spec.decoder->positions()); }

/// All inputs of a model's golden file; returns how many runs were compared.
int compare_model(const fs::path& folder, Machine& machine) {
  const ModelPtr model = open_model(folder);
  const SafetensorsFile file(folder / "goldens.safetensors");
  int compared = 0;
  for (const std::string part : {"single.", "batch.", "left.", "short.", "pair."}) {
    const Golden golden(file, part);
    if (!golden.has("input_ids") && !golden.has("pixel_values")) continue;
    CAPTURE(part);
    const ModelInput input = input_of(golden, 0);
    const ModelRun run = run_model(*model, input, {.logits = LogitRows::None}, machine.work);
    if (turns(model->spec) && !counts_from_zero(input)) {
      CHECK_THROWS_WITH(layer_document(*model, run, block_tensors(*model, AttentionOf::Decoder, 0), {}, {}),
                        ContainsSubstring("a layer by itself counts positions from 0"));
      continue;
    }
    compare_all(*model, run, machine);
    ++compared;
    if (part != std::string("single.") && compared > 1) continue;
    const bool hides = std::ranges::find(input.mask, 0) != input.mask.end();
    for (const ModelChanges& changes : some_changes(model->spec, hides)) {
      CAPTURE(changes.blocks.size(), changes.heads.size());
      compare_all(*model,
                  run_model(*model, input, {.logits = LogitRows::None, .changes = changes}, machine.work),
                  machine);
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("every block of every committed model computes to the run's numbers", "[models][layer_document]") {
  Machine machine;
  int compared = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(goldens)) {
    if (!exists(folder.path() / "goldens.safetensors")) continue;
    const std::string name = folder.path().filename();
    CAPTURE(name);
    if (name == "bloom_after_norm") {
      CHECK_THROWS_WITH(block_tensors(*open_model(folder.path()), AttentionOf::Decoder, 0),
                        ContainsSubstring("This model of BLOOM adds to the stream after the norm"));
      continue;
    }
    if (name == "modernbert") {  // its first block has no norm before attention
      const ModelPtr model = open_model(folder.path());
      CHECK_THROWS_WITH(block_tensors(*model, AttentionOf::Encoder, 0),
                        ContainsSubstring("The blocks of ModernBERT lack"));
      CHECK_NOTHROW(block_tensors(*model, AttentionOf::Encoder, 1));
      continue;
    }
    compared += compare_model(folder.path(), machine);
  }
  CHECK(compared >= 55);
}

TEST_CASE("every block of every tiny model computes to the run's numbers", "[models][layer_document]") {
  if (!exists(tiny_models)) SKIP("no folder shared/vectors/tiny_models");
  Machine machine;
  int compared = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(tiny_models)) {
    if (!exists(folder.path() / "goldens.safetensors")) continue;
    CAPTURE(folder.path().filename());
    compared += compare_model(folder.path(), machine);
  }
  CHECK(compared >= 14);
}

TEST_CASE("positions and arrangements that no model has are refused by their names",
          "[models][layer_document]") {
  Machine machine;
  const Opened o("llama");
  Model model = *o.model;
  for (LayerSpec& block : model.spec.decoder->blocks) block.positions = Positions::Disentangled;
  const auto refusal = ContainsSubstring("Positions of a model: disentangled; learned, RoPE");
  CHECK_THROWS_WITH(run_model(model, o.input, {}, machine.work), refusal);
  CHECK_THROWS_WITH(block_tensors(model, AttentionOf::Decoder, 0), refusal);
  for (LayerSpec& block : model.spec.decoder->blocks) {
    block.positions = Positions::RopeHalf;
    block.block.kind = Arrangement::None;
  }
  const auto lone = ContainsSubstring("Arrangement of a model's blocks: none;");
  CHECK_THROWS_WITH(run_model(model, o.input, {}, machine.work), lone);
  CHECK_THROWS_WITH(block_tensors(model, AttentionOf::Decoder, 0), lone);
}

TEST_CASE("rotary positions of every kind turn a layer's heads as the model's", "[models][layer_document]") {
  Machine machine;
  const Opened o("llama");
  const auto compare_with = [&](const std::function<void(PositionSettings&)>& set,
                                Positions kind = Positions::RopeHalf) {
    Model model = *o.model;
    for (LayerSpec& block : model.spec.decoder->blocks) {
      block.positions = kind;
      block.position_settings.rope_factor = 3;
      block.position_settings.rope_trained = 5;
      set(block.position_settings);
    }
    compare_all(model, run_model(model, o.input, {.logits = LogitRows::None}, machine.work), machine);
  };
  compare_with([](PositionSettings&) {}, Positions::RopeInterleaved);
  compare_with([](PositionSettings& rope) { rope.rope_dims = 2; });
  compare_with([](PositionSettings& rope) {
    rope.rope_divisors = std::make_shared<const Tensor>(Shape{2}, std::vector<float>{1.5f, 4});
  });
  for (const RopeScaling scaling :
       {RopeScaling::Linear, RopeScaling::Dynamic, RopeScaling::Yarn, RopeScaling::Llama3}) {
    CAPTURE(static_cast<int>(scaling));
    compare_with([&](PositionSettings& rope) { rope.rope_scaling = scaling; });
  }
  compare_with([](PositionSettings& rope) {
    rope.rope_scaling = RopeScaling::Yarn;
    rope.rope_truncate = false;
    rope.rope_magnitude = 1.25;
  });
  // Another base in every second block.
  int blocks = 0;
  compare_with([&](PositionSettings& rope) { rope.rope_base = ++blocks % 2 == 0 ? 50 : 10'000; });
  Model still = *o.model;
  for (LayerSpec& block : still.spec.decoder->blocks) block.positions = Positions::None;
  compare_all(still, run_model(still, o.input, {.logits = LogitRows::None}, machine.work), machine);
  Document document = layer_document(*o.model, run_model(*o.model, o.input, {}, machine.work),
                                     block_tensors(*o.model, AttentionOf::Decoder, 0), {}, {});
  const auto divide = [&](Shape shape, float by) {
    auto divisors = std::make_shared<Tensor>(shape);
    std::ranges::fill(divisors->values(), by);
    document.layer().position_settings.rope_divisors = std::move(divisors);
  };
  divide({3}, 1);
  CHECK_THROWS_WITH(check(document), ContainsSubstring("divisors of the rotary frequencies have shape [3]"));
  divide({2}, 0);
  CHECK_THROWS_WITH(check(document), ContainsSubstring("A divisor of the rotary frequencies is 0"));
}

TEST_CASE("labels are those of the tokens, and as many", "[models][layer_document]") {
  Machine machine;
  const Opened o("llama");
  const ModelRun run = run_model(*o.model, o.input, {}, machine.work);
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 0);
  const Document document = layer_document(*o.model, run, tensors, samples::sentence(9), {});
  CHECK(document.input.sequences[0].tokens[8].text == "t8");
  CHECK(document.title == "Llama · layer 0");
  CHECK_THROWS_WITH(layer_document(*o.model, run, tensors, samples::sentence(8), {}),
                    "There are 8 labels for 9 queries; as many were expected.");
  CHECK_THROWS_WITH(block_tensors(*o.model, AttentionOf::Decoder, 2),
                    "There is no layer 2; the model has 0 to 1.");
  CHECK_THROWS_WITH(block_tensors(*o.model, AttentionOf::Encoder, 0), "Llama has no encoder.");
  CHECK_THROWS_WITH(block_tensors(*o.model, AttentionOf::Cross, 0), "Llama has no attention to an encoder.");
}

TEST_CASE("a block of RoBERTa, whose positions begin at 2, can have rotary ones",
          "[models][layer_document]") {
  Machine machine;
  const ModelPtr model = open_model(goldens / "roberta");
  LayerSpec settings = attention_only(model->spec.encoder->blocks[0]);
  RunRequest request;
  const auto with = [&](Positions positions) {
    settings.positions = positions;
    request.changes.blocks = {
        {.of = AttentionOf::Encoder, .block = 0, .attention = SharedValue<LayerSpec>(settings)}};
  };
  ModelInput input;
  input.ids = {5, 9, 7, 12, 9};
  with(Positions::RopeHalf);
  const ModelRun run = run_model(*model, input, request, machine.work);
  compare_all(*model, run, machine);
  with(Positions::None);
  const ModelRun plain = run_model(*model, input, request, machine.work);
  CHECK(run.encoder.attention[0].queries.values != plain.encoder.attention[0].queries.values);
  // The base of a text of five tokens, not of seven.
  settings.position_settings.rope_scaling = RopeScaling::Dynamic;
  settings.position_settings.rope_trained = 2;
  with(Positions::RopeHalf);
  compare_all(*model, run_model(*model, input, request, machine.work), machine);
  // Positions with a gap are still refused.
  input.positions = {2, 3, 4, 6, 7};
  CHECK_THROWS_WITH(run_model(*model, input, request, machine.work),
                    ContainsSubstring("Token 3 stands at position 6"));
}

TEST_CASE("a mask that is off takes a block's own pattern, mistake and painted cells with it",
          "[models][layer_document]") {
  Machine machine;
  const Opened o("gpt2");
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 1);
  LayerSpec settings = attention_only(tensors.layer), shown = tensors.layer;
  settings.masking.sparsity.kind = Sparsity::Kind::Strided;
  settings.masking.mistake = MaskMistake::DiagonalToo;
  settings.masking.heads = {0};
  settings.masking.additive = std::make_shared<const Tensor>(Shape{1, 1, 9, 9}, std::vector<float>(81, -2));
  const ModelChanges off{
      .blocks = {{.block = 1, .mask_off = true, .attention = SharedValue<LayerSpec>(settings)}}};
  impose(tensors, off, {9, 9}, shown);
  CHECK(shown.masking == Masking{});
  CHECK(like_of(tensors, off, shown) == off);
  const ModelRun run = run_model(*o.model, o.input, {.changes = off}, machine.work);
  CHECK(head_weights(*o.model, run, AttentionOf::Decoder, 1, 0, machine.work).matrix().minCoeff() > 0);
  shown.masking.causal = true;  // the rule that is chosen then is the only one: the model's
  CHECK(like_of(tensors, off, shown) == ModelChanges{});
}

TEST_CASE("a block that is swept has the limits of a lone layer", "[models][layer_document]") {
  Machine machine;
  const Opened o("t5");
  const auto refusal = [&](AttentionOf of, auto change) {
    LayerSpec settings = attention_only(o.model->spec.stack(of).blocks[1]);
    change(settings);
    const ModelChanges changes{
        .blocks = {{.of = of, .block = 1, .attention = SharedValue<LayerSpec>(settings)}}};
    try {
      run_model(*o.model, o.input, {.changes = changes}, machine.work);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto turned = [&](auto change) {
    return refusal(AttentionOf::Encoder, [&](LayerSpec& layer) {
      layer.positions = Positions::RopeHalf;
      change(layer.position_settings);
    });
  };
  CHECK(turned([](PositionSettings&) {}).empty());
  // Else the rotation reaches into the next head, and the last one's beyond the rows.
  CHECK_THAT(turned([](PositionSettings& rope) { rope.rope_dims = 512; }),
             ContainsSubstring("Layer 1") && ContainsSubstring("512 dimensions cannot be rotated"));
  CHECK_THAT(turned([](PositionSettings& rope) {
               rope.rope_divisors = std::make_shared<const Tensor>(Shape{1}, std::vector<float>{2});
             }),
             ContainsSubstring("divisors of the rotary frequencies have shape [1]"));
  CHECK_THAT(turned([](PositionSettings& rope) {
               rope.rope_scaling = RopeScaling::Yarn;
               rope.rope_slow_turns = rope.rope_fast_turns;
             }),
             ContainsSubstring("The bounds of YaRN"));
  // Else far distances have buckets before the table.
  CHECK_THAT(
      refusal(AttentionOf::Decoder, [](LayerSpec& layer) { layer.position_settings.bucket_distance = 2; }),
      ContainsSubstring("The bucket distance is 2"));
}

TEST_CASE("a block that settings of its own let see all can be made causal again",
          "[models][layer_document]") {
  Machine machine;
  const Opened o("gpt2");
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 1);
  LayerSpec layer = tensors.layer;
  layer.masking.causal = false;
  layer.masking.window = {2, 3};
  const auto open = like_of(tensors, {}, layer);
  REQUIRE(open);
  REQUIRE(open->blocks.at(0).attention);
  layer.masking.causal = true;
  const auto causal = like_of(tensors, *open, layer);
  REQUIRE(causal);
  const ModelRun run = run_model(*o.model, o.input, {.changes = *causal}, machine.work);
  compare_all(*o.model, run, machine);
  CHECK(head_weights(*o.model, run, AttentionOf::Decoder, 1, 0, machine.work).matrix()(4, 5) == 0);
}

}  // namespace attnscope::layer_document_test
