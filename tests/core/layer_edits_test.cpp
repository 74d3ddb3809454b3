// An edit of a model's block becomes a change of the model with the same effect.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/edits/block.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"
#include "core/edits/mask.hpp"
#include "core/edits/numbers.hpp"
#include "core/edits/switches.hpp"
#include "core/layer_documents.hpp"
#include "core/models/opened/layer_changes.hpp"
#include "core/samples.hpp"

namespace attnscope::layer_edits_test {
namespace {

using namespace layer_documents;
using Catch::Matchers::ContainsSubstring;
using ChangeKind = HeadChange::Kind;
using LayerKind = Intervention::Kind;

/// A random edit that a model's changes can express.
Document edited(Document document, bool with_mlp, samples::Random& random) {
  const int heads = document.layer().heads;
  const std::int64_t head = random.between(0, heads - 1);
  switch (random.between(0, with_mlp ? 7 : 6)) {
    case 0: return edit::divided(std::move(document), random.coin());
    case 1: document.layer().scaling = {Scaling::Kind::Factor, 0.25f}; return document;
    case 2: document.layer().temperature = random.coin() ? 1.0f : 0.7f; return document;
    case 3: {
      if (document.layer().masking.window.open())
        return edit::with_mask_choice(
            std::move(document),
            static_cast<int>(random.between(0, 1)) * static_cast<int>(document.layer().masking.causal));
      return document;
    }
    case 4: return edit::mute(std::move(document), head);
    case 5: return edit::solo(std::move(document), head);
    case 6: {
      constexpr LayerKind kinds[]{LayerKind::None,     LayerKind::Mute,       LayerKind::Uniform,
                                  LayerKind::Identity, LayerKind::FirstToken, LayerKind::PreviousToken,
                                  LayerKind::Mean};
      return edit::intervention(std::move(document), head, kinds[random.between(0, 6)]);
    }
    default: {
      BlockSettings block = document.layer().block;
      block.mlp = !block.mlp;
      return edit::block(std::move(document), block);
    }
  }
}

/// Whether two layers compute the same.
void check_same_layer(const LayerSpec& found, const LayerSpec& expected) {
  const std::int64_t d_k = head_width(expected);
  CHECK(scale_factor(found.scaling, d_k) == scale_factor(expected.scaling, d_k));
  CHECK(found.temperature == expected.temperature);
  CHECK(found.masking.causal == expected.masking.causal);
  CHECK(found.masking.window == expected.masking.window);
  CHECK(found.interventions == expected.interventions);
  CHECK(found.block == expected.block);
}

}  // namespace

TEST_CASE("what a person edits in a block is a change of the model that does the same",
          "[models][layer_document]") {
  Machine machine;
  for (const std::string& family : arrangements) {
    const Opened o(family);
    samples::Random random(std::hash<std::string>{}(family) % 1000 + 11);
    for (int round = 0; round < 12; ++round) {
      const std::vector<AttentionOf> attentions = attentions_of(o.model->spec);
      const AttentionOf of = attentions[static_cast<std::size_t>(
          random.between(0, static_cast<std::int64_t>(attentions.size()) - 1))];
      const auto blocks = std::ssize(stack_spec(o.model->spec, of).blocks);
      const int block = static_cast<int>(random.between(0, blocks - 1));
      CAPTURE(family, round, static_cast<int>(of), block);
      const BlockTensors tensors = block_tensors(*o.model, of, block);
      ModelChanges changes;
      if (blocks > 1) {  // changes of another block, which stay as they are
        changes.blocks.push_back({.of = of, .block = block == 0 ? 1 : 0, .temperature = 0.9});
        changes.heads.push_back({.of = of, .block = block == 0 ? 1 : 0, .head = 0});
      }
      ModelRun run = run_model(*o.model, o.input, {.changes = changes}, machine.work);
      Document document = layer_document(*o.model, run, tensors, {}, {});
      const bool with_mlp = tensors.layer.block.mlp && tensors.layer.block.kind != Arrangement::PostNorm;
      for (int step = 0; step < 5; ++step) {
        document = edited(std::move(document), with_mlp, random);
        const auto like = changes_like(tensors, changes, document.layer());
        REQUIRE(like);
        LayerSpec again = tensors.layer;
        impose(tensors, *like, again);
        check_same_layer(again, document.layer());
        CHECK(changes_like(tensors, *like, document.layer()) == *like);
        CHECK(changes_like(tensors, *like, again) == *like);
        CHECK((blocks == 1 || like->blocks.front() == changes.blocks.front()));
        CHECK((blocks == 1 || like->heads.front() == changes.heads.front()));
        changes = *like;
      }
      run = run_model(*o.model, o.input, {.changes = changes}, machine.work);
      compare_layer({*o.model, run, of, static_cast<std::size_t>(block)}, document, machine);
    }
  }
}

TEST_CASE("an edit that is taken back leaves no change", "[models][layer_document]") {
  Machine machine;
  const Opened o("gpt2");
  const ModelRun run = run_model(*o.model, o.input, {}, machine.work);
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 1);
  const Document own = layer_document(*o.model, run, tensors, {}, {});
  const auto like = [&](const Document& document, const ModelChanges& before = {}) {
    const auto changes = changes_like(tensors, before, document.layer());
    REQUIRE(changes);
    return *changes;
  };
  CHECK(like(own).empty());
  const Document off = edit::divided(own, false);
  const ModelChanges scale_off{.blocks = {{.block = 1, .scale = 1}}};
  CHECK(like(off) == scale_off);
  CHECK(like(edit::divided(off, true), scale_off).empty());
  const ModelChanges muted{.heads = {{.block = 1, .head = 2}}};
  CHECK(like(edit::mute(own, 2)) == muted);
  CHECK(like(own, muted).empty());
  const ModelChanges unmasked{.blocks = {{.block = 1, .mask_off = true}}};
  CHECK(like(edit::with_mask_choice(own, 0)) == unmasked);
  CHECK(like(edit::with_mask_choice(own, 2)) == unmasked);  // padding has no effect on vectors
  CHECK(like(edit::with_mask_choice(own, 3)).empty());
  // An encoder has no causal mask to remove, but can be given one.
  const Opened encoder("bert");
  const BlockTensors bert = block_tensors(*encoder.model, AttentionOf::Encoder, 0);
  const Document sees_all = layer_document(
      *encoder.model, run_model(*encoder.model, encoder.input, {}, machine.work), bert, {}, {});
  const ModelChanges causal{.blocks = {{.of = AttentionOf::Encoder, .block = 0, .causal = true}}};
  CHECK(changes_like(bert, {}, edit::with_mask_choice(sees_all, 1).layer()) == causal);
  CHECK(changes_like(bert, causal, sees_all.layer()) == ModelChanges{});
  // Numbers in a file in double are not rounded to the layer's floats.
  const ModelChanges third{.blocks = {{.block = 1, .scale = 1.0 / 3, .temperature = 1.0 / 7}}};
  LayerSpec layer = tensors.layer;
  impose(tensors, third, layer);
  CHECK(changes_like(tensors, third, layer) == third);
}

