// app/pages/model: which effects of heads are looked at: of zeroing each, or of what it brings back of
// another text's answer.
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
  TableOrder order{.sorted_by = 1};              // of the list; in sessions without its first row
};

/// A pair of texts: the one that the model reads and this one.
struct PatchingState {
  std::string corrupted;
  std::string answer, other;         // as they were typed; empty: the likeliest of each text
  TableOrder order{.sorted_by = 1};  // of the list; in sessions without its first row
  /// What the program put there last, beside this clean text. What of it still stands as it was is made anew
  /// when the clean text is another.
  struct Suggested {
    std::string clean, corrupted, answer, other;
  };
  Suggested suggested;
  // The clean texts beside which a person typed the corrupted one and an answer; empty: none did.
  std::string corrupted_beside, answers_beside;

  // Of the moment.
  bool is_running = true;                    // not stopped by the person
  std::shared_ptr<const OpenedModel> begun;  // a text was suggested for it
  std::string clean;                         // that it was begun with
  /// Which tokens the answers are; found anew where one of them or the model is another.
  struct Answer {
    std::shared_ptr<const OpenedModel> of;
    std::string words, problem;
    std::optional<std::int64_t> id;
  };
  std::array<Answer, 2> answers;
};

}  // namespace attnscope
