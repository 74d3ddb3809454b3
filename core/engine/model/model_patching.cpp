#include "core/engine/model/model_patching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/engine/model/model_effects.hpp"
#include "core/readouts/patching.hpp"
#include "core/readouts/text/not_finite.hpp"

namespace attnscope {
namespace {

constexpr double open_cell = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t rows_at_once = 1024;  // rows of all patched versions of a step

}  // namespace

void ModelPatching::begin(const OpenedModel& opened, std::shared_ptr<const ModelTokens> tokens,
                          ModelRunPtr clean, std::int64_t row, const ModelWants& wants) {
  const bool is_same = tokens == tokens_ && row == row_ && wants.corrupted == text_ &&
                       wants.answer == wanted_answer_ && wants.other_answer == wanted_other_;
  clean_ = std::move(clean);
  if (is_same) return;
  tokens_ = std::move(tokens);
  row_ = row;
  text_ = *wants.corrupted;
  wanted_answer_ = wants.answer;
  wanted_other_ = wants.other_answer;
  corrupted_.reset();
  known_ = {};
  known_.row = row;
  known_.heads = all_heads(opened.model->spec);
  blocks_left_ = known_.heads.back().block + 1;
  is_done_ = false;
}

double ModelPatching::share() const {
  const std::size_t all = known_.whole.size() + known_.cells.size();
  return all == 0 ? 0 : static_cast<double>(known_.known) / static_cast<double>(all);
}

void ModelPatching::step(const OpenedModel& opened, const Work& work) {
  if (is_done_) return;
  try {
    if (!corrupted_)
      run_corrupted(opened, work);
    else if (blocks_left_ > 0)
      patch_block(*opened.model, work);
    else
      patch_rows(*opened.model, work);
  } catch (const Error& error) {
    known_ = {};
    known_.problem = error.what();
    is_done_ = true;
  }
}

void ModelPatching::run_corrupted(const OpenedModel& opened, const Work& work) {
  const Model& model = *opened.model;
  known_.corrupted = std::make_shared<const ModelTokens>(tokens_of(opened, text_));
  corrupted_ = std::make_shared<const ModelRun>(
      run_model(model, known_.corrupted->input, {.logits = LogitRows::Last}, work));
  // Checks first that the texts fit each other: otherwise the row may not exist in one of them.
  PatchedPair pair{model, *clean_, *corrupted_, row_};
  answer_of(pair, *clean_, work);
  const std::vector<float> clean = predicted_logits(model, *clean_, row_, work),
                           corrupted = predicted_logits(model, *corrupted_, row_, work);
  for (const bool is_clean : {true, false})
    if (likeliest(is_clean ? clean : corrupted, 1)[0].id == not_a_token)
      throw Error(not_finite_sentence(model, is_clean ? *clean_ : *corrupted_));
  const AskedAnswer asked = asked_answer(clean, corrupted, wanted_answer_, wanted_other_);
  known_.token = pair.token = asked.token;
  known_.other = pair.other = asked.other;
  known_.clean_answer = answer_of(pair, *clean_, work);
  known_.corrupted_answer = answer_of(pair, *corrupted_, work);
  known_.rows = corrupted_->last(model).normed.rows();
  known_.first_row = std::min(first_patched_row(pair), known_.rows);
  known_.estimates = direct_effects(pair, work);
  known_.whole.assign(known_.heads.size(), open_cell);
  known_.cells.assign(known_.heads.size() * static_cast<std::size_t>(known_.rows), open_cell);
  for (std::size_t head = 0; head < known_.heads.size(); ++head)
    for (std::int64_t row = 0; row < known_.first_row; ++row)
      known_.cells[head * static_cast<std::size_t>(known_.rows) + static_cast<std::size_t>(row)] = 0;
  known_.known = std::ssize(known_.heads) * known_.first_row;
}

void ModelPatching::patch_block(const Model& model, const Work& work) {
  const int block = blocks_left_ - 1;
  std::vector<PatchPlace> places;
  std::vector<std::size_t> heads;
  for (std::size_t i = 0; i < known_.heads.size(); ++i)
    if (known_.heads[i].block == block) {
      places.push_back({known_.heads[i]});
      heads.push_back(i);
    }
  const PatchedPair pair{model, *clean_, *corrupted_, row_, known_.token, known_.other};
  const std::vector<double> effects = patch_effects(pair, places, nullptr, work);
  for (std::size_t i = 0; i < heads.size(); ++i) known_.whole[heads[i]] = effects[i];
  known_.known += std::ssize(heads);
  blocks_left_ = block;
}

/// Of the heads with unknown rows the one with the largest effect in all rows.
std::optional<std::size_t> ModelPatching::next_head() const {
  std::optional<std::size_t> next;
  for (std::size_t head = 0; head < known_.heads.size(); ++head) {
    if (known_.rows == 0 || !std::isnan(known_.at(head, known_.rows - 1))) continue;
    if (!next || std::abs(known_.whole[head]) > std::abs(known_.whole[*next])) next = head;
  }
  return next;
}

void ModelPatching::patch_rows(const Model& model, const Work& work) {
  const std::optional<std::size_t> head = next_head();
  if (!head) {
    is_done_ = true;
    return;
  }
  double* const cells = known_.cells.data() + *head * static_cast<std::size_t>(known_.rows);
  std::vector<PatchPlace> places;
  const std::int64_t most = std::max<std::int64_t>(1, rows_at_once / known_.rows);
  for (std::int64_t row = known_.first_row; row < known_.rows && std::ssize(places) < most; ++row)
    if (std::isnan(cells[row])) places.push_back({known_.heads[*head], row});
  const PatchedPair pair{model, *clean_, *corrupted_, row_, known_.token, known_.other};
  const std::vector<double> effects = patch_effects(pair, places, nullptr, work);
  for (std::size_t i = 0; i < places.size(); ++i) cells[places[i].row] = effects[i];
  known_.known += std::ssize(places);
  is_done_ = !next_head();
}

}  // namespace attnscope
