#include "app/session/session_keeper.hpp"

#include "app/session/session.hpp"

namespace attnscope {

ResultPtr SessionKeeper::held_in(const Now& now) { return now.held ? now.held->result : nullptr; }

bool SessionKeeper::is_seen(const Now& now, std::uint64_t mark) const {
  return written_ && written_->mark == mark && written_->held == held_in(now) &&
         written_->document == now.document;
}

void SessionKeeper::is_as_it_was(const Now& now) {
  written_ = Seen{now.document, mark_of(now.view, now.selection), held_in(now)};
  due_.reset();
}

void SessionKeeper::observe(const Now& now) {
  if (is_seen(now, mark_of(now.view, now.selection))) {
    due_.reset();  // the change was undone
  } else if (!due_) {
    due_ = now.seconds + delay;
  } else if (now.seconds >= *due_) {
    write(now);
  }
}

void SessionKeeper::write(const Now& now) {
  if (!due_) return;
  is_as_it_was(now);
  const double held_for = now.held ? now.seconds - now.held->seconds : 0;
  Autosave::State state{now.document, view_to_json(now.view, now.selection, held_for, now.file), {}};
  if (now.held) state.held = now.held->result->document;
  autosave_.write(std::move(state));
}

}  // namespace attnscope
