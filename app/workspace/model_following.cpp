#include "app/workspace/model_following.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/edits/within.hpp"
#include "core/models/opened/layer_changes.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {

void ModelFollowing::follow(const Document& document, const ModelWants& wants) {
  const ModelContext& within = document.within.read();
  if (!within) {
    if (!submitted_) return;
    engine_.forget();
    submitted_.reset();
    let_go_(std::exchange(shown_, nullptr));
    let_go_(std::exchange(seen_reading_, nullptr));
    return;
  }
  if (submitted_ == within && wants_ == wants) return;
  submitted_ = within;
  wants_ = wants;
  ticket_ = engine_.submit(within, wants);
}

ModelReadingPtr ModelFollowing::news() {
  ModelReadingPtr newest = engine_.latest();
  if (!submitted_ || !newest || newest->within.model != submitted_->model ||
      std::pair(newest->ticket, newest->refinement) <= seen_)
    return nullptr;
  seen_ = {newest->ticket, newest->refinement};
  let_go_(std::exchange(seen_reading_, newest));
  if (newest->error.empty()) let_go_(std::exchange(shown_, newest));
  return newest;
}

ModelReadingPtr ModelFollowing::reading_of(const Document& document) const {
  const ModelContext& within = document.within.read();
  return within && shown_ && shown_->within.model == within.model ? shown_ : nullptr;
}

bool ModelFollowing::is_up_to_date(const Document& document) const {
  const ModelContext& within = document.within.read();
  return !within || (submitted_ == within && seen_.first == ticket_);
}

bool ModelFollowing::is_complete() const {
  return !submitted_ ||
         (seen_.first == ticket_ && seen_reading_ &&
          (seen_reading_->is_complete || seen_reading_->is_stopped || !seen_reading_->error.empty()));
}

bool ModelFollowing::is_of_shown(const ModelContext& within) const {
  return within && shown_ && shown_->block && shown_->within.model == within.model &&
         shown_->within.of == within.of && shown_->within.block == within.block;
}

Document ModelFollowing::with_shown_block(Document document) const {
  const ModelContext& within = document.within.read();
  if (!is_of_shown(within)) return document;
  document.input = shown_->layer.input;
  document.blocks = shown_->layer.blocks;
  document.looked_at = shown_->layer.looked_at;
  document.embedding = shown_->layer.embedding;
  document.embedding_gain = shown_->layer.embedding_gain;
  document.title = fmt::format("{} · layer {}", within.model->name, within.block);
  if (within.changes != shown_->within.changes)
    impose(*shown_->block, within.changes, sizes_of(*within.model->model, *shown_->run, *shown_->block),
           document.layer());
  return document;
}

std::string_view ModelFollowing::take_edits(const Document& before, Document& document) const {
  const ModelContext& within = document.within.read();
  if (!is_of_shown(within) || !before.within.read()) return {};
  if (within != before.within.read()) {
    document = with_shown_block(std::move(document));
    return {};
  }
  if (document.blocks == before.blocks && document.input == before.input) return {};
  std::string_view why = "Inside a model the input of a layer follows from the text.";
  if (document.input == before.input) {
    const LayerSpec &shown = before.layer(), &layer = document.layer();
    if (std::optional<ModelChanges> changes = changes_like(*shown_->block, within.changes, shown, layer)) {
      if (*changes != within.changes) document.within.change().changes = *std::move(changes);
      return {};
    }
    why = why_outside(within.of, shown, layer);
  }
  document.within = {};
  return why;
}

}  // namespace attnscope
