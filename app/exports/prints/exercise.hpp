// app/exports/prints: an exercise to be computed by hand: attention over three tokens with small whole
// numbers, other ones for every seed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attnscope::prints {

/// How weights follow from the scores.
struct ExerciseSetting {
  bool divided = true, causal = false;  // by √dₖ; no query sees a later key
  double temperature = 1;
  bool operator==(const ExerciseSetting&) const = default;
};

/// What is computed with one setting; matrices by rows.
struct ExercisePart {
  ExerciseSetting setting;
  std::vector<double> scaled, weights, mixed;  // [tokens][tokens] twice, [tokens][d_v]
};

struct Exercise {
  static constexpr std::int64_t tokens = 3, d_k = 4, d_v = 2;
  static constexpr std::array<std::string_view, 3> names{"a", "b", "c"};
  std::vector<int> query, key, value;  // [tokens][d_k] twice, [tokens][d_v]
  std::vector<double> scores;          // [tokens][tokens]
  std::vector<ExercisePart> parts;

  /// The numbers of one token.
  std::vector<int> row(const std::vector<int>& of, std::int64_t token) const;
};

/// The same numbers for the same lesson and seed on every machine; those of one lesson and of one seed
/// differ. They are computed by the program's own attention. Without settings: empty.
Exercise make_exercise(std::string_view lesson, std::int64_t seed,
                       const std::vector<ExerciseSetting>& settings);

}  // namespace attnscope::prints
