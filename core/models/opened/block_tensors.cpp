#include "core/models/opened/block_tensors.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/document/attention_settings.hpp"
#include "core/document/document.hpp"
#include "core/models/opened/dense_columns.hpp"
#include "core/models/stack_problem.hpp"

namespace attnscope {
namespace {

TensorPtr row_of(const std::vector<float>& numbers) {
  if (numbers.empty()) return nullptr;
  return std::make_shared<const Tensor>(Shape{std::ssize(numbers)}, numbers);
}

PositionSettings rotary_settings(const RopeSettings& rope, std::int64_t d_k) {
  PositionSettings settings;
  settings.rope_base = static_cast<float>(rope.base);
  settings.rope_dims = rope.rotated == d_k ? 0 : static_cast<int>(rope.rotated);
  settings.rope_divisors = row_of(rope.divisors);
  settings.rope_scaling = rope.scaling;
  if (rope.scaling == RopeScaling::None) return settings;
  settings.rope_factor = static_cast<float>(rope.factor);
  if (rope.trained_positions > 0) settings.rope_trained = static_cast<int>(rope.trained_positions);
  if (rope.scaling == RopeScaling::Llama3) {
    settings.rope_low_turns = static_cast<float>(rope.low_frequency);
    settings.rope_high_turns = static_cast<float>(rope.high_frequency);
  }
  if (rope.scaling == RopeScaling::Yarn) {
    settings.rope_slow_turns = static_cast<float>(rope.slow);
    settings.rope_fast_turns = static_cast<float>(rope.fast);
    settings.rope_truncate = rope.truncate;
    if (rope.magnitude) settings.rope_magnitude = static_cast<float>(*rope.magnitude);
  }
  return settings;
}

class LayerMaker {
 public:
  LayerMaker(const Model& model, AttentionOf of, std::size_t block)
      : spec_(model.spec),
        cross_(of == AttentionOf::Cross),
        stack_(of == AttentionOf::Encoder ? *spec_.encoder : *spec_.decoder),
        stack_weights_(of == AttentionOf::Encoder ? model.encoder : model.decoder),
        of_(stack_.blocks[block]),
        weights_(stack_weights_.blocks[block]) {}

  LayerSpec make() {
    layer_.d_model = spec_.d_model;
    layer_.heads = of_.heads;
    const int kv_heads = cross_ ? of_.heads : of_.kv_heads;
    layer_.kv_heads = kv_heads == of_.heads ? 0 : kv_heads;
    layer_.d_k = of_.d_k * of_.heads == spec_.d_model ? 0 : of_.d_k;
    layer_.weights.recipe = Recipe::Given;
    layer_.scaling = scaling_of(of_.scale, of_.d_k);
    set_attention();
    add_attention();
    add_block();
    return std::move(layer_);
  }

  LayerSpec attention() {
    set_attention();
    return attention_only(layer_);
  }

 private:
  void set_attention() {
    layer_.soft_cap = static_cast<float>(stack_.soft_cap);
    layer_.positions = Positions::None;
    if (cross_) return;
    add_mask();
    add_positions();
    add_head_norms();
  }

  TensorPtr& at(Parameter which) { return layer_.weights[which]; }

  void add_mask() {
    layer_.masking.causal = stack_.causal;
    if (of_.window == 0) return;
    const auto reach = static_cast<int>(of_.window - 1);
    layer_.masking.window = {reach, stack_.causal ? -1 : reach};
  }

  void add_positions() {
    PositionSettings& settings = layer_.position_settings;
    switch (stack_.positions) {
      case Positions::Learned: break;
      case Positions::Alibi: layer_.positions = stack_.positions; break;
      case Positions::RopeHalf:
      case Positions::RopeInterleaved:
        if (!of_.rotary) break;
        layer_.positions = stack_.positions;
        settings = rotary_settings(stack_.rope, of_.d_k);
        break;
      case Positions::RelativeBuckets:
        layer_.positions = stack_.positions;
        settings.buckets = stack_.buckets;
        settings.bucket_distance = stack_.bucket_distance;
        settings.buckets_two_sided = !stack_.causal;
        at(Parameter::RelativeBias) =
            std::make_shared<const Tensor>(Shape{stack_.buckets, of_.heads}, stack_weights_.relative_bias);
        break;
      case Positions::None:
      case Positions::Sinusoidal:
      case Positions::RelativeWindows:
      case Positions::Disentangled: refuse_positions(stack_.positions);
    }
  }

  void add_head_norms() {
    if (!stack_.head_norms) return;
    layer_.qk_norm = {QkNorm::Kind::RootMeanSquare, static_cast<float>(stack_.norm.epsilon)};
    at(Parameter::QueryNorm) = row_of(weights_.attention.query_norm.weight);
    at(Parameter::KeyNorm) = row_of(weights_.attention.key_norm.weight);
  }

