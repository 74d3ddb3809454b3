#include "core/against_oracle_problem.hpp"

#include <cmath>

#include "core/attention/dropout.hpp"

namespace attnscope::against_oracle {

namespace {

using oracle::Numbers;

oracle::Visibility visibility_of(const Document& document, const Dimensions& size) {
  const Masking& masking = document.layer().masking;
  const Input& input = document.input;
  oracle::Visibility mask;
  mask.causal = masking.causal;
  mask.left = masking.window.left;
  mask.right = masking.window.right;
  mask.pattern = static_cast<oracle::Pattern>(masking.sparsity.kind);
  mask.stride = masking.sparsity.stride;
  mask.block = masking.sparsity.block;
  mask.globals = masking.sparsity.globals;
  mask.rounds = unsigned_(masking.sparsity.lsh_rounds);
  mask.grid = masking.sparsity.grid;
  mask.side = masking.sparsity.side;
  mask.shift = masking.sparsity.shift;
  mask.heads.assign(masking.heads.begin(), masking.heads.end());
  mask.mistake = static_cast<oracle::Mistake>(masking.mistake);
  if (masking.hidden == Masking::Hidden::LeastFinite)
    mask.hidden = document.precision == Precision::Float32    ? -3.4028234663852886e38
                  : document.precision == Precision::BFloat16 ? -3.3895313892515355e38
                                                              : -65504;
  else if (masking.hidden != Masking::Hidden::MinusInfinity)
    mask.hidden = -1e9;
  mask.adds_hidden = masking.hidden == Masking::Hidden::AddedMinusBillion;
  for (std::size_t b = 0; b < unsigned_(size.batch); ++b) {
    std::int64_t length = size.token_keys(), offset = size.past;
    if (!input.given().lengths.empty()) {
      length = input.given().lengths[b];
      offset = length - size.queries;
    } else if (input.is_text()) {
      length = std::ssize((input.memory.empty() ? input.sequences : input.memory)[b].tokens);
    }
    mask.offsets.push_back(offset);
    if (masking.padding) mask.lengths.push_back(length);
  }
  return mask;
}

/// The added numbers for every sequence and head.
Numbers spread_additive(const Tensor& additive, const Dimensions& size) {
  Numbers all;
  for (std::int64_t b = 0; b < size.batch; ++b) {
    for (std::int64_t h = 0; h < size.heads; ++h) {
      const auto block = additive.matrix(additive.shape()[0] == 1 ? 0 : b, additive.shape()[1] == 1 ? 0 : h);
      for (std::int64_t i = 0; i < size.queries; ++i)
        for (std::int64_t j = 0; j < size.token_keys(); ++j) all.push_back(static_cast<double>(block(i, j)));
    }
  }
  return all;
}

}  // namespace

oracle::Problem problem_of(const Document& document, const Dimensions& size) {
  oracle::Problem p;
  p.batch = unsigned_(size.batch);
  p.heads = unsigned_(size.heads);
  p.kv_heads = unsigned_(size.kv_heads);
  p.queries = unsigned_(size.queries);
  p.keys = unsigned_(size.keys);
  p.d_k = unsigned_(size.d_k);
  p.d_v = unsigned_(size.d_v);
  p.extra = unsigned_(size.extra);
  const PositionSettings& how = document.layer().position_settings;
  int terms = 1;
  if (document.layer().positions == Positions::Disentangled && !document.input.is_given())
    terms += (how.content_to_position ? 1 : 0) + (how.position_to_content ? 1 : 0);
  if (document.layer().scaling.kind == Scaling::Kind::InverseSqrtDk)
    p.scale = 1 / std::sqrt(static_cast<double>(terms * size.d_k));
  if (document.layer().scaling.kind == Scaling::Kind::Factor)
    p.scale = static_cast<double>(document.layer().scaling.factor);
  p.soft_cap = static_cast<double>(document.layer().soft_cap);
  p.temperature = static_cast<double>(document.layer().temperature);
  p.naive = document.layer().softmax == SoftmaxKind::Naive;
  p.empty = static_cast<oracle::Empty>(document.layer().empty_row);
  p.linear = document.layer().linear;
  p.sinks = numbers(document.layer().weights[Parameter::SinkLogits]);
  p.mask = visibility_of(document, size);
  if (document.layer().masking.additive)
    p.mask.additive = spread_additive(*document.layer().masking.additive, size);
  for (const Intervention& head : document.layer().interventions) {
    p.replaced.push_back(static_cast<oracle::Replacement>(head.kind));
    p.frozen.push_back(numbers(head.frozen));
  }
  if (document.layer().dropout.rate > 0) {
    const double grown = 1 / (1 - static_cast<double>(document.layer().dropout.rate));
    for (std::int64_t i = 0; i < size.batch * size.heads * size.queries * size.keys; ++i)
      p.keep.push_back(keeps(document.layer().dropout, i) ? grown : 0);
  }
  return p;
}

}  // namespace attnscope::against_oracle
