#include "core/models/opened/layer_changes.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/document/attention_settings.hpp"
#include "core/document/document.hpp"
#include "core/models/changes.hpp"
#include "core/models/run_heads.hpp"
#include "core/models/staged_attention.hpp"

namespace attnscope {
namespace {

using ChangeKind = HeadChange::Kind;
using LayerKind = Intervention::Kind;

/// Whether a layer's interventions can express the change.
bool is_intervention(const HeadChange& change) {
  return change.rows.empty() && change.kind != ChangeKind::Replaced;
}

/// A head of the layer as the changes leave it.
struct HeadInLayer {
  Intervention shown;
  bool more = false;  // a later change cannot be expressed by the layer
};

/// [heads]; the changes of each head are applied in their order.
std::vector<HeadInLayer> heads_in_layer(const BlockTensors& block, const ModelChanges& changes) {
  std::vector<HeadInLayer> heads(static_cast<std::size_t>(block.layer.heads));
  for (const HeadChange& change : changes.heads) {
    if (change.of != block.of || change.block != block.block || change.head < 0 ||
        std::cmp_greater_equal(change.head, heads.size()))
      continue;
    HeadInLayer& head = heads[static_cast<std::size_t>(change.head)];
    const LayerKind now = head.shown.kind;
    if (!is_intervention(change)) {
      head.more = true;
    } else if (change.kind == ChangeKind::Mean && (now != LayerKind::None || head.more)) {
      // The mean of equal rows is the row itself.
      head.more = head.more || (now != LayerKind::Mute && now != LayerKind::Mean);
    } else {
      head = {};
      head.shown.kind = std::ranges::find(changes_in_layer, change.kind, &ChangeInLayer::change)->layer;
      if (change.kind == ChangeKind::Frozen)
        head.shown.frozen = std::make_shared<const Tensor>(
            Tensor(*change.tensor).reshaped(Shape{1, change.tensor->shape()[0], change.tensor->shape()[1]}));
    }
  }
  return heads;
}

/// The stack that the MLP belongs to: behind cross-attention the decoder.
AttentionOf mlp_of(const BlockTensors& block) {
  return block.of == AttentionOf::Cross ? AttentionOf::Decoder : block.of;
}

void silence(LayerSpec& layer, Parameter matrix, Parameter bias) {
  layer.weights[matrix] = std::make_shared<const Tensor>(layer.weights[matrix]->shape());
  layer.weights[bias] = nullptr;
}

bool stands_without_mlp(const BlockSettings& block) {
  return block.mlp && block.kind != Arrangement::PostNorm;
}

void impose_heads(const BlockTensors& block, const ModelChanges& changes, LayerSpec& layer) {
  layer.interventions.clear();
  bool any = false;
  for (HeadInLayer& head : heads_in_layer(block, changes)) {
    any = any || head.shown.kind != LayerKind::None;
    layer.interventions.push_back(std::move(head.shown));
  }
  if (!any) layer.interventions.clear();
}

Intervention intervention_of(const LayerSpec& layer, std::size_t head) {
  return head < layer.interventions.size() ? layer.interventions[head] : Intervention{};
}

/// Whether two interventions are equal; a frozen pattern may have been cut to the text's length.
bool is_same(const Intervention& was, const Intervention& now) {
  if (was.kind != now.kind) return false;
  if (was.kind != LayerKind::Frozen || was.frozen == now.frozen) return true;
  if (!was.frozen || !now.frozen || now.frozen->shape().rank() != 3 || now.frozen->shape()[0] != 1)
    return false;
  const auto whole = was.frozen->matrix(), part = now.frozen->matrix();
  return part.rows() <= whole.rows() && part.cols() <= whole.cols() &&
         whole.topLeftCorner(part.rows(), part.cols()) == part;
}

HeadChange change_like(const BlockTensors& block, std::size_t head, const Intervention& now) {
  HeadChange change{.of = block.of, .block = block.block, .head = static_cast<int>(head)};
  change.kind = std::ranges::find(changes_in_layer, now.kind, &ChangeInLayer::layer)->change;
  if (now.kind == LayerKind::Frozen && now.frozen)
    change.tensor = std::make_shared<const Tensor>(
        Tensor(*now.frozen).reshaped(Shape{now.frozen->shape()[1], now.frozen->shape()[2]}));
  return change;
}

/// Puts the head's change where its previous one was, else at the end.
void put_head(const BlockTensors& block, std::size_t head, const Intervention& now,
              std::vector<HeadChange>& changes) {
  auto at = changes.end();
  for (auto change = changes.begin(); change != changes.end();) {
    const bool shown = change->of == block.of && change->block == block.block &&
                       std::cmp_equal(change->head, head) && is_intervention(*change);
    if (!shown) {
      ++change;
      continue;
    }
    const bool first = at == changes.end();
    const auto index = at - changes.begin();
    change = changes.erase(change);
    at = first ? change : changes.begin() + index;
    if (first && change == changes.end()) break;
  }
  if (now.kind != LayerKind::None) changes.insert(at, change_like(block, head, now));
}

/// Puts the change where the first one of its block was; removes it if it changes nothing.
void put_block(const BlockChange& change, std::vector<BlockChange>& changes) {
  const auto is_of_it = [&](const BlockChange& other) {
    return other.of == change.of && other.block == change.block;
  };
  const auto index = std::ranges::find_if(changes, is_of_it) - changes.begin();
  std::erase_if(changes, is_of_it);
  if (change != BlockChange{.of = change.of, .block = change.block})
    changes.insert(changes.begin() + index, change);
}

/// Compares without padding, which hides nothing in vector inputs.
bool is_same(Masking was, const Masking& now) {
  was.padding = now.padding;
  return was == now;
}

/// Replaces tensors that have equal numbers by the same tensor: parts that are off get new zeros each time.
void share_equal(const Weights& from, Weights& to) {
  for (const ParameterInfo& row : parameter_table) {
    const TensorPtr &was = from[row.parameter], &now = to[row.parameter];
    if (was != now && was && now && *was == *now) to[row.parameter] = was;
  }
}

/// Turns a user's edits of a layer into changes, setting by setting.
class EditReader {
 public:
  EditReader(const BlockTensors& block, const ModelChanges& before, const LayerSpec& shown,
             const LayerSpec& layer)
      : block_(block), was_(shown), now_(layer), changes_(before) {
    share_equal(was_.weights, now_.weights);
  }

