// An edit of a model's block becomes a change of the model with the same effect.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/document/attention_settings.hpp"
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

/// A random setting of a layer's attention that a block inside a model can have.
Document with_setting(Document document, samples::Random& random) {
  LayerSpec& layer = document.layer();
  switch (random.between(0, 10)) {
    case 0: layer.linear = !layer.linear; break;
    case 1: layer.positions = Positions::Alibi; break;
    case 2: layer.positions = Positions::None; break;
    case 3: layer.positions = Positions::RopeHalf; break;
    case 4: layer.soft_cap = random.coin() ? 2.5f : 0; break;
    case 5: layer.masking.window = {static_cast<int>(random.between(0, 4)), -1}; break;
    case 6: layer.masking.sparsity.kind = Sparsity::Kind::Strided; break;
    case 7: layer.softmax = SoftmaxKind::Naive; break;
    case 8: layer.masking.hidden = Masking::Hidden::MinusBillion; break;
    case 9: layer.qk_norm.kind = QkNorm::Kind::Layer; break;
    default:
      return edit::hidden_cell(std::move(document), 0, random.between(0, layer.heads - 1),
                               random.between(1, 8), random.between(0, 1), true);
  }
  return document;
}

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
  CHECK(attention_only(found) == attention_only(expected));
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
      const auto blocks = std::ssize(o.model->spec.stack(of).blocks);
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
        document = of != AttentionOf::Cross && random.coin() ? with_setting(std::move(document), random)
                                                             : edited(std::move(document), with_mlp, random);
        const RunSizes sizes = sizes_of(*o.model, run, tensors);
        const auto like = like_of(tensors, changes, document.layer(), sizes);
        REQUIRE(like);
        LayerSpec again = tensors.layer;
        impose(tensors, *like, sizes, again);
        check_same_layer(again, document.layer());
        CHECK(like_of(tensors, *like, document.layer(), sizes) == *like);
        CHECK(like_of(tensors, *like, again, sizes) == *like);
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
    const auto changes = like_of(tensors, before, document.layer());
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
  CHECK(like_of(bert, {}, edit::with_mask_choice(sees_all, 1).layer()) == causal);
  CHECK(like_of(bert, causal, sees_all.layer()) == ModelChanges{});
  // Numbers in a file in double are not rounded to the layer's floats.
  const ModelChanges third{.blocks = {{.block = 1, .scale = 1.0 / 3, .temperature = 1.0 / 7}}};
  LayerSpec layer = tensors.layer;
  impose(tensors, third, {9, 9}, layer);
  CHECK(like_of(tensors, third, layer) == third);
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
  const std::vector<std::pair<std::string, Edit>> edits{
      {"its weights",
       [](Document d) {
         return edit::number(std::move(d), {Editable::QueryWeights, 1, 2}, 5);
       }},
      {"its weights", [](Document d) { return edit::zero(std::move(d), Editable::OutputWeights); }},
      {"its width and its heads", [](Document d) { return edit::kv_heads(std::move(d), 4); }},
      {"its weights", [](Document d) { return edit::sinks(std::move(d), true); }},
      {"its keys", layer_edit([](LayerSpec& l) { l.add_zero_attn = true; })},
      {"added to the tokens", layer_edit([](LayerSpec& l) { l.positions = Positions::Learned; })},
      {"added to the tokens", layer_edit([](LayerSpec& l) { l.positions = Positions::Sinusoidal; })},
      {"learned table", layer_edit([](LayerSpec& l) { l.positions = Positions::RelativeBuckets; })},
      {"dropped out", layer_edit([](LayerSpec& l) { l.dropout.rate = 0.5f; })},
      {"its arrangement", layer_edit([](LayerSpec& l) { l.block.kind = Arrangement::PostNorm; })},
      {"its arrangement", layer_edit([](LayerSpec& l) { l.block.attention_residual = false; })},
      {"its arrangement", layer_edit([](LayerSpec& l) { l.block.activation = Activation::Relu; })},
  };
  for (const auto& [why, edited] : edits) {
    CAPTURE(why);
    const LayerSpec layer = edited(own).layer();
    CHECK_FALSE(like_of(tensors, {}, layer));
    CHECK_THAT(std::string(why_outside(tensors.of, own.layer(), layer)), ContainsSubstring(why));
  }
  // In a post-norm block a norm follows the MLP: without the MLP it would be missing, too.
  const BlockTensors bert = block_tensors(*post.model, AttentionOf::Encoder, 0);
  LayerSpec layer = bert.layer;
  layer.block.mlp = false;
  CHECK_FALSE(like_of(bert, {}, layer));
}

