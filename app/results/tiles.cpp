#include "app/results/tiles.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "core/base/error.hpp"
#include "core/engine/strong_lines.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_rows = 4;

}  // namespace

/// The job of one place.
class Tiles::Making final : public Job {
 public:
  Making(Tiles& tiles, Place place, std::uint64_t ticket, std::uint64_t frame)
      : place(std::move(place)), ticket(ticket), frame(frame), tiles_(tiles) {}
  bool step() override { return tiles_.step(*this); }

  const Place place;
  const std::uint64_t ticket;  // of the result that it is for
  const std::uint64_t frame;   // in which it was wanted

 private:
  Tiles& tiles_;
};

Tiles::Tiles(SharedPool pool) : pool_(std::move(pool)) {}
Tiles::~Tiles() = default;

void Tiles::show(const ResultPtr& result, std::shared_ptr<Backend> backend) {
  ResultPtr next = result && result->layer().is_long() ? result : nullptr;
  Made gone;  // destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    if (next == result_) return;
    const bool is_refined = next && is_of_shown(next->ticket);
    result_.swap(next);
    if (is_refined) return;
    std::swap(made_, gone);
    making_.reset();  // it is of the previous result
    backend_.swap(backend);
  }
  worker_.replace(nullptr);
}

bool Tiles::is_there(const Place& place) const {
  if (const auto* row = std::get_if<RowPlace>(&place)) return made_.rows.contains(*row);
  if (const auto* lines = std::get_if<LinesPlace>(&place)) {
    const auto at = made_.lines.find(*lines);
    return at != made_.lines.end() && result_ && at->second.refinement == result_->refinement;
  }
  const auto at = made_.tiles.find(std::get<TilePlace>(place));
  if (at == made_.tiles.end()) return false;
  return at->second.tile->step == 1 || !result_ || !result_->layer().is_complete();
}

std::shared_ptr<const WeightTile> Tiles::find(const TilePlace& place) {
  const std::lock_guard lock(mutex_);
  const auto at = made_.tiles.find(place);
  if (at == made_.tiles.end()) return nullptr;
  at->second.used = frame_;
  return at->second.tile;
}

std::shared_ptr<const WeightRow> Tiles::find(const RowPlace& place) const {
  const std::lock_guard lock(mutex_);
  const auto at = made_.rows.find(place);
  return at == made_.rows.end() ? nullptr : at->second;
}

LinesPtr Tiles::find(const LinesPlace& place) const {
  const std::lock_guard lock(mutex_);
  const auto at = made_.lines.find(place);
  return at == made_.lines.end() ? nullptr : at->second.lines;
}

void Tiles::want(const LinesPlace& place) { requests_.emplace_back(place); }
void Tiles::want(const TilePlace& place) { requests_.emplace_back(place); }
void Tiles::want(const RowPlace& place) { requests_.emplace_back(place); }

void Tiles::end_frame() {
  std::deque<JobPtr> wanted;
  {
    const std::lock_guard lock(mutex_);
    ++frame_;
    for (const Place& place : requests_)
      if (result_ && place != making_ && !is_there(place))
        wanted.push_back(std::make_shared<Making>(*this, place, result_->ticket, frame_));
  }
  requests_.clear();
  worker_.replace_all(std::move(wanted), 0, Worker::never);
}

bool Tiles::is_busy() const { return worker_.is_busy(); }

std::string Tiles::take_error() {
  const std::lock_guard lock(mutex_);
  return std::exchange(error_, {});
}

/// Makes one place. True: run it again, by the CPU, since the backend failed.
bool Tiles::step(const Making& wanted) {
  ResultPtr of;
  std::shared_ptr<Backend> backend;
  {
    const std::lock_guard lock(mutex_);
    if (!is_of_shown(wanted.ticket) || wanted.frame <= given_up_ || is_there(wanted.place)) return false;
    of = result_;
    backend = backend_;
    making_ = wanted.place;
  }
  std::string error;
  try {
    make(of, wanted.place, backend.get(), Work{*pool_, wanted.stop_token()});
  } catch (const Cancelled&) {
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  {
    const std::lock_guard lock(mutex_);
    making_.reset();
  }
  return !error.empty() && fail(wanted, backend, std::move(error));
}

bool Tiles::fail(const Making& wanted, const std::shared_ptr<Backend>& by, std::string error) {
  const std::lock_guard lock(mutex_);
  if (!is_of_shown(wanted.ticket)) return false;
  error_ = std::move(error);
  if (!by) {
    given_up_ = frame_;  // the other places would fail, too
    return false;
  }
  backend_.reset();
  error_ += " The CPU makes what is in sight from now on.";
  return true;
}

void Tiles::make(const ResultPtr& of, const Place& place, Backend* backend, const Work& work) {
  const auto survey = [&](std::int64_t sequence) -> const Survey& {
    return *of->layer().surveys[static_cast<std::size_t>(sequence)];
  };
  if (const auto* at = std::get_if<RowPlace>(&place)) {
    auto row = std::make_shared<const WeightRow>(make_row(of->layer(), *at, work));
    const std::lock_guard lock(mutex_);
    if (!is_of_shown(of->ticket)) return;
    if (made_.rows.size() >= most_rows) made_.rows.clear();
    made_.rows[*at] = std::move(row);
    return;
  }
  if (const auto* at = std::get_if<LinesPlace>(&place)) {
    auto lines =
        std::make_shared<const std::vector<StrongLine>>(strong_lines(survey(at->sequence), at->head, work));
    const std::lock_guard lock(mutex_);
    if (is_of_shown(of->ticket)) made_.lines[*at] = {std::move(lines), of->refinement};
    return;
  }
  const auto& at = std::get<TilePlace>(place);
  auto tile = std::make_shared<WeightTile>(make_tile(survey(at.sequence), at, backend, work));
  const std::lock_guard lock(mutex_);
  if (!is_of_shown(of->ticket)) return;
  tile->made = ++tiles_made_;
  if (made_.tiles.size() >= most_tiles) {
    const auto oldest =
        std::min_element(made_.tiles.begin(), made_.tiles.end(),
                         [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    made_.tiles.erase(oldest);
  }
  made_.tiles[at] = {std::move(tile), frame_};
}

}  // namespace attnscope
