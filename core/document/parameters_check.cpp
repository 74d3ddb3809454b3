#include "core/document/parameters_check.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/document/layer_sizes.hpp"

namespace attnscope {
namespace {

/// Throws Error if the parameter has another shape, or if a required one is missing.
void check_parameter(const Weights& weights, const ParameterInfo& row, const ParameterSizes& sizes) {
  const TensorPtr& block = weights[row.parameter];
  const bool is_needed = row.kind == ParameterKind::Matrix || row.kind == ParameterKind::Latent ||
                         row.kind == ParameterKind::BlockMatrix;
  const Shape expected = shape_of(row, sizes);
  if (block ? block->shape() == expected : !is_needed)
    return;  // called for every stage: words are made only on failure
  std::string name(row.name);
  if (name.starts_with("the ")) name[0] = 'T';
  if (!block)
    throw Error(
        fmt::format("{} is missing; it must be {} = {}.", name, shape_words(row), to_string(expected)));
  check_shape(name, block, expected, shape_words(row));
}

/// The parameters of latents; those of the query latent only if there is one.
void check_latents(const Weights& weights, const ParameterSizes& sizes) {
  for (const ParameterInfo& row : parameter_table) {
    const bool wanted = row.columns() != Extent::QueryLatent || sizes.query_latent > 0;
    if (wanted && (row.kind == ParameterKind::Latent || row.kind == ParameterKind::LatentNorm))
      check_parameter(weights, row, sizes);
  }
}

}  // namespace

void check_shape(std::string_view name, const TensorPtr& block, const Shape& expected,
                 std::string_view meaning) {
  if (block && block->shape() != expected) {
    throw Error(fmt::format("{} has shape {}; it must be {} = {}.", name, to_string(block->shape()), meaning,
                            to_string(expected)));
  }
}

void check_weights(const Document& document, const SourceWidths& source) {
  const Weights& weights = document.layer().weights;
  ParameterSizes sizes = parameter_sizes(document);
  sizes.key_source = source.key;
  sizes.value_source = source.value;
  const auto check_all = [&](auto... kinds) {
    for (const ParameterInfo& row : parameter_table)
      if (((row.kind == kinds) || ...)) check_parameter(weights, row, sizes);
  };
  if (has_latent(document)) check_latents(weights, sizes);
  check_all(ParameterKind::Matrix, ParameterKind::Bias);
  for (const ParameterInfo& row : parameter_table)
    if (reads(document.layer().block, row.parameter)) check_parameter(weights, row, sizes);
  if (!weights[Parameter::BiasK] != !weights[Parameter::BiasV])
    throw Error("A learned key needs a learned value and the other way round: one of them is missing.");
  check_all(ParameterKind::ExtraRow);
}

void check_position_blocks(const Document& document, std::int64_t tokens, std::int64_t heads) {
  const LayerSpec& layer = document.layer();
  const Weights& weights = layer.weights;
  if (layer.positions == Positions::Learned && weights[Parameter::PositionTable] &&
      !document.input.is_given()) {
    const Shape& table = weights[Parameter::PositionTable]->shape();
    if (table.rank() != 2 || table[0] < tokens || table[1] != layer.d_model) {
      throw Error(
          fmt::format("The table of positions has shape {}; it must be [positions, d_model] with at least {} "
                      "positions of {} numbers.",
                      to_string(table), tokens, layer.d_model));
    }
  }
  const std::optional<Parameter> table = bias_table(layer.positions);
  if (!table || (position_facts(layer.positions).of_tokens && document.input.is_given())) return;
  check_parameter(weights, info(*table),
                  {.d_model = layer.d_model, .heads = heads, .table_rows = table_rows(layer)});
}

void check_shared_parameters(const Document& document, const Dimensions& size) {
  const LayerSpec& layer = document.layer();
  const ParameterSizes sizes{.heads = size.heads,
                             .kv_heads = size.kv_heads,
                             .d_k = size.d_k,
                             .norms_all_heads = norms_all_heads(layer.qk_norm)};
  check_parameter(layer.weights, info(Parameter::SinkLogits), sizes);
  if (layer.qk_norm.kind == QkNorm::Kind::None) return;
  for (const ParameterInfo& row : parameter_table)
    if (row.kind == ParameterKind::Norm) check_parameter(layer.weights, row, sizes);
}

void check_divisors(const TensorPtr& divisors, std::int64_t rotated) {
  if (!divisors) return;
  if (divisors->shape() != Shape{rotated / 2})
    throw Error(
        fmt::format("The divisors of the rotary frequencies have shape {}; it must be {}: one for each "
                    "pair that turns.",
                    to_string(divisors->shape()), to_string(Shape{rotated / 2})));
  for (const float divisor : divisors->values())
    if (!(divisor > 0) || !std::isfinite(divisor))
      throw Error(fmt::format(
          "A divisor of the rotary frequencies is {}; it must be a finite number above 0.", divisor));
}

}  // namespace attnscope
