#include "app/results/backends.hpp"

#include <algorithm>
#include <utility>

#include "app/kit/ui/number_format.hpp"

namespace attnscope {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 30;  // the most memory of a comparison

Parity compared(const Result& result, const std::shared_ptr<Backend>& with, const std::stop_token& stop,
                ParityProgress& progress) {
  if (const std::int64_t needed = parity_bytes(result.layer()); needed > most_bytes)
    throw Error("Comparing would hold all stages a second time, which takes " + bytes(needed) + "; up to " +
                bytes(most_bytes) + " are used.");
  return compare_backends(result, with, stop, &progress);
}

std::optional<double> most_over_least(const std::vector<double>& times) {
  if (times.size() < 2) return std::nullopt;
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  return *most / *least;
}

}  // namespace

Backends::Backends(std::vector<BackendChoice> choices, SharedPool pool)
    : choices_(std::move(choices)),
      pool_(std::move(pool)),
      times_(choices_.size()),
      model_times_(choices_.size()) {}

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
  return most_over_least(known);
}

void Backends::note(const ModelReading& reading) {
  if (within_.model != reading.within.model || within_.input != reading.within.input ||
      within_.changes != reading.within.changes) {
    within_ = reading.within;
    std::fill(model_times_.begin(), model_times_.end(), std::nullopt);
  }
  const std::optional<std::size_t> by = reading.backend.empty() ? 0 : find(reading.backend);
  if (by) model_times_[*by] = reading.milliseconds;
}

std::optional<double> Backends::model_ratio() const {
  std::vector<double> known;
  for (const std::optional<double>& time : model_times_)
    if (time && *time > 0) known.push_back(*time);
  return most_over_least(known);
}

void Backends::compare(const ResultPtr& result) {
  if (now_.task && now_.task->result() && compared_.task != now_.task) {
    compared_ = now_;
    const Parity& parity = *compared_.task->result();
    const std::optional<std::size_t> second = find(parity.second);
    // Both backends computed the Document as a whole, so the comparison also times the second one.
    if (second && parity.is_complete && compared_.of->document == document_) times_[*second] = parity.times;
  }
  if (now_.task && now_.of == result) return;
  const std::optional<std::size_t> by = find(result->backend);
  if (!by || next(*by) == *by) return;
  now_ = {result, std::make_shared<ParityTask>([result, with = choices_[next(*by)].backend](
                                                   const std::stop_token& stop, ParityProgress& progress) {
            return compared(*result, with, stop, progress);
          })};
  worker_.replace(now_.task);
}

void Backends::stop_comparing() {
  if (now_.task) now_.task->cancel();
}

}  // namespace attnscope