  std::optional<ModelChanges> read() {
    read_block();
    read_mlp();
    read_heads();
    if (now_ != was_) return std::nullopt;
    return std::move(changes_);
  }

 private:
  void read_block() {
    const auto index = static_cast<std::size_t>(block_.block);
    BlockChange change = change_of(changes_, block_.of, index);
    const BlockChange before = change;
    const std::int64_t d_k = head_width(block_.layer);
    const auto factor = [d_k](const LayerSpec& layer) { return scale_factor(layer.scaling, d_k); };
    if (factor(now_) != factor(was_)) {
      change.scale = factor(now_);
      if (change.scale == factor(block_.layer)) change.scale.reset();
    }
    now_.scaling = was_.scaling;
    if (now_.temperature != was_.temperature) change.temperature = static_cast<double>(now_.temperature);
    now_.temperature = was_.temperature;
    read_mask(change);
    read_attention(change);
    if (change != before) put_block(change, changes_.blocks);
  }

  /// The mask as switches of the change, if it is one.
  void read_mask(BlockChange& change) {
    const Masking& settings = settings_of(change).masking;
    Masking own = settings;
    // A painted mask that is switched off is not in the layer on screen, and does not come back with another
    // rule.
    if (!change.mask_off || !settings.additive) own.additive = was_.masking.additive;
    Masking off = own, causal = own;
    off.causal = false;
    off.window = {};
    off.sparsity = {};
    off.heads.clear();
    off.mistake = MaskMistake::None;
    if (settings.additive) off.additive = change.mask_off ? was_.masking.additive : nullptr;
    causal.causal = true;
    if (!is_same(was_.masking, now_.masking)) {
      if (is_same(own, now_.masking))
        change.mask_off = change.causal = false;
      else if (own.causal && is_same(off, now_.masking))
        change.mask_off = true;
      else if (!own.causal && block_.of != AttentionOf::Cross && is_same(causal, now_.masking))
        change.causal = true;
      else
        return;
    }
    now_.masking = was_.masking;
  }

  /// The settings below the switches: the model's, or those of an earlier change.
  const LayerSpec& settings_of(const BlockChange& change) const {
    return change.attention ? change.attention->read() : block_.layer;
  }

  /// All other settings of the attention, as the layer has them.
  void read_attention(BlockChange& change) {
    if (block_.of == AttentionOf::Cross || !can_have_inside(now_.positions, block_.layer)) return;
    if (is_same(was_.masking, now_.masking)) now_.masking.padding = was_.masking.padding;
    const LayerSpec own = attention_only(block_.layer), was = attention_only(was_),
                    now = attention_only(now_);
    if (was == now) return;
    LayerSpec made = attention_only(settings_of(change));
    copy_edited_attention(was, now, made);
    if (was.masking != now.masking) {
      // The mask's switches are in it from now on, and what one that is off had taken away stays away.
      if (change.mask_off) {
        made.masking.sparsity = now.masking.sparsity;
        made.masking.heads = now.masking.heads;
        made.masking.mistake = now.masking.mistake;
        if (settings_of(change).masking.additive) made.masking.additive = now.masking.additive;
      }
      made.masking.causal = now.masking.causal;
      made.masking.window = now.masking.window;
      change.mask_off = change.causal = false;
    }
    change.attention.reset();
    if (made != own) change.attention = SharedValue<LayerSpec>(std::move(made));
    copy_attention(was, now_);
  }

