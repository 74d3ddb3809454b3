#include "core/engine/model/difference_work.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/engine/model/model_effects.hpp"
#include "core/engine/model/model_values.hpp"
#include "core/engine/model/model_work.hpp"
#include "core/models/changes.hpp"
#include "core/models/run_heads.hpp"

namespace attnscope {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t likeliest_compared = 10;

bool is_one_row(const ModelSpec& spec) { return spec.head.input != HeadInput::EveryRow; }

/// Matches the tokens of two sequences, with a number for each distinct word.
TokenMatch match_sequences(const Sequence& a, const Sequence& b) {
  std::map<std::pair<std::string_view, bool>, std::int64_t> numbers;
  const auto numbered = [&](const Sequence& sequence) {
    std::vector<std::int64_t> ids;
    for (const Token& token : sequence.tokens)
      ids.push_back(numbers.try_emplace({token.text, token.special}, std::ssize(numbers)).first->second);
    return ids;
  };
  const std::vector<std::int64_t> of_a = numbered(a), of_b = numbered(b);
  return match_tokens(of_a, of_b);
}

bool have_same_tokens(const ComparedRun& a, const ComparedRun& b, AttentionOf of) {
  if (a.tokens == b.tokens) return true;
  if (a.model != b.model) return false;
  const ModelInput &x = a.tokens->input, &y = b.tokens->input;
  return of == AttentionOf::Decoder && a.model->model->spec.encoder ? x.decoder_ids == y.decoder_ids
                                                                    : x.ids == y.ids && x.image == y.image;
}

TokenMatch whole_match(const Sequence& sequence) {
  const std::int64_t rows = std::ssize(sequence.tokens);
  return {TokenMatch::Kind::Same, rows, rows, rows, 0};
}

/// Why the predictions of the two runs cannot be compared; empty if they can.
std::string why_no_divergence(const ComparedRun& a, const ComparedRun& b) {
  const ModelSpec &x = a.model->model->spec, &y = b.model->model->spec;
  if (!predicts(x) || !predicts(y))
    return fmt::format("{} predicts nothing.", (predicts(x) ? b : a).model->name);
  if (x.head.kind != y.head.kind || x.head.input != y.head.input)
    return "The two predict different kinds of things.";
  if (a.model == b.model) return {};
  const bool tokens = x.head.kind == HeadKind::NextToken || x.head.kind == HeadKind::MaskedToken;
  if (tokens && x.vocabulary != y.vocabulary)
    return fmt::format("The vocabularies differ: {} tokens and {}.", x.vocabulary, y.vocabulary);
  if (!tokens && x.head.classes != y.head.classes) return "The two predict different classes.";
  // A sample of tokens decides whether two vocabularies of the same size are equal.
  for (std::int64_t id = 0; tokens && id < x.vocabulary; id += 1 + x.vocabulary / 512)
    if (token_label(*a.model, id) != token_label(*b.model, id))
      return fmt::format("The vocabularies differ: token {} is another one.", id);
  return {};
}

}  // namespace

void DifferenceWork::begin(const ModelDifferencePtr& before) {
  const DifferenceQuestion asked = known_.asked;
  DifferenceQuestion same = before ? before->asked : DifferenceQuestion{};
  same.row = asked.row;
  if (before && same == asked) return go_on_from(*before);
  for (const AttentionOf of : {AttentionOf::Encoder, AttentionOf::Decoder, AttentionOf::Cross})
    plan_attention(of);
  if (known_.attentions.empty()) {
    known_.error =
        fmt::format("{} and {} have no attention of the same kind, so their heads cannot be compared.",
                    asked.a.model->name, asked.b.model->name);
    known_.is_complete = true;
    return;
  }
  ++known_.count;  // the prediction on screen
  known_.no_divergence = why_no_divergence(asked.a, asked.b);
  if (known_.no_divergence.empty()) plan_predictions();
}

/// Continues with the same runs: for another row, or after being stopped.
void DifferenceWork::go_on_from(const ModelDifference& before) {
  const std::int64_t row = known_.asked.row;
  known_ = before;
  known_.asked.row = row;
  known_.prediction.reset();
  known_.is_complete = false;
  known_.known = 0;
  for (; attention_ < known_.attentions.size(); ++attention_, layer_ = 0) {
    const auto& layers = known_.attentions[attention_].layers;
    while (layer_ < layers.size() && layers[layer_]) ++layer_;
    known_.known += static_cast<std::int64_t>(layer_);
    if (layer_ < layers.size()) break;
  }
  while (rows_ < std::ssize(known_.divergences) && !std::isnan(known_.divergences.rbegin()[rows_])) ++rows_;
  known_.known += rows_;
}

void DifferenceWork::plan_attention(AttentionOf of) {
  const ComparedRun &a = known_.asked.a, &b = known_.asked.b;
  const ModelSpec &x = a.model->model->spec, &y = b.model->model->spec;
  if (!has_attention(x, of) || !has_attention(y, of)) return;
  ModelDifference::Attention& made = known_.attentions.emplace_back();
  made.of = of;
  made.queries = match_rows(known_.asked, of);
  made.keys = match_keys(known_.asked, of);
  const std::size_t layers = stack_of(*a.model->model, *a.run, of).spec.blocks.size();
  made.layers.resize(layers);
  if (of != AttentionOf::Cross && x.d_model == y.d_model) made.stream.resize(layers + 1);
  known_.count += static_cast<std::int64_t>(layers);
}

void DifferenceWork::plan_predictions() {
  const bool one = is_one_row(known_.asked.a.model->model->spec);
  known_.divergences.assign(one ? 1 : static_cast<std::size_t>(output().queries.count()), not_known);
  known_.count += std::ssize(known_.divergences);
}

