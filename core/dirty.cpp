#include "core/dirty.hpp"

#include <algorithm>

namespace attnscope {

namespace {

/// The texts are what a person typed; only the tokens reach a number.
bool same_tokens(const std::vector<Sequence>& was, const std::vector<Sequence>& now) {
  return std::ranges::equal(was, now, {}, &Sequence::tokens, &Sequence::tokens);
}

bool same_text(const Input& was, const Input& now) {
  return was.padded_length == now.padded_length && was.cached == now.cached &&
         same_tokens(was.sequences, now.sequences);
}

/// Positions whose numbers come from the seed.
bool seeded_positions(const Document& document) {
  return (document.positions == Positions::Learned && !document.weights[Parameter::PositionTable]) ||
         (document.positions == Positions::RelativeBuckets && !document.weights[Parameter::RelativeBias]);
}

/// As far as settings and the seed go.
bool same_positions(const Document& was, const Document& now) {
  const Weights &a = was.weights, &b = now.weights;
  return was.positions == now.positions && was.position_settings == now.position_settings &&
         (a.seed == b.seed || !seeded_positions(now));
}

/// Labels and guesses are no numbers.
bool same_given(const Given& was, Given now) {
  now.guesses = was.guesses;
  return was == now;
}

}  // namespace

Fields changed_fields(const Document& was, const Document& now) {
  Fields changed;
  const auto note = [&](Field field, bool differs) {
    if (differs) changed.insert(field);
  };
  const Weights& a = was.weights;
  const Weights& b = now.weights;
  note(Field::Tokens, !same_text(was.input, now.input));
  note(Field::Memory, !same_tokens(was.input.memory, now.input.memory));
  note(Field::Given, !same_given(was.input.given, now.input.given));
  note(Field::Vectors, was.input.vectors != now.input.vectors);
  note(Field::Embedding, was.embedding != now.embedding || was.embedding_gain != now.embedding_gain ||
                             a.seed != b.seed || was.input.edited != now.input.edited ||
                             was.input.edited_memory != now.input.edited_memory);
  note(Field::Width, was.d_model != now.d_model || was.d_k != now.d_k || was.d_v != now.d_v);
  note(Field::Positions, !same_positions(was, now));
  note(Field::Heads, was.heads != now.heads || was.kv_heads != now.kv_heads);
  for (const ParameterInfo& row : parameter_table) note(row.field, a[row.parameter] != b[row.parameter]);
  note(Field::OutputWeights, has_output_weights(was) != has_output_weights(now));
  note(Field::Fused, a.fused != b.fused);
  note(Field::ExtraKeys, was.zero_key != now.zero_key);
  note(Field::Scaling, was.scaling != now.scaling);
  note(Field::SoftCap, was.soft_cap != now.soft_cap);
  note(Field::Masking, was.masking != now.masking);
  note(Field::Softmax,
       was.softmax != now.softmax || was.empty_row != now.empty_row || was.temperature != now.temperature);
  note(Field::Linear, was.linear != now.linear);
  note(Field::Surgery, was.surgery != now.surgery);
  note(Field::Dropout, was.dropout != now.dropout);
  note(Field::Precision, was.precision != now.precision);
  if (was.input.given && now.input.given) {
    // Nothing before Q, K and V exists, so tokens are mere labels and widths come from the tensors.
    changed.bits &= Fields{Field::Given,   Field::Positions, Field::ExtraKeys, Field::Scaling,
                           Field::SoftCap, Field::Masking,   Field::Softmax,   Field::Linear,
                           Field::Surgery, Field::Dropout,   Field::Precision, Field::OutputWeights}
                        .bits;
  }
  return changed;
}

Stages dirty_stages(const Document& was, const Document& now) {
  const Fields changed = changed_fields(was, now);
  Stages dirty;
  for (const StageInfo& row : stage_table) {
    if (row.fields.intersects(changed) || row.inputs.intersects(dirty)) dirty.insert(row.stage);
  }
  return dirty;
}

}  // namespace attnscope