TEST_CASE("edits that a model's changes cannot say make it another layer", "[models][layer_document]") {
  Machine machine;
  const Opened o("gemma2"), post("bert");
  const ModelRun run = run_model(*o.model, o.input, {}, machine.work);
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 0);
  const Document own = layer_document(*o.model, run, tensors, {}, {});
  using Edit = std::function<Document(Document)>;
  const auto layer_edit = [](auto change) {
    return Edit([change](Document document) {
      change(document.layer());
      return document;
    });
  };
  const std::vector<Edit> edits{
      [](Document d) {
        return edit::number(std::move(d), {Editable::QueryWeights, 1, 2}, 5);
      },
      [](Document d) { return edit::zero(std::move(d), Editable::OutputWeights); },
      [](Document d) { return edit::qk_norm(std::move(d), QkNorm::Kind::Layer); },
      [](Document d) { return edit::kv_heads(std::move(d), 4); },
      [](Document d) { return edit::sinks(std::move(d), true); },
      [](Document d) { return edit::hidden_cell(std::move(d), 0, 0, 3, 1, true); },
      [](Document d) { return edit::with_mask_choice(std::move(d), 0); },  // the window stays
      layer_edit([](LayerSpec& l) { l.soft_cap = 3; }),
      layer_edit([](LayerSpec& l) { l.positions = Positions::None; }),
      layer_edit([](LayerSpec& l) { l.position_settings.rope_base = 77; }),
      layer_edit([](LayerSpec& l) { l.softmax = SoftmaxKind::Naive; }),
      layer_edit([](LayerSpec& l) { l.linear = true; }),
      layer_edit([](LayerSpec& l) { l.dropout.rate = 0.5f; }),
      layer_edit([](LayerSpec& l) { l.masking.mistake = MaskMistake::Transposed; }),
      layer_edit([](LayerSpec& l) { l.masking.window.left = 1; }),
      layer_edit([](LayerSpec& l) { l.block.kind = Arrangement::PostNorm; }),
      layer_edit([](LayerSpec& l) { l.block.attention_residual = false; }),
      layer_edit([](LayerSpec& l) { l.block.activation = Activation::Relu; }),
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    CAPTURE(i);
    CHECK_FALSE(changes_like(tensors, {}, edits[i](own).layer()));
  }
  // In a post-norm block a norm follows the MLP: without the MLP it would be missing, too.
  const BlockTensors bert = block_tensors(*post.model, AttentionOf::Encoder, 0);
  LayerSpec layer = bert.layer;
  layer.block.mlp = false;
  CHECK_FALSE(changes_like(bert, {}, layer));
}