  void add_attention() {
    const AttentionWeights& from = cross_ ? weights_.cross : weights_.attention;
    const HeadColumns& columns = from.columns;
    const std::int64_t d_k = of_.d_k, kv_heads = layer_.kv_heads == 0 ? of_.heads : layer_.kv_heads;
    const auto add = [&](Parameter matrix, Parameter bias, const std::vector<LinearMap>& maps,
                         const ColumnsOfHeads& of) {
      at(matrix) = dense_columns(maps, of);
      at(bias) = bias_columns(maps, of);
    };
    if (cross_)
      add_map(Parameter::WQuery, Parameter::BQuery, weights_.cross_query);
    else
      add(Parameter::WQuery, Parameter::BQuery, from.maps, {columns.query, columns.stride, of_.heads, d_k});
    add(Parameter::WKey, Parameter::BKey, from.maps, {columns.key, columns.stride, kv_heads, d_k});
    add(Parameter::WValue, Parameter::BValue, from.maps, {columns.value, columns.stride, kv_heads, d_k});
    add_map(Parameter::WOutput, Parameter::BOutput, from.output);
    layer_.weights.biases = static_cast<bool>(at(Parameter::BQuery));
  }

  void add_map(Parameter matrix, Parameter bias, const LinearMap& map) {
    at(matrix) = dense_matrix(map);
    at(bias) = whole_bias(map);
  }

  void add_block() {
    BlockSettings& block = layer_.block;
    block.kind = stack_.arrangement;
    block.norm = stack_.norm.kind;
    block.epsilon = static_cast<float>(stack_.norm.epsilon);
    block.mlp = cross_ || !stack_.cross;
    block.gated = weights_.gate.has_value();
    block.activation = stack_.activation;
    block.d_inner = spec_.d_inner == 4 * spec_.d_model ? 0 : spec_.d_inner;
    add_norm(Parameter::AttentionNorm, cross_ ? weights_.cross_norm : weights_.attention_norm);
    add_norm(Parameter::OutputNorm, weights_.after_attention_norm);
    add_norm(Parameter::MlpNorm, weights_.mlp_norm);
    add_norm(Parameter::MlpOutputNorm, weights_.after_mlp_norm);
    if (!block.mlp) return;
    add_map(Parameter::WUp, Parameter::BUp, weights_.up);
    if (weights_.gate) add_map(Parameter::WGate, Parameter::BGate, *weights_.gate);
    add_map(Parameter::WDown, Parameter::BDown, weights_.down);
  }

  /// Adds a norm; its bias is the next parameter. Throws Error if the model lacks a norm that the arrangement
  /// needs: weights of 1 in its place would be another layer.
  void add_norm(Parameter weight, const NormWeights& norm) {
    if (!reads(layer_.block, weight)) return;
    if (!norm.exists())
      throw Error(fmt::format("The blocks of {} lack {}, so they are no blocks of a kind that is known here.",
                              spec_.family, info(weight).name));
    at(weight) = row_of(norm.weight);
    at(static_cast<Parameter>(static_cast<int>(weight) + 1)) = row_of(norm.bias);
  }

  const ModelSpec& spec_;
  const bool cross_;
  const StackSpec& stack_;
  const StackWeights& stack_weights_;
  const AttentionSpec& of_;
  const BlockWeights& weights_;
  LayerSpec layer_;
};

void check_block(const ModelSpec& spec, AttentionOf of, int block) {
  const std::optional<StackSpec>& stack = of == AttentionOf::Encoder ? spec.encoder : spec.decoder;
  if (!stack || (of == AttentionOf::Cross && !stack->cross))
    throw Error(fmt::format("{} has no {}.", spec.family,
                            of == AttentionOf::Encoder   ? "encoder"
                            : of == AttentionOf::Decoder ? "decoder"
                                                         : "attention to an encoder"));
  if (block < 0 || block >= std::ssize(stack->blocks))
    throw Error(fmt::format("There is no layer {}; the model has 0 to {}.", block, stack->blocks.size() - 1));
  check_arrangement(*stack);
  if (stack->residual_after_norm)
    throw Error(fmt::format(
        "This model of {} adds to the stream after the norm, not to the stream itself; a layer by itself "
        "has no such arrangement, so its blocks cannot be opened.",
        spec.family));
  if (stack->cross && stack->arrangement != Arrangement::PreNorm)
    throw Error(fmt::format(
        "The blocks of {} attend to an encoder and are not pre-norm; such blocks cannot be opened.",
        spec.family));
  if (spec.d_model > max_d_model)
    throw Error(fmt::format("The vectors of {} have {} numbers; a layer by itself has at most {}.",
                            spec.family, spec.d_model, max_d_model));
}

}  // namespace

BlockTensors block_tensors(const Model& model, AttentionOf of, int block) {
  check_block(model.spec, of, block);
  return {of, block, LayerMaker(model, of, static_cast<std::size_t>(block)).make()};
}

LayerSpec own_attention(const Model& model, AttentionOf of, int block) {
  return LayerMaker(model, of, static_cast<std::size_t>(block)).attention();
}

Scaling scaling_of(double scale, std::int64_t d_k) {
  for (const Scaling::Kind kind : {Scaling::Kind::InverseSqrtDk, Scaling::Kind::Off})
    if (scale_factor({.kind = kind}, d_k) == scale) return {.kind = kind};
  return {Scaling::Kind::Factor, static_cast<float>(scale)};
}

std::int64_t head_width(const LayerSpec& layer) {
  return layer.d_k == 0 ? layer.d_model / std::max(1, layer.heads) : layer.d_k;
}

}  // namespace attnscope
