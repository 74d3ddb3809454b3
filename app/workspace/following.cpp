#include "app/workspace/following.hpp"

namespace attnscope {

void Following::follow(const Document& document) {
  if (document == submitted_) return;
  const bool is_another = !submitted_;
  submitted_ = document;
  ticket_ = engine_.submit(document);
  if (is_another) first_ticket_ = ticket_;
}

bool Following::use(std::shared_ptr<Backend> backend) {
  const std::uint64_t ticket = engine_.use(std::move(backend));
  if (ticket == 0) return false;
  if (submitted_) ticket_ = ticket;  // else the engine computes the previous Document again
  return true;
}

ResultPtr Following::news() const {
  ResultPtr newest = engine_.latest();
  if (!submitted_ || !newest || newest->ticket < first_ticket_) return nullptr;
  return std::pair(newest->ticket, newest->refinement) > seen_ ? newest : nullptr;
}

}  // namespace attnscope
