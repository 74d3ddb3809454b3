#include "core/dirty.hpp"

namespace attnscope {

namespace {

/// The texts are what a person typed; only the tokens reach a number.
bool same_tokens(const Input& was, const Input& now) {
  if (was.padded_length != now.padded_length || was.sequences.size() != now.sequences.size()) return false;
  for (std::size_t b = 0; b < was.sequences.size(); ++b) {
    if (was.sequences[b].tokens != now.sequences[b].tokens) return false;
  }
  return true;
}

}  // namespace

Fields changed_fields(const Document& was, const Document& now) {
  Fields changed;
  const auto note = [&](Field field, bool differs) {
    if (differs) changed.insert(field);
  };
  const Weights& a = was.weights;
  const Weights& b = now.weights;
  note(Field::Tokens, !same_tokens(was.input, now.input));
  note(Field::Given, was.input.given != now.input.given);
  note(Field::Embedding, was.embedding != now.embedding || a.seed != b.seed);
  note(Field::Width, was.d_model != now.d_model);
  note(Field::Positions, was.positions != now.positions);
  note(Field::Heads, was.heads != now.heads);
  note(Field::QueryWeights, a.w_query != b.w_query || a.b_query != b.b_query);
  note(Field::KeyWeights, a.w_key != b.w_key || a.b_key != b.b_key);
  note(Field::ValueWeights, a.w_value != b.w_value || a.b_value != b.b_value);
  note(Field::OutputWeights, a.w_output != b.w_output || a.b_output != b.b_output);
  note(Field::Scaling, was.scaling != now.scaling);
  note(Field::SoftCap, was.soft_cap != now.soft_cap);
  note(Field::Masking, was.masking != now.masking);
  note(Field::Temperature, was.temperature != now.temperature);
  return changed;
}

Stages dirty_stages(const Document& was, const Document& now) {
  Fields changed = changed_fields(was, now);
  if (was.input.given && now.input.given) {
    // Nothing before Q, K and V exists, so tokens are mere labels and widths come from the tensors.
    changed.bits &=
        Fields{Field::Given, Field::Scaling, Field::SoftCap, Field::Masking, Field::Temperature}.bits;
  }
  Stages dirty;
  for (const StageInfo& row : stage_table) {
    if (row.fields.intersects(changed) || row.inputs.intersects(dirty)) dirty.insert(row.stage);
  }
  return dirty;
}

}  // namespace attnscope
