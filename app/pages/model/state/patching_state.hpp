// app/pages/model: state of Atlas and Patching: effects of zeroing each head, and of patching it from another
// text.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/kit/table.hpp"
#include "app/views/atlas/effect_words.hpp"

namespace attnscope {

struct OpenedModel;  // core/models/opened/opened_model.hpp

struct AtlasState {
  EffectMeasure measure = EffectMeasure::Logit;  // of the map's colours
  TableOrder order{.sorted_by = 1};              // of the list; sessions do not keep its first row
};

/// A pair of texts: the one that the model reads (clean) and the corrupted one.
struct PatchingState {
  std::string corrupted;
  std::string answer, other;         // as typed; empty: the likeliest token of each text
  TableOrder order{.sorted_by = 1};  // of the list; sessions do not keep its first row
  /// The last suggestions, made for this clean text. Those that the user did not change are replaced when the
  /// clean text changes.
  struct Suggested {
    std::string clean, corrupted, answer, other;
  };
  Suggested suggested;
  // The clean texts for which the user typed the corrupted text and an answer; empty: not typed.
  std::string corrupted_beside, answers_beside;

  // Not kept in a session.
  bool is_running = true;                    // not stopped by the user
  std::shared_ptr<const OpenedModel> begun;  // the model for which a text was suggested
  std::string clean;                         // the clean text of the patching that runs
  /// The token of an answer; found again when the answer or the model changes.
  struct Answer {
    std::shared_ptr<const OpenedModel> of;
    std::string words, problem;
    std::optional<std::int64_t> id;
  };
  std::array<Answer, 2> answers;
};

}  // namespace attnscope
