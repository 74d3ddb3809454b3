#include "app/history.hpp"

#include <set>
#include <utility>

#include "core/document_blocks.hpp"

namespace attnscope {
namespace {

constexpr double rest = 1;  // seconds without a change that end a step while a text is typed

/// Adds the bytes of blocks of a Document that no other one counted before.
std::size_t new_bytes(const Document& document, std::set<const Tensor*>& counted) {
  std::size_t bytes = 0;
  for_each_block(document, [&](const TensorPtr& block) {
    if (block && counted.insert(block.get()).second) bytes += block->values().size_bytes();
  });
  return bytes;
}

}  // namespace

void History::record(const Document& document) {
  if (present_) past_.push_back(std::move(*present_));
  present_ = document;
  future_.clear();
  seen_.reset();
  // From the newest to the oldest, as far as steps and bytes reach.
  std::set<const Tensor*> counted;
  std::size_t bytes = new_bytes(*present_, counted), kept = 0;
  while (kept < past_.size() && kept < max_steps && bytes <= max_bytes)
    bytes += new_bytes(past_[past_.size() - ++kept], counted);
  if (bytes > max_bytes && kept > 1) --kept;
  past_.erase(past_.begin(), past_.end() - static_cast<std::ptrdiff_t>(kept));
}

void History::observe(const Document& document, bool busy, double seconds) {
  if (present_ == document) {
    seen_.reset();
  } else if (!present_ || !busy) {
    record(document);
  } else if (seen_ != document) {
    seen_ = document;
    seen_at_ = seconds;
  } else if (seconds - seen_at_ > rest) {
    record(document);
  }
}

std::optional<Document> History::undo(const Document& document) {
  if (present_ != document) record(document);
  if (past_.empty()) return std::nullopt;
  future_.push_back(std::move(*present_));
  present_ = std::move(past_.back());
  past_.pop_back();
  return present_;
}

std::optional<Document> History::redo(const Document& document) {
  if (present_ != document) record(document);
  if (future_.empty()) return std::nullopt;
  past_.push_back(std::move(*present_));
  present_ = std::move(future_.back());
  future_.pop_back();
  return present_;
}

}  // namespace attnscope
