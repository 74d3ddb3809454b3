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
#include "core/models/staged_attention.hpp"

namespace attnscope {
namespace {

class LayerMaker {
 public:
  LayerMaker(const Model& model, AttentionOf of, std::size_t block)
      : spec_(model.spec),
        cross_(of == AttentionOf::Cross),
        stack_(spec_.stack(of)),
        stack_weights_(of == AttentionOf::Encoder ? model.encoder : model.decoder),
        block_(block),
        of_(stack_.blocks[block]),
        weights_(stack_weights_.blocks[block]),
        layer_(of_) {}

  LayerSpec make() {
    if (layer_.kv_heads == layer_.heads || cross_) layer_.kv_heads = 0;
    if (layer_.d_k * layer_.heads == layer_.d_model) layer_.d_k = 0;
    if (layer_.block.d_inner == 4 * layer_.d_model) layer_.block.d_inner = 0;
    layer_.block.mlp = (cross_ || !stack_.cross) && !weights_.mixture;
    layer_.weights.recipe = Recipe::Given;
    if (cross_) {
      layer_.positions = Positions::None;
      layer_.position_settings = {};
      layer_.masking = {};
      layer_.qk_norm = {};
    }
    add_attention();
    add_block();
    return std::move(layer_);
  }

 private:
  TensorPtr& at(Parameter which) { return layer_.weights[which]; }

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
    scale(Parameter::WOutput, Parameter::BOutput);
    layer_.weights.biases = static_cast<bool>(at(Parameter::BQuery));
    put_tables(stack_weights_, block_, layer_);
  }

  void add_map(Parameter matrix, Parameter bias, const LinearMap& map) {
    at(matrix) = dense_matrix(map);
    at(bias) = whole_bias(map);
  }

  void add_block() {
    add_norm(Parameter::AttentionNorm, cross_ ? weights_.cross_norm : weights_.attention_norm);
    add_norm(Parameter::OutputNorm, weights_.after_attention_norm);
    add_norm(Parameter::MlpNorm, weights_.mlp_norm);
    add_norm(Parameter::MlpOutputNorm, weights_.after_mlp_norm);
    if (!layer_.block.mlp) return;
    add_map(Parameter::WUp, Parameter::BUp, weights_.up);
    if (weights_.gate) add_map(Parameter::WGate, Parameter::BGate, *weights_.gate);
    add_map(Parameter::WDown, Parameter::BDown, weights_.down);
    scale(Parameter::WDown, Parameter::BDown);
  }

  /// A layer by itself has no factor of what it adds: its last maps hold it. Behind a norm the norm's weights
  /// do.
  void scale(Parameter matrix, Parameter bias) {
    if (stack_.residual_scale == 1) return;
    const bool normed = norms_additions(stack_.arrangement());
    if (normed)
      throw Error(
          fmt::format("The blocks of {} multiply what a norm gives; they cannot be opened.", spec_.family));
    for (const Parameter which : {matrix, bias}) {
      if (!at(which)) continue;
      auto scaled = std::make_shared<Tensor>(*at(which));
      for (float& value : scaled->values()) value *= static_cast<float>(stack_.residual_scale);
      at(which) = std::move(scaled);
    }
  }

  /// Adds a norm; its bias is the next parameter. Throws Error if the model lacks a norm that the arrangement
  /// needs: weights of 1 in its place would be another layer.
  void add_norm(Parameter weight, const NormWeights& norm) {
    if (!reads(layer_.block, weight)) return;
    if (!norm.exists())
      throw Error(fmt::format("The blocks of {} lack {}, so they are no blocks of a kind that is known here.",
                              spec_.family, info(weight).name));
    at(weight) = row_tensor(norm.weight);
    at(static_cast<Parameter>(static_cast<int>(weight) + 1)) = row_tensor(norm.bias);
  }

  const ModelSpec& spec_;
  const bool cross_;
  const StackSpec& stack_;
  const StackWeights& stack_weights_;
  const std::size_t block_;
  const LayerSpec& of_;
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
  check_positions(stack->blocks[static_cast<std::size_t>(block)].positions);
  if (stack->residual_after_norm)
    throw Error(fmt::format(
        "This model of {} adds to the stream after the norm, not to the stream itself; a layer by itself "
        "has no such arrangement, so its blocks cannot be opened.",
        spec.family));
  if (stack->cross && stack->arrangement() != Arrangement::PreNorm)
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

}  // namespace attnscope
