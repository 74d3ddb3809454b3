// app/pages/model: "Why did it look there?": what is split, and how much of it stands by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/state/model_head.hpp"

namespace attnscope {

struct OpenedModel;  // core/models/opened/opened_model.hpp
struct WhyReading;   // core/engine/model/model_why.hpp

/// The tokens whose logits are split are ModelLook's.
struct WhyState {
  bool over_mean = true;  // the score less the mean of its row
  std::int64_t query_parts = 8, key_parts = 9;
  bool path = true;             // the strongest path stands below, else residual stream and prediction
  float smallest_link = 0.25f;  // of the path that is drawn

  // The cell of the table that arrows step to, of so many.
  struct Mark {
    std::int64_t query = 0, key = 0;
  };
  std::optional<Mark> mark;
  std::optional<ModelHead> marked_head;  // that a part of it is, if it is one, looked at in this row
  std::int64_t marked_row = 0;
  std::int64_t rows = 0, columns = 0;

  // The last one that was known, shown until the next is: with the words it was made of.
  std::shared_ptr<const WhyReading> shown;
  std::shared_ptr<const OpenedModel> of;
  std::string query, key, token_name, minus_name;
};

}  // namespace attnscope