TEST_CASE("frozen patterns of a longer text are cut, and keep being the same change",
          "[models][layer_document]") {
  Machine machine;
  const Opened o("llama");
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 1);
  auto pattern = std::make_shared<Tensor>(Shape{20, 24});
  for (std::int64_t i = 0; i < 20; ++i) pattern->matrix()(i, i / 2) = 1;
  const ModelChanges frozen{
      .heads = {{.block = 1, .head = 1, .kind = ChangeKind::Frozen, .tensor = pattern}}};
  const ModelRun run = run_model(*o.model, o.input, {.changes = frozen}, machine.work);
  Document document = layer_document(*o.model, run, tensors, {}, {});
  compare_layer({*o.model, run, AttentionOf::Decoder, 1}, document, machine);
  CHECK(changes_like(tensors, frozen, document.layer()) == frozen);
  auto other = std::make_shared<Tensor>(Shape{1, 9, 9});
  other->matrix().setConstant(1.0f / 9);
  document = edit::freeze(std::move(document), 1, other);
  const auto like = changes_like(tensors, frozen, document.layer());
  REQUIRE(like);
  REQUIRE(like->heads.size() == 1);
  CHECK(*like->heads[0].tensor == Tensor(*other).reshaped(Shape{9, 9}));
}

TEST_CASE("what a layer cannot say of a head is told and kept", "[models][layer_document]") {
  Machine machine;
  const Opened o("llama");
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 1);
  const auto patch = std::make_shared<Tensor>(Shape{9, 4});
  const ModelChanges changes{
      .heads = {{.block = 1, .head = 0, .kind = ChangeKind::Replaced, .tensor = patch},
                {.block = 1, .head = 3, .kind = ChangeKind::Zero, .rows = {2}},
                {.block = 0, .head = 1, .kind = ChangeKind::Replaced, .tensor = patch}}};
  CHECK(left_out(tensors, changes) ==
        "The output of heads 1.0, 1.3 is changed in the model in a way that this layer by itself does not "
        "show.");
  const ModelRun run = run_model(*o.model, o.input, {.changes = changes}, machine.work);
  Document document = layer_document(*o.model, run, tensors, {}, {});
  CHECK(document.layer().interventions.empty());
  CHECK(changes_like(tensors, changes, document.layer()) == changes);
  const auto like = changes_like(tensors, changes, edit::divided(document, false).layer());
  REQUIRE(like);
  CHECK(like->heads == changes.heads);
  // A pattern put in after it takes the place of the output.
  const auto uniform =
      changes_like(tensors, changes, edit::intervention(document, 0, LayerKind::Uniform).layer());
  REQUIRE(uniform);
  CHECK(left_out(tensors, *uniform) ==
        "The output of head 1.3 is changed in the model in a way that this layer by itself does not show.");
}

}  // namespace attnscope::layer_edits_test
