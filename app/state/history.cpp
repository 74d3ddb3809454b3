#include "app/state/history.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/document/document_tensors.hpp"

namespace attnscope {
namespace {

constexpr double rest_seconds = 1;  // seconds without a change that end a step while the input is busy

/// The bytes of the texts and their tokens.
std::size_t bytes_of(const Sequences& sequences) {
  std::size_t bytes = 0;
  for (const Sequence& sequence : sequences) {
    bytes += sizeof(Sequence) + sequence.text.size();
    for (const Token& token : sequence.tokens) bytes += sizeof(Token) + token.text.size();
  }
  return bytes;
}

/// The bytes of a Document's texts and blocks that are not in `counted` yet; adds them to it.
std::size_t new_bytes(const Document& document, std::set<const void*>& counted) {
  std::size_t bytes = 0;
  for (const Sequences* each : {&document.input.sequences, &document.input.memory})
    if (!each->empty() && counted.insert(each->identity()).second) bytes += bytes_of(*each);
  for_each_tensor(document, [&](const TensorPtr& block) {
    if (block && counted.insert(block.get()).second) bytes += block->values().size_bytes();
  });
  return bytes;
}

std::size_t new_bytes(const History::Step& step, std::set<const void*>& counted) {
  return new_bytes(step.document, counted) + (step.held ? new_bytes(step.held->document, counted) : 0);
}

bool is_same(const HeldThenPtr& a, const HeldThenPtr& b) {
  return a == b || (a && b && a->document == b->document);
}

}  // namespace

void History::holds(const HeldThen* now) {
  if (now == nullptr)
    held_.reset();
  else if (!held_ || held_->document != now->document)
    held_ = std::make_shared<const HeldThen>(*now);
}

void History::leave_held() {
  if (!left_) left_ = held_;
}

bool History::is_held_left() const { return left_ && !is_same(*left_, held_); }

/// Whether the user released or replaced B and no step has recorded it yet.
bool History::note_left(Hand hand) {
  if (!is_held_left()) {
    left_.reset();
    left_by_hand_ = false;
    return false;
  }
  left_by_hand_ = left_by_hand_ || hand.acted;
  return left_by_hand_;
}

void History::record(const Document& document, const Viewing& look) {
  const bool takes_held = is_held_left();
  present_is_place_ =
      !takes_held && present_ && present_->document == document && present_->look.differs_in_place_only(look);
  if (present_ && takes_held) present_->held = *left_;
  if (present_) past_.push_back(std::move(*present_));
  present_ = Step{document, look, held_, takes_held, origin_};
  left_.reset();
  left_by_hand_ = false;
  ++recorded_;
  future_.clear();
  seen_.reset();
  acted_ = false;
  // Keeps steps from the newest to the oldest while both limits allow.
  std::set<const void*> counted;
  std::size_t bytes = new_bytes(*present_, counted), kept = 0;
  while (kept < past_.size() && kept < max_steps && bytes <= max_bytes)
    bytes += new_bytes(past_[past_.size() - ++kept], counted);
  if (bytes > max_bytes && kept > 1) --kept;
  past_.erase(past_.begin(), past_.end() - static_cast<std::ptrdiff_t>(kept));
}

void History::observe(const Document& document, const Viewing& look, Hand hand, double seconds) {
  const bool stepped = std::exchange(stepped_, false);
  is_step_last_ = stepped || (is_step_last_ && !hand.pressed);
  if (is_step_last_ && !stepped) hand.acted = false;
  const bool is_left_by_hand = note_left(hand);
  if (present_ && !left_) present_->held = held_;
  if (present_ && present_->document == document) {
    seen_.reset();
    present_->origin = origin_;  // the same Document may have been opened from another file
    acted_ = present_->look != look && (acted_ || hand.acted);
    if (is_left_by_hand && !hand.busy) return record(document, look);
    if (left_ && !is_left_by_hand) {
      present_->takes_held = true;
      present_->held = held_;
      left_.reset();
    }
    if (present_->look == look) return;
    if (stepped || (!acted_ && !hand.busy)) {
      present_->look = look;
      acted_ = false;  // this key did nothing else: a later change by the new result is no step
    } else if (present_is_place_ && present_->look.differs_in_place_only(look)) {
      present_->look = look;
      future_.clear();
    } else if (!hand.busy) {
      record(document, look);
    }
  } else if (!present_ || !hand.busy) {
    record(document, look);
  } else if (seen_ != document) {
    seen_ = document;
    seen_at_ = seconds;
  } else if (seconds - seen_at_ > rest_seconds) {
    record(document, look);
  }
}

void History::end_step(const Document& document, const Viewing& look) {
  if (present_ && present_->document != document) record(document, look);
}

void History::follow(const Document& document, const Viewing& before, const Viewing& after) {
  if (before != after && present_ && present_->look == before && present_->document == document)
    present_->look = after;
}

void History::record_changes(const Document& document, const Viewing& look) {
  if (!present_ || present_->document != document || present_->look != look || is_held_left())
    record(document, look);
  left_.reset();
}

std::optional<History::Step> History::undo(const Document& document, const Viewing& look) {
  record_changes(document, look);
  if (past_.empty()) return std::nullopt;
  present_->held = held_;
  const bool takes_held = present_->takes_held;
  future_.push_back(std::move(*present_));
  present_ = std::move(past_.back());
  past_.pop_back();
  present_is_place_ = false;
  stepped_ = true;
  Step there = *present_;
  there.takes_held = takes_held;
  return there;
}

std::optional<History::Step> History::redo(const Document& document, const Viewing& look) {
  record_changes(document, look);
  if (future_.empty()) return std::nullopt;
  present_->held = held_;
  past_.push_back(std::move(*present_));
  present_ = std::move(future_.back());
  future_.pop_back();
  present_is_place_ = false;
  stepped_ = true;
  return present_;
}

}  // namespace attnscope
