#include "app/pages/model/compare/compared_models.hpp"

#include <cmath>

#include "app/kit/ui/number_format.hpp"

namespace attnscope {
namespace {

std::string word_of_token(const Sequence& sequence, std::int64_t at) {
  if (at < 0 || at >= std::ssize(sequence.tokens)) return std::to_string(at);
  return own(sequence.tokens[static_cast<std::size_t>(at)].text);
}

}  // namespace

std::optional<ComparedModels> compared_models(const Scene& scene) {
  const HeldModel* const held = scene.held_model;
  if (held == nullptr || !held->difference || !held->difference->error.empty()) return std::nullopt;
  const ModelDifference& difference = *held->difference;
  if (difference.asked.a.model != scene.model->within.model) return std::nullopt;
  const ModelHead head = shown_head(scene);
  const ModelDifference::Attention* const attention = difference.find(head.of);
  if (attention == nullptr || attention->queries.count() == 0) return std::nullopt;
  ComparedModels made{difference, *attention, head, {}};
  const int layer = head.block + difference.asked.shift;
  const ModelSpec& spec = made.spec_b();
  if (layer >= 0 && layer < blocks_in(spec, head.of) && head.head < heads_in(spec, head.of, layer))
    made.other = ModelHead{head.of, layer, head.head};
  return made;
}

std::string why_not_compared(const Scene& scene) {
  const HeldModel& held = *scene.held_model;
  if (!held.error.empty()) return "What is held cannot be run. " + held.error;
  if (!held.reading) return "What is held is being run.";
  if (!held.difference || held.difference->asked.a.model != scene.model->within.model) return "Computing.";
  if (!held.difference->error.empty()) return held.difference->error;
  const ModelDifference::Attention* const attention = held.difference->find(shown_head(scene).of);
  if (attention == nullptr) return "What is held has no attention of this kind.";
  if (attention->queries.count() == 0)
    return "The two texts have different numbers of tokens and neither begin nor end alike, so no tokens "
           "correspond.";
  return {};
}

std::string row_word(const ComparedRun& run, AttentionOf of, std::int64_t row) {
  return word_of_token(run.tokens->queries_of(of), row);
}

std::string key_word(const ComparedRun& run, AttentionOf of, std::int64_t key) {
  return word_of_token(run.tokens->keys_of(of), key);
}

std::string match_words(const TokenMatch& match) {
  if (match.kind != TokenMatch::Kind::Ends) return {};
  const std::string first = std::to_string(match.first), last = std::to_string(match.last);
  if (match.last == 0) return match.first == 1 ? "the first token" : "the first " + first + " tokens";
  if (match.first == 0) return match.last == 1 ? "the last token" : "the last " + last + " tokens";
  return "the first " + first + " and the last " + last + " tokens";
}

std::string match_sentence(const TokenMatch& match) {
  if (match.kind == TokenMatch::Kind::Same) return {};
  if (match.kind == TokenMatch::Kind::Position)
    return "The texts differ and have as many tokens: they are compared by position.";
  return "Compared: " + inner(match_words(match)) +
         ". Weights on other tokens are left out and nothing is renormalised.";
}

}  // namespace attnscope
