#include "app/exports/words/print_words.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/kit/ui/own_words.hpp"

namespace attnscope {
namespace {

std::string print_said(const Words& words, std::string_view text) {
  std::string room;
  return plain(words.translated(text, room));
}

}  // namespace

PrintTexts print_texts(const Words& words) {
  const auto say = [&](std::string_view text) { return print_said(words, text); };
  PrintTexts texts;
  texts.worksheet = say("Worksheet");
  texts.person = say("Name");
  texts.date = say("Date");
  texts.by_hand = say("By hand");
  texts.given = say("Three tokens, each with a query and a key of four numbers and a value of two.");
  texts.fill = say("Fill in the empty tables, with two decimals where a number is not whole.");
  texts.queries = say("Queries");
  texts.keys = say("Keys");
  texts.values = say("Values");
  texts.scores = say("Scores Q·Kᵀ");
  texts.scaled = say("Scores divided by √dₖ");
  texts.weights = say("Weights A: the softmax of each row");
  texts.outputs = say("Outputs A·V");
  texts.questions = say("Questions");
  texts.because = say("Because");
  texts.curve = say("Draw the curve that you expect.");
  texts.step = say("step");
  texts.think = say("What do you expect, and why?");
  texts.done = say("To be done in AttnScope");
  texts.measured = say("What was measured");
  texts.answers = say("Answer key");
  texts.answers_apart = say("Keep this page when you hand out the sheet.");
  texts.instructor = say("For the instructor");
  texts.goal = say("Goal");
  texts.time = say("Time");
  texts.needs = say("What it needs");
  texts.plan = say("Plan");
  texts.thoughts = say("Misconceptions");
  texts.they_say = say("What they may say");
  texts.why_not = say("Why it is not so");
  texts.board = say("Board sketch");
  texts.ask = say("What to ask");
  texts.notes = say("Notes of the steps");
  texts.hidden_none = say("No key is hidden.");
  texts.hidden_later = say("A query sees no later key.");
  texts.not_divided = say("The scores are not divided.");
  texts.two_decimals = say("Two decimals are enough.");
  return texts;
}

std::string print_sheet(const Words& words, std::int64_t seed) {
  return print_said(words, "sheet " + std::to_string(seed));
}

std::string print_setting(const Words& words, bool divided, bool causal, double temperature) {
  std::vector<std::string> parts{print_said(words, divided ? "divided by √dₖ" : "not divided"),
                                 print_said(words, causal ? "causal mask" : "no mask")};
  if (temperature != 1) parts.push_back(print_said(words, fmt::format("τ = {:.4g}", temperature)));
  return fmt::format("{}", fmt::join(parts, " · "));
}

std::string print_estimate(const Words& words, std::string_view low, std::string_view high) {
  return print_said(words, fmt::format("My estimate, between {} and {}", own_number(low), own_number(high)));
}

std::string print_sketch(const Words& words, std::string_view row) {
  return print_said(words,
                    fmt::format("Draw a bar for each key: the weight that row “{}” gives it.", own(row)));
}

std::string print_minutes(const Words& words, std::int64_t minutes) {
  return print_said(words, std::to_string(minutes) + " minutes");
}

std::string print_steps(const Words& words, std::int64_t steps) {
  return print_said(words, std::to_string(steps) + " steps");
}

std::string print_from(const Words& words, std::string_view time) {
  return print_said(words, fmt::format("from {}", own(time)));
}

std::string print_needs(const Words& words, std::string_view model, bool trains) {
  if (trains) return print_said(words, "A small model is trained while one watches.");
  if (model.empty()) return print_said(words, "Nothing but the program.");
  return print_said(words, fmt::format("The model {}.", own(model)));
}

std::string print_given(const Words& words, std::string_view queries, std::string_view keys,
                        std::string_view values) {
  return print_said(words,
                    fmt::format("Queries: {}. Keys: {}. Values: {}.", own(queries), own(keys), own(values)));
}

std::string print_divided(const Words& words, std::string_view root) {
  return print_said(words, fmt::format("The scores are divided by √dₖ = {}.", own(root)));
}

std::string print_temperature(const Words& words, std::string_view temperature) {
  return print_said(words, fmt::format("The temperature is {}.", own_number(temperature)));
}

std::string print_score_asked(const Words& words, std::string_view query, std::string_view key) {
  return print_said(words, fmt::format("What is the score of the query of “{}” with the key of “{}”?",
                                       own(query), own(key)));
}

std::string print_weight_asked(const Words& words, std::string_view query, std::string_view key) {
  return print_said(words,
                    fmt::format("Which weight does the query of “{}” give to “{}”?", own(query), own(key)));
}

std::string print_output_asked(const Words& words, std::string_view query) {
  return print_said(words, fmt::format("What is the first number of the output of “{}”?", own(query)));
}

}  // namespace attnscope