void DifferenceWork::step(const Work& work) {
  if (!std::exchange(has_prediction_, true))
    compare_prediction(work);
  else if (attention_ < known_.attentions.size())
    compare_layer(known_.attentions[attention_], work);
  else
    compare_row(work);
  ++known_.known;
  known_.is_complete = known_.known >= known_.count;
}

const ModelDifference::Attention& DifferenceWork::output() const {
  const auto* const found = known_.find(output_attention(known_.asked.a.model->model->spec));
  return found != nullptr ? *found : known_.attentions.front();
}

void DifferenceWork::compare_prediction(const Work& work) {
  const ComparedRun &a = known_.asked.a, &b = known_.asked.b;
  const Model &x = *a.model->model, &y = *b.model->model;
  if (known_.asked.row < 0 || !predicts(x.spec) || !predicts(y.spec)) return;
  const TokenMatch& rows = output().queries;
  PredictionPair pair;
  pair.row_a = known_.asked.row;
  std::optional<std::int64_t> other = rows.b_of(pair.row_a);
  if (pair.row_a == prediction_row(*a.model, *a.tokens, {}) && (!other || is_one_row(x.spec)))
    other = prediction_row(*b.model, *b.tokens, {});
  if (!other) return;
  pair.row_b = *other;
  pair.a = predicted_logits(x, *a.run, pair.row_a, work);
  pair.b = predicted_logits(y, *b.run, pair.row_b, work);
  pair.top_a = likeliest(pair.a, likeliest_compared);
  pair.top_b = likeliest(pair.b, likeliest_compared);
  pair.log_sum_a = log_sum_exp(pair.a);
  pair.log_sum_b = log_sum_exp(pair.b);
  if (known_.no_divergence.empty()) pair.divergence = divergence(pair.a, pair.b);
  known_.prediction = std::make_shared<const PredictionPair>(std::move(pair));
}

void DifferenceWork::compare_layer(ModelDifference::Attention& attention, const Work& work) {
  const ComparedRun &a = known_.asked.a, &b = known_.asked.b;
  const StackView x = stack_of(*a.model->model, *a.run, attention.of),
                  y = stack_of(*b.model->model, *b.run, attention.of);
  const std::int64_t other = static_cast<std::int64_t>(layer_) + known_.asked.shift;
  const bool has_stream = !attention.stream.empty();
  std::vector<HeadDifference> heads;
  std::vector<double> stream;
  if (other >= 0 && other < std::ssize(y.spec.blocks)) {
    const auto layer = static_cast<std::size_t>(other);
    const int both = std::min(x.spec.blocks[layer_].heads, y.spec.blocks[layer].heads);
    for (int h = 0; h < both; ++h)
      heads.push_back(head_difference({*a.model->model, *a.run, attention.of, layer_, h},
                                      {*b.model->model, *b.run, attention.of, layer, h}, attention.queries,
                                      attention.keys, work));
    if (has_stream)
      stream = relative_change(x.run.hidden[layer_ + 1], y.run.hidden[layer + 1], attention.queries);
  }
  if (layer_ == 0 && has_stream)
    attention.stream[0] = std::make_shared<const std::vector<double>>(
        relative_change(x.run.hidden[0], y.run.hidden[0], attention.queries));
  if (has_stream)
    attention.stream[layer_ + 1] = std::make_shared<const std::vector<double>>(std::move(stream));
  attention.layers[layer_] = std::make_shared<const std::vector<HeadDifference>>(std::move(heads));
  if (++layer_ < attention.layers.size()) return;
  layer_ = 0;
  ++attention_;
}

void DifferenceWork::compare_row(const Work& work) {
  const ComparedRun &a = known_.asked.a, &b = known_.asked.b;
  // The last rows come first.
  const std::int64_t pair = std::ssize(known_.divergences) - ++rows_;
  const TokenMatch& rows = output().queries;
  known_.divergences[static_cast<std::size_t>(pair)] =
      divergence(predicted_logits(*a.model->model, *a.run, rows.in_a(pair), work),
                 predicted_logits(*b.model->model, *b.run, rows.in_b(pair), work));
}

const ModelDifference::Attention* ModelDifference::find(AttentionOf of) const {
  const auto found = std::ranges::find(attentions, of, &Attention::of);
  return found == attentions.end() ? nullptr : &*found;
}

const HeadDifference* ModelDifference::head(AttentionOf of, int block, std::int64_t head) const {
  const Attention* const attention = find(of);
  if (attention == nullptr || block < 0 || block >= std::ssize(attention->layers)) return nullptr;
  const auto& heads = attention->layers[static_cast<std::size_t>(block)];
  return heads && head >= 0 && head < std::ssize(*heads) ? &(*heads)[static_cast<std::size_t>(head)]
                                                         : nullptr;
}

TokenMatch match_rows(const DifferenceQuestion& asked, AttentionOf of) {
  const Sequence &a = asked.a.tokens->queries_of(of), &b = asked.b.tokens->queries_of(of);
  return have_same_tokens(asked.a, asked.b, of == AttentionOf::Cross ? AttentionOf::Decoder : of)
             ? whole_match(a)
             : match_sequences(a, b);
}

TokenMatch match_keys(const DifferenceQuestion& asked, AttentionOf of) {
  const Sequence &a = asked.a.tokens->keys_of(of), &b = asked.b.tokens->keys_of(of);
  return have_same_tokens(asked.a, asked.b, of == AttentionOf::Cross ? AttentionOf::Encoder : of)
             ? whole_match(a)
             : match_sequences(a, b);
}

}  // namespace attnscope