  void read_mlp() {
    if (now_.block.mlp == was_.block.mlp || !stands_without_mlp(block_.layer.block)) return;
    BlockChange change = change_of(changes_, mlp_of(block_), static_cast<std::size_t>(block_.block));
    change.mlp_off = !now_.block.mlp;
    put_block(change, changes_.blocks);
    now_.block.mlp = was_.block.mlp;
  }

  void read_heads() {
    if (now_.interventions.size() > static_cast<std::size_t>(block_.layer.heads)) return;
    for (std::size_t h = 0; h < static_cast<std::size_t>(block_.layer.heads); ++h) {
      const Intervention now = intervention_of(now_, h);
      if (!is_same(intervention_of(was_, h), now)) put_head(block_, h, now, changes_.heads);
    }
    now_.interventions = was_.interventions;
  }

  const BlockTensors& block_;
  LayerSpec was_, now_;
  ModelChanges changes_;
};

}  // namespace

bool can_have_inside(Positions positions, const LayerSpec& own) {
  return position_facts(positions).refused_inside.empty() || positions == own.positions;
}

RunSizes sizes_of(const Model& model, const ModelRun& run, const BlockTensors& block) {
  const auto index = static_cast<std::size_t>(block.block);
  const StackRun& stack = stack_of(model, run, block.of).run;
  const bool cross = block.of == AttentionOf::Cross;
  RunSizes sizes{.queries = stack.hidden[index].rows()};
  sizes.keys = cross ? run.encoder.normed.rows() : sizes.queries;
  sizes.hidden = hidden_keys(key_mask(model.spec, run, block.of), sizes.queries);
  return sizes;
}

void impose(const BlockTensors& block, const ModelChanges& changes, const RunSizes& sizes, LayerSpec& layer) {
  const LayerSpec& own = block.layer;
  const auto index = static_cast<std::size_t>(block.block);
  const BlockChange change = change_of(changes, block.of, index);
  put_attention(change, own, sizes.queries, sizes.keys, sizes.hidden, layer);
  impose_heads(block, changes, layer);
  for (const Parameter which : {Parameter::WOutput, Parameter::BOutput, Parameter::WDown, Parameter::BDown})
    layer.weights[which] = own.weights[which];
  layer.block.mlp = own.block.mlp;
  if (change.attention_off) silence(layer, Parameter::WOutput, Parameter::BOutput);
  if (!own.block.mlp || !change_of(changes, mlp_of(block), index).mlp_off) return;
  if (stands_without_mlp(own.block))
    layer.block.mlp = false;
  else
    silence(layer, Parameter::WDown, Parameter::BDown);
}

std::string left_out(const BlockTensors& block, const ModelChanges& changes) {
  std::vector<std::string> names;
  const std::vector<HeadInLayer> heads = heads_in_layer(block, changes);
  for (std::size_t h = 0; h < heads.size(); ++h)
    if (heads[h].more) names.push_back(fmt::format("{}.{}", block.block, h));
  if (names.empty()) return {};
  const bool one = names.size() == 1;
  return fmt::format(
      "The output of head{} {} is changed in the model in a way that this layer by itself does not show.",
      one ? "" : "s", fmt::join(names, ", "));
}

std::optional<ModelChanges> changes_like(const BlockTensors& block, const ModelChanges& before,
                                         const LayerSpec& shown, const LayerSpec& layer) {
  return EditReader(block, before, shown, layer).read();
}

std::string_view why_outside(AttentionOf of, const LayerSpec& shown, const LayerSpec& layer) {
  const auto widths = [](const LayerSpec& one) {
    return std::tuple(one.d_model, one.heads, one.kv_heads, one.d_k, one.d_v);
  };
  if (widths(shown) != widths(layer)) return "Inside a model a layer keeps its width and its heads.";
  if (shown.add_zero_attn != layer.add_zero_attn || shown.latent != layer.latent)
    return "Inside a model a layer keeps its keys.";
  if (of == AttentionOf::Cross && attention_only(shown) != attention_only(layer))
    return "Inside a model the attention to the encoder keeps its mask, its positions and its softmax.";
  if (shown.positions != layer.positions && !can_have_inside(layer.positions, shown))
    return "Inside a model a layer has no positions that are added to the tokens or need a learned table.";
  if (shown.dropout != layer.dropout) return "Inside a model nothing is dropped out.";
  if (shown.weights != layer.weights) return "Inside a model a layer keeps its weights.";
  if (shown.block != layer.block)
    return "Inside a model a block keeps its arrangement; its MLP can be switched off.";
  return "What was changed cannot be changed inside the model.";
}

}  // namespace attnscope