TEST_CASE("a block with settings of its own: the whole model follows, and a painted mask fits other texts",
          "[models][layer_document]") {
  Machine machine;
  for (const std::string family : {"llama", "bloom"}) {
    CAPTURE(family);
    const Opened o(family);
    const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 0);
    const ModelRun run = run_model(*o.model, o.input, {}, machine.work);
    const Document own = layer_document(*o.model, run, tensors, {}, {});
    const auto changed = [&](const LayerSpec& layer, const ModelInput& input) {
      const auto changes = like_of(tensors, {}, layer);
      REQUIRE(changes);
      REQUIRE(changes->blocks.size() == 1);
      REQUIRE(changes->blocks[0].attention);
      ModelRun made = run_model(*o.model, input,
                                {.entropy = true, .received = true, .picture_side = 4, .changes = *changes},
                                machine.work);
      compare_all(*o.model, made, machine);
      const AttentionRun& attention = made.decoder.attention[0];
      CHECK(attention.entropy.shape() == Shape{tensors.layer.heads, std::ssize(input.ids)});
      CHECK(attention.pictures.mean.size() > 0);
      // A pattern on top of the settings, and the mean of a head.
      ModelChanges more = *changes;
      more.heads = {{.block = 0, .head = 1, .kind = ChangeKind::Uniform}};
      // A layer's mean is over hidden tokens, too.
      if (input.mask.empty()) more.heads.push_back({.block = 0, .head = 0, .kind = ChangeKind::Mean});
      compare_all(*o.model, run_model(*o.model, input, {.changes = more}, machine.work), machine);
      if (layer.linear) return made;  // has neither scale nor temperature
      // Its scale and temperature are the block's as well, in the pass and in the layer.
      ModelChanges sharper = *changes;
      sharper.blocks[0].scale = 0.75;
      sharper.blocks[0].temperature = 0.5;
      const ModelRun sharp = run_model(*o.model, input, {.changes = sharper}, machine.work);
      CHECK(sharp.logits.values != made.logits.values);
      compare_all(*o.model, sharp, machine);
      const LayerSpec shown = layer_document(*o.model, sharp, tensors, {}, {}).layer();
      CHECK(scale_factor(shown.scaling, head_width(shown)) == 0.75);
      CHECK(shown.temperature == 0.5f);
      return made;
    };
    // The model's own settings, computed by the stages: the same numbers.
    LayerSpec layer = tensors.layer;
    layer.masking.hidden = Masking::Hidden::MinusBillion;
    const ModelRun same = changed(layer, o.input);
    CHECK(same.decoder.attention[0].staged);
    const Eigen::Map<const Eigen::ArrayXf> found(same.logits.values.data(), std::ssize(same.logits.values)),
        expected(run.logits.values.data(), std::ssize(run.logits.values));
    CHECK((found - expected).abs().maxCoeff() < 2e-5f * expected.abs().maxCoeff());
    layer = tensors.layer;
    layer.linear = true;
    const ModelRun linear = changed(layer, o.input);
    CHECK(linear.logits.values != run.logits.values);
    layer = tensors.layer;
    layer.positions = family == "llama" ? Positions::Alibi : Positions::None;
    const ModelRun other = changed(layer, o.input);
    CHECK(other.logits.values != run.logits.values);
    CHECK_FALSE(other.decoder.attention[0].staged);  // swept, as the model's own
    // Painted over 9 tokens: 6 see the corner of the mask, 12 see its cells and nothing more.
    const LayerSpec painted = edit::hidden_cell(own, 0, 1, 5, 2, true).layer();
    for (const std::size_t tokens : {6u, 9u, 12u}) {
      ModelInput text = o.input;
      text.ids.resize(tokens, 1);
      const ModelRun made = changed(painted, text);
      const Tensor weights = head_weights(*o.model, made, AttentionOf::Decoder, 0, 1, machine.work);
      CHECK(weights.matrix()(5, 2) == 0);
      CHECK(weights.matrix()(5, 1) > 0);
      // The input's own mask comes on top.
      if (family == "bloom") continue;  // does not count hidden tokens between others
      text.mask.assign(tokens, 1);
      text.mask[1] = 0;
      const ModelRun hidden = changed(painted, text);
      const Tensor left = head_weights(*o.model, hidden, AttentionOf::Decoder, 0, 1, machine.work);
      CHECK(left.matrix().col(1).cwiseAbs().maxCoeff() == 0);
      CHECK(left.matrix()(5, 2) == 0);
      const Document document = layer_document(*o.model, hidden, tensors, {}, {});
      CHECK(changes_like(tensors, hidden.changes, document.layer(), document.layer()) == hidden.changes);
    }
  }
}

