#include "core/engine/dirty.hpp"

#include <algorithm>

#include "core/document/setting_table.hpp"

namespace attnscope {

namespace {

/// Results depend on the tokens alone, not on the text or on their positions in it.
bool same_tokens(const Sequences& was, const Sequences& now) {
  return was.identity() == now.identity() ||
         std::ranges::equal(was, now, [](const Sequence& a, const Sequence& b) {
           return std::ranges::equal(a.tokens, b.tokens, &Token::is_same);
         });
}

/// Whether the numbers of the positions come from the seed.
bool seeded_positions(const Document& document) {
  const std::optional<Parameter> table = table_of(document.layer().positions);
  return table && !document.layer().weights[*table];
}

/// Guesses do not change results.
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
  const Weights& a = was.layer().weights;
  const Weights& b = now.layer().weights;
  for_each_setting([&](const auto& row) {
    if (row.of(was) != row.of(now)) changed |= row.touches;
  });
  note(Field::Tokens, !same_tokens(was.input.sequences, now.input.sequences));
  note(Field::Memory, !same_tokens(was.input.memory, now.input.memory));
  note(Field::Given, !same_given(was.input.given(), now.input.given()));
  note(Field::Embedding, was.input.from_text() != now.input.from_text());
  note(Field::Vectors, was.input.vectors() != now.input.vectors());
  note(Field::Positions, a.seed != b.seed && seeded_positions(now));
  for (const ParameterInfo& row : parameter_table) note(row.field, a[row.parameter] != b[row.parameter]);
  note(Field::Scaling, scale_width(was, 1) != scale_width(now, 1));
  note(Field::OutputWeights, has_output_weights(was) != has_output_weights(now));
  if (was.input.is_given() && now.input.is_given()) {
    // There are no stages before Q, K and V: tokens are labels, and widths come from the tensors.
    changed &=
        Fields{Field::Given,   Field::Positions, Field::AddedKeys,    Field::Scaling, Field::QkNorm,
               Field::SoftCap, Field::Masking,   Field::Softmax,      Field::Linear,  Field::Intervention,
               Field::Dropout, Field::Precision, Field::OutputWeights};
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
