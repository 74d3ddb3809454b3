#include "app/results/backends.hpp"

#include <algorithm>
#include <utility>

namespace attnscope {

Backends::Backends(std::vector<BackendChoice> choices)
    : choices_(std::move(choices)), times_(choices_.size()) {}

std::optional<std::size_t> Backends::find(std::string_view backend) const {
  for (std::size_t i = 0; i < choices_.size(); ++i)
    if (choices_[i].backend && choices_[i].backend->name() == backend) return i;
  return std::nullopt;
}

std::shared_ptr<Backend> Backends::beside(const Result& result) const {
  const std::optional<std::size_t> by = find(result.backend);
  return by ? choices_[*by].beside : nullptr;
}

std::size_t Backends::next(std::size_t choice) const {
  for (std::size_t step = 1; step < choices_.size(); ++step) {
    const std::size_t i = (choice + step) % choices_.size();
    if (choices_[i].backend) return i;
  }
  return choice;
}

std::string Backends::why_alone() const {
  if (!is_alone()) return {};
  for (const BackendChoice& choice : choices_)
    if (!choice.why_not.empty()) return choice.why_not;
  return "No other backend was asked for.";
}

void Backends::note(const Result& result) {
  if (!(document_ == result.document)) {
    document_ = result.document;
    std::fill(times_.begin(), times_.end(), std::nullopt);
  }
  const std::optional<std::size_t> by = find(result.backend);
  if (by && result.layer().is_complete()) times_[*by] = result.layer().whole;
}

const WholeTimes* Backends::times(std::size_t choice) const {
  return times_[choice] ? &*times_[choice] : nullptr;
}

std::optional<double> Backends::ratio() const {
  std::vector<double> known;
  for (const std::optional<WholeTimes>& times : times_)
    if (times && times->total() > 0) known.push_back(times->total());
  if (known.size() < 2) return std::nullopt;
  const auto [least, most] = std::minmax_element(known.begin(), known.end());
  return *most / *least;
}

void Backends::compare(const ResultPtr& result) {
  if (job_ && job_->parity() && compared_ != job_) {
    compared_ = job_;
    const std::optional<std::size_t> second = find(compared_->parity()->second);
    // Both computed the Document whole, so that the comparison times the second as well.
    if (second && compared_->parity()->is_complete && compared_->of()->document == document_)
      times_[*second] = compared_->parity()->times;
  }
  if (job_ && job_->of() == result) return;
  const std::optional<std::size_t> by = find(result->backend);
  if (!by || next(*by) == *by) return;
  job_ = std::make_shared<ParityJob>(result, choices_[next(*by)].backend);
  background_.start(job_);
}

void Backends::stop_comparing() {
  if (job_) job_->let_go();
}

}  // namespace attnscope
