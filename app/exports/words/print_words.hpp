// app/exports: the words of printed worksheets, instructors' pages and quizzes, in the language of the
// window.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/kit/ui/words.hpp"

namespace attnscope {

struct PrintTexts {
  // A worksheet.
  std::string worksheet, person, date, by_hand, given, fill, queries, keys, values, scores, scaled, weights,
      outputs, questions, because, curve, step, think, done, measured, answers, answers_apart;
  // A page for the instructor.
  std::string instructor, goal, time, needs, plan, thoughts, they_say, why_not, board, ask, notes;
  // Questions of a quiz about the exercise.
  std::string hidden_none, hidden_later, not_divided, two_decimals;
};
PrintTexts print_texts(const Words&);

/// "sheet 7"
std::string print_sheet(const Words&, std::int64_t seed);
/// "divided by √dₖ · causal mask · τ = 2"
std::string print_setting(const Words&, bool divided, bool causal, double temperature);
/// "My estimate, between 0 and 1"
std::string print_estimate(const Words&, std::string_view low, std::string_view high);
/// "Draw a bar for each key: the weight that row “a” gives it."
std::string print_sketch(const Words&, std::string_view row);
/// "8 minutes", "9 steps"
std::string print_minutes(const Words&, std::int64_t minutes);
std::string print_steps(const Words&, std::int64_t steps);
/// "from 2:30"
std::string print_from(const Words&, std::string_view time);
/// What a lesson needs: a model of that name (empty: none), or time to train.
std::string print_needs(const Words&, std::string_view model, bool trains);

/// "Queries: a (1, 0). Keys: … . Values: … ."
std::string print_given(const Words&, std::string_view queries, std::string_view keys,
                        std::string_view values);
std::string print_divided(const Words&, std::string_view root);
std::string print_temperature(const Words&, std::string_view temperature);
std::string print_score_asked(const Words&, std::string_view query, std::string_view key);
std::string print_weight_asked(const Words&, std::string_view query, std::string_view key);
std::string print_output_asked(const Words&, std::string_view query);

}  // namespace attnscope