TEST_CASE("settings that a block inside a model cannot have are refused by name",
          "[models][layer_document]") {
  Machine machine;
  const Opened o("t5");
  const auto refusal = [&](AttentionOf of, auto change) {
    LayerSpec layer;
    layer.positions = Positions::None;
    change(layer);
    ModelChanges changes{
        .blocks = {{.of = of, .block = 1, .attention = SharedValue<LayerSpec>(attention_only(layer))}}};
    std::string error;
    try {
      run_model(*o.model, o.input, {.changes = changes}, machine.work);
    } catch (const Error& thrown) {
      error = thrown.what();
    }
    return error;
  };
  const auto nothing = [](LayerSpec&) {};
  CHECK_THAT(refusal(AttentionOf::Cross, nothing),
             ContainsSubstring("Layer 1") && ContainsSubstring("attention to the encoder"));
  CHECK_THAT(refusal(AttentionOf::Decoder, [](LayerSpec& l) { l.positions = Positions::Learned; }),
             ContainsSubstring("added to the tokens"));
  CHECK_THAT(refusal(AttentionOf::Decoder,
                     [](LayerSpec& l) {
                       l.positions = Positions::RelativeBuckets;
                       l.position_settings.buckets = 6;
                     }),
             ContainsSubstring("relative buckets"));
  CHECK_THAT(refusal(AttentionOf::Encoder,
                     [](LayerSpec& l) {
                       l.masking.additive = std::make_shared<Tensor>(Shape{1, 3, 4, 4});
                     }),
             ContainsSubstring("painted mask"));
  CHECK_THAT(refusal(AttentionOf::Encoder, [](LayerSpec& l) { l.soft_cap = -1; }),
             ContainsSubstring("soft-cap"));
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
  CHECK(like_of(tensors, frozen, document.layer()) == frozen);
  auto other = std::make_shared<Tensor>(Shape{1, 9, 9});
  other->matrix().setConstant(1.0f / 9);
  document = edit::freeze(std::move(document), 1, other);
  const auto like = like_of(tensors, frozen, document.layer());
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
  CHECK(like_of(tensors, changes, document.layer()) == changes);
  const auto like = like_of(tensors, changes, edit::divided(document, false).layer());
  REQUIRE(like);
  CHECK(like->heads == changes.heads);
  // A pattern put in after it takes the place of the output.
  const auto uniform = like_of(tensors, changes, edit::intervention(document, 0, LayerKind::Uniform).layer());
  REQUIRE(uniform);
  CHECK(left_out(tensors, *uniform) ==
        "The output of head 1.3 is changed in the model in a way that this layer by itself does not show.");
}

}  // namespace attnscope::layer_edits_test
