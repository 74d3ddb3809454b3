#include "app/lessons/model_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/lessons/lesson.hpp"
#include "core/base/error.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/readouts/text/prediction.hpp"

namespace attnscope::lessons {
namespace {

/// One look-up of a model's number.
struct AskedModel {
  const ModelReading& of;
  std::string_view word;           // in quotes, where the name has one
  std::span<const double> places;  // as many as the name has
  const ModelSpec& spec() const { return of.within.model->model->spec; }
};

[[noreturn]] void is_coming() { throw Error("This number is still being worked out."); }

double worked_out(double value) {
  if (std::isnan(value)) is_coming();
  return value;
}

std::size_t whole_place(const AskedModel& asked, std::size_t i, std::size_t count, std::string_view what) {
  const double value = asked.places[i];
  if (!(value == std::floor(value)) || value < 0 || value >= static_cast<double>(count))
    throw Error(fmt::format("There is no {} {}; the model has {}, counted from 0.", what, value, count));
  return static_cast<std::size_t>(value);
}

AttentionOf attention(const AskedModel& asked) { return output_attention(asked.spec()); }
const StackSpec& output_stack(const AskedModel& asked) {
  return attention(asked) == AttentionOf::Encoder ? *asked.spec().encoder : *asked.spec().decoder;
}
struct HeadAt {
  std::size_t block, head;
};
HeadAt head_place(const AskedModel& asked) {
  const auto& blocks = output_stack(asked).blocks;
  const std::size_t block = whole_place(asked, 0, blocks.size(), "layer");
  return {block, whole_place(asked, 1, static_cast<std::size_t>(blocks[block].heads), "head")};
}

const ModelPrediction& predicted(const AskedModel& asked) {
  if (!asked.of.prediction) is_coming();
  const ModelPrediction& prediction = *asked.of.prediction;
  if (prediction.row < 0 || prediction.after.empty()) throw Error("The model predicts nothing here.");
  return prediction;
}
/// The token that the word in quotes is, where a space before it counts; of a model with classes the class.
std::size_t token_of(const AskedModel& asked) {
  const OpenedModel& model = *asked.of.within.model;
  if (const std::vector<std::string>& classes = asked.spec().head.classes; !classes.empty()) {
    const auto found = std::ranges::find(classes, asked.word);
    if (found == classes.end()) throw Error(fmt::format("The model has no class \"{}\".", asked.word));
    return static_cast<std::size_t>(found - classes.begin());
  }
  if (!model.tokenizer) throw Error("This model reads no words.");
  const std::vector<std::int64_t> ids = plain_tokens(model, asked.word);
  if (ids.size() != 1)
    throw Error(fmt::format("\"{}\" is {} tokens of this model; a word that is asked for has to be one.",
                            asked.word, ids.size()));
  const auto id = static_cast<std::size_t>(ids.front());
  if (id >= predicted(asked).after.size()) throw Error("The model predicts no such token.");
  return id;
}

const AblationEffect& effect(const AskedModel& asked) {
  const HeadAt place = head_place(asked);
  if (!asked.of.effects) is_coming();
  const EffectsReading& all = *asked.of.effects;
  for (std::size_t i = 0; i < all.heads.size(); ++i)
    if (static_cast<std::size_t>(all.heads[i].block) == place.block &&
        static_cast<std::size_t>(all.heads[i].head) == place.head)
      return all.effects[i];
  throw Error("Effects are not measured of this head.");
}
/// Of all heads: known once each of them is.
template <class Holds>
double counted_effects(const AskedModel& asked, const Holds& holds) {
  if (!asked.of.effects) is_coming();
  double count = 0;
  for (const AblationEffect& one : asked.of.effects->effects)
    count += holds(worked_out(one.top_logit_change)) ? 1 : 0;
  return count;
}

using AllScores = std::shared_ptr<const std::vector<std::vector<HeadScores>>>;
const PatternScore& score_at(const AskedModel& asked, const AllScores& all, HeadScore which) {
  if (!all) is_coming();
  const HeadAt place = head_place(asked);
  return all->at(place.block).at(place.head)[static_cast<std::size_t>(which)];
}
template <class Take>
void for_each_score(const AllScores& all, HeadScore which, const Take& take) {
  if (!all) is_coming();
  for (const auto& block : *all)
    for (const HeadScores& head : block) take(head[static_cast<std::size_t>(which)].score);
}
double mean_score(const AllScores& all, HeadScore which) {
  double sum = 0, count = 0;
  for_each_score(all, which, [&](double score) { sum += score, ++count; });
  return count > 0 ? sum / count : 0;
}
double scores_above(const AllScores& all, HeadScore which, double least) {
  double count = 0;
  for_each_score(all, which, [&](double score) { count += score > least ? 1 : 0; });
  return count;
}

const AttentionRun& attention_run(const AskedModel& asked, std::size_t block) {
  if (!asked.of.run) is_coming();
  const StackRun& run =
      attention(asked) == AttentionOf::Encoder ? asked.of.run->encoder : asked.of.run->decoder;
  return run.attention.at(block);
}
/// Where a cell of the head's picture is a single weight.
double weight_in(const AskedModel& asked) {
  const HeadAt place = head_place(asked);
  const HeadPictures& pictures = attention_run(asked, place.block).pictures;
  if (pictures.mean.size() == 0) is_coming();
  if (pictures.largest.size() > 0)
    throw Error("The text is too long for single weights of heads that are not looked at.");
  const auto matrix = pictures.mean.matrix(static_cast<std::int64_t>(place.head));
  const std::size_t query = whole_place(asked, 2, static_cast<std::size_t>(matrix.rows()), "query");
  const std::size_t key = whole_place(asked, 3, static_cast<std::size_t>(matrix.cols()), "key");
  return static_cast<double>(matrix(static_cast<std::int64_t>(query), static_cast<std::int64_t>(key)));
}
double row_entropy(const AskedModel& asked) {
  const HeadAt place = head_place(asked);
  const Tensor& entropy = attention_run(asked, place.block).entropy;
  if (entropy.size() == 0) is_coming();
  const auto matrix = entropy.matrix();
  const std::size_t row = whole_place(asked, 2, static_cast<std::size_t>(matrix.cols()), "row");
  return static_cast<double>(matrix(static_cast<std::int64_t>(place.head), static_cast<std::int64_t>(row)));
}

/// KL after so many heads, the first of them the one with the smallest effect.
double pruned(const AskedModel& asked, bool at_random) {
  if (!asked.of.pruning) is_coming();
  const std::vector<AtlasEntry>& curve = at_random ? asked.of.pruning->random : asked.of.pruning->curve;
  const std::size_t count = whole_place(asked, 0, curve.size() + 1, "number of heads");
  return count == 0 ? 0 : worked_out(curve[count - 1].effect.divergence);
}
/// How many heads go before another token is the likeliest.
double pruned_unchanged(const AskedModel& asked) {
  if (!asked.of.pruning || !asked.of.pruning->is_whole()) is_coming();
  const ModelPrediction& now = predicted(asked);
  if (now.top_before.empty()) is_coming();
  const std::int64_t top = now.top_before.front().id;
  const std::vector<AtlasEntry>& curve = asked.of.pruning->curve;
  const auto end =
      std::ranges::find_if(curve, [&](const AtlasEntry& entry) { return entry.effect.top_token != top; });
  return static_cast<double>(end - curve.begin());
}

struct ModelName {
  std::string_view name, call, what;
  bool of_token;  // a word in quotes comes first
  std::size_t places;
  double (*value)(const AskedModel&);
};
constexpr auto model_names = std::to_array<ModelName>({
    {"layers", "layers", "layers of the model", false, 0,
     [](const AskedModel& a) { return static_cast<double>(output_stack(a).blocks.size()); }},
    {"all_heads", "all_heads", "heads of all its layers", false, 0,
     [](const AskedModel& a) {
       double sum = 0;
       for (const LayerSpec& block : output_stack(a).blocks) sum += block.heads;
       return sum;
     }},
    {"vocabulary", "vocabulary", "tokens that it knows", false, 0,
     [](const AskedModel& a) { return static_cast<double>(a.spec().vocabulary); }},
    {"probability", "probability(\" WORD\")", "of the token, with what is changed inside", true, 0,
     [](const AskedModel& a) {
       const std::size_t id = token_of(a);
       return predicted(a).softmax_after()[id];
     }},
    {"probability_before", "probability_before(\" WORD\")", "of the model as it is", true, 0,
     [](const AskedModel& a) {
       const std::size_t id = token_of(a);
       return predicted(a).softmax_before()[id];
     }},
    {"logit", "logit(\" WORD\")", "of the token, with what is changed inside", true, 0,
     [](const AskedModel& a) { return static_cast<double>(predicted(a).after[token_of(a)]); }},
    {"rank", "rank(\" WORD\")", "1 = the likeliest, with what is changed inside", true, 0,
     [](const AskedModel& a) {
       const auto id = static_cast<std::int64_t>(token_of(a));
       return static_cast<double>(rank_of(predicted(a).after, id));
     }},
    {"rank_before", "rank_before(\" WORD\")", "of the model as it is", true, 0,
     [](const AskedModel& a) {
       const auto id = static_cast<std::int64_t>(token_of(a));
       return static_cast<double>(rank_of(predicted(a).before, id));
     }},
    {"prediction_entropy", "prediction_entropy()", "H of the prediction, nats", false, 0,
     [](const AskedModel& a) { return attnscope::prediction_entropy(predicted(a).after); }},
    {"divergence", "divergence()", "KL(prediction before ‖ after what is changed inside), nats", false, 0,
     [](const AskedModel& a) { return predicted(a).divergence; }},
    {"alone", "alone(change)", "KL of one change alone: those of layers come first", false, 1,
     [](const AskedModel& a) {
       if (!a.of.alone) is_coming();
       const auto& all = a.of.alone->divergences;
       return worked_out(all[whole_place(a, 0, all.size(), "change")]);
     }},
    {"effect", "effect(layer, head)", "what zeroing it alone does to the likeliest token's logit", false, 2,
     [](const AskedModel& a) { return worked_out(effect(a).top_logit_change); }},
    {"effect_probability", "effect_probability(layer, head)", "the same to its probability", false, 2,
     [](const AskedModel& a) { return worked_out(effect(a).top_probability_change); }},
    {"effect_divergence", "effect_divergence(layer, head)", "KL of the prediction, nats", false, 2,
     [](const AskedModel& a) { return worked_out(effect(a).divergence); }},
    {"effect_rank", "effect_rank(layer, head)", "its place by |effect| among all heads, from 1", false, 2,
     [](const AskedModel& a) {
       const double own = std::abs(worked_out(effect(a).top_logit_change));
       return 1 + counted_effects(a, [&](double other) { return std::abs(other) > own; });
     }},
    {"heads_with_effect", "heads_with_effect(least)", "heads whose |effect| is above that", false, 1,
     [](const AskedModel& a) {
       return counted_effects(a, [&](double other) { return std::abs(other) > a.places[0]; });
     }},
    {"head_previous", "head_previous(layer, head)", "its mean weight on the token before", false, 2,
     [](const AskedModel& a) { return score_at(a, a.of.scores, HeadScore::Previous).score; }},
    {"head_first", "head_first(layer, head)", "its mean weight on the first token", false, 2,
     [](const AskedModel& a) { return score_at(a, a.of.scores, HeadScore::First).score; }},
    {"chance_first", "chance_first(layer, head)", "what uniform attention would put there", false, 2,
     [](const AskedModel& a) { return score_at(a, a.of.scores, HeadScore::First).uniform; }},
    {"chance_previous", "chance_previous(layer, head)", "what uniform attention puts on the token before",
     false, 2, [](const AskedModel& a) { return score_at(a, a.of.scores, HeadScore::Previous).uniform; }},
    {"head_induction", "head_induction(layer, head)",
     "its mean weight on what followed the same token before, on repeated random tokens", false, 2,
     [](const AskedModel& a) { return score_at(a, a.of.battery, HeadScore::Induction).score; }},
    {"chance_induction", "chance_induction(layer, head)", "what uniform attention would put there", false, 2,
     [](const AskedModel& a) { return score_at(a, a.of.battery, HeadScore::Induction).uniform; }},
    {"mean_head_first", "mean_head_first()", "head_first, the mean over all heads", false, 0,
     [](const AskedModel& a) { return mean_score(a.of.scores, HeadScore::First); }},
    {"heads_with_first", "heads_with_first(least)", "heads whose head_first is above that", false, 1,
     [](const AskedModel& a) { return scores_above(a.of.scores, HeadScore::First, a.places[0]); }},
    {"heads_with_previous", "heads_with_previous(least)", "heads whose head_previous is above that", false, 1,
     [](const AskedModel& a) { return scores_above(a.of.scores, HeadScore::Previous, a.places[0]); }},
    {"heads_with_induction", "heads_with_induction(least)", "heads whose head_induction is above that", false,
     1, [](const AskedModel& a) { return scores_above(a.of.battery, HeadScore::Induction, a.places[0]); }},
    {"head_weight", "head_weight(layer, head, query, key)", "a weight of any head", false, 4, weight_in},
    {"head_entropy", "head_entropy(layer, head, query)", "H of a row of any head, nats", false, 3,
     row_entropy},
    {"pruned", "pruned(heads)", "KL of the prediction without so many heads, the least effect first", false,
     1, [](const AskedModel& a) { return pruned(a, false); }},
    {"pruned_at_random", "pruned_at_random(heads)", "the same in a random order", false, 1,
     [](const AskedModel& a) { return pruned(a, true); }},
    {"pruned_unchanged", "pruned_unchanged()", "heads that go before another token is the likeliest", false,
     0, pruned_unchanged},
});

const ModelName* model_name(std::string_view name) {
  const auto found = std::ranges::find(model_names, name_parts(name).name, &ModelName::name);
  return found == model_names.end() ? nullptr : &*found;
}

double model_value(const ModelReading& reading, const ModelName& name, std::string_view asked_name,
                   std::span<const double> arguments) {
  const NameParts parts = name_parts(asked_name);
  if (parts.words.size() != (name.of_token ? 1u : 0u) || arguments.size() != name.places)
    throw Error(fmt::format("{} has {} words in quotes and {} numbers behind them; expected {} and {}.",
                            name.call, parts.words.size(), arguments.size(), name.of_token ? 1 : 0,
                            name.places));
  if (!reading.error.empty()) throw Error(reading.error);
  return name.value({reading, parts.words.empty() ? std::string_view() : parts.words.front(), arguments});
}

/// All expressions of the step.
template <class Take>
void for_each_expression(const Step& step, const Take& take) {
  const auto prose = [&](const Prose& pieces) {
    for (const Piece& piece : pieces)
      if (piece.number) take(*piece.number);
  };
  for (const Paragraph& paragraph : step.paragraphs) prose(paragraph.prose);
  for (const Prose& line : step.notes_prose) prose(line);
  for (const auto* code : {&step.numpy, &step.pytorch})
    for (const CodeLine& line : *code) {
      prose(line.note);
      if (line.result) take(*line.result->number);
    }
  if (step.done) take(*step.done);
  if (!step.question) return;
  prose(step.question->words);
  prose(step.question->answer);
  if (const auto* choose = std::get_if<ChooseQuestion>(&step.question->kind))
    for (const Choice& choice : choose->choices) {
      prose(choice.prose);
      prose(choice.why);
    }
  if (const auto* drag = std::get_if<DragQuestion>(&step.question->kind)) take(drag->answer);
}

}  // namespace

LookUp look_up_in_model(const ModelReading& reading, LookUp layer) {
  return [&reading, layer = std::move(layer)](std::string_view name, std::span<const double> arguments) {
    if (const ModelName* const known_name = model_name(name))
      return model_value(reading, *known_name, name, arguments);
    return layer(name, arguments);
  };
}

bool is_model_name(std::string_view name) { return model_name(name) != nullptr; }

std::vector<KnownName> known_model_names() {
  std::vector<KnownName> all;
  for (const ModelName& name : model_names) all.push_back({name.call, name.what});
  return all;
}

std::vector<Expression::Name> names_in(const Step& step) {
  std::vector<Expression::Name> all;
  for_each_expression(step, [&](const Expression& expression) {
    for (Expression::Name& name : expression.names()) all.push_back(std::move(name));
  });
  return all;
}

ModelWants wants_of(const Step& step) {
  ModelWants wants{.row = {}, .lens = false, .scores = false, .effects = false};
  for (const Expression::Name& asked : names_in(step)) {
    const std::string_view name = name_parts(asked.name).name;
    if (name == "alone" || name.find("effect") != name.npos) wants.effects = true;
    if (name.starts_with("pruned")) wants.effects = wants.pruning = true;
    if (name.find("_first") != name.npos || name.find("_previous") != name.npos ||
        name.find("_induction") != name.npos)
      wants.scores = true;
  }
  if (step.plot == Plot::Pruning) wants.effects = wants.pruning = true;
  if (step.colour == "effect") wants.effects = true;
  if (step.colour == "first" || step.colour == "previous" || step.colour == "induction") wants.scores = true;
  return wants;
}

ModelWants wants_of(const Step& step, const ModelContext& within) {
  ModelWants wants = wants_of(step);
  if (within && within.model->model->spec.head.kind == HeadKind::TokenClass) wants.row = step.query;
  return wants;
}

}  // namespace attnscope::lessons
