// app/pages/model: "Why did it look there?": what is split, and how many parts are shown one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/state/model_head.hpp"

namespace attnscope {

struct OpenedModel;  // core/models/opened/opened_model.hpp
struct WhyGroups;    // app/pages/model/why/why.hpp
struct WhyReading;   // core/engine/model/model_why.hpp

/// The tokens whose logits are split are in ModelLook.
struct WhyState {
  bool over_mean = true;  // the score minus the mean of its row
  std::int64_t query_parts = 8, key_parts = 9;
  bool path = true;             // the strongest path is shown below, else residual stream and prediction
  float smallest_link = 0.25f;  // the smallest link of the path that is drawn

  // The cell of the table that the arrow keys have reached; rows and columns are the table's size.
  struct Mark {
    std::int64_t query = 0, key = 0;
  };
  std::optional<Mark> mark;
  std::optional<ModelHead> marked_head;  // the head of one of its parts, if there is one, shown in marked_row
  std::int64_t marked_row = 0;
  std::int64_t rows = 0, columns = 0;

  // The last known split, shown until the next is computed, with its words.
  std::shared_ptr<const WhyReading> shown;
  std::shared_ptr<const OpenedModel> of;
  std::shared_ptr<const WhyGroups> groups;  // of `shown`; null: not asked for yet
  std::string query, key, token_name, minus_name;
};

}  // namespace attnscope
