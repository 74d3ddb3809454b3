#include "app/results/tiles.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/engine/strong_lines.hpp"

namespace attnscope {
namespace {

constexpr std::size_t most_rows = 4;

}  // namespace

Tiles::Tiles() : worker_([this](const std::stop_token& quit) { work(quit); }) {}

Tiles::~Tiles() {
  worker_.request_stop();
  const std::lock_guard lock(mutex_);
  stop_.request_stop();
}

void Tiles::show(const ResultPtr& result, std::shared_ptr<Backend> backend) {
  const ResultPtr next = result && result->layer().is_long() ? result : nullptr;
  const std::lock_guard lock(mutex_);
  if (next == result_) return;
  if (!next || !result_ || next->ticket != result_->ticket) {
    tiles_.clear();
    rows_.clear();
    lines_.clear();
    waiting_.clear();
    stop_.request_stop();
    stop_ = std::stop_source();
    backend_ = std::move(backend);
  }
  result_ = next;
}

bool Tiles::is_there(const Place& place) const {
  if (const auto* row = std::get_if<RowPlace>(&place)) return rows_.contains(*row);
  if (const auto* lines = std::get_if<LinesPlace>(&place)) {
    const auto at = lines_.find(*lines);
    return at != lines_.end() && result_ && at->second.refinement == result_->refinement;
  }
  const auto at = tiles_.find(std::get<TilePlace>(place));
  if (at == tiles_.end()) return false;
  return at->second.tile->step == 1 || !result_ || !result_->layer().is_complete();
}

std::shared_ptr<const WeightTile> Tiles::find(const TilePlace& place) {
  const std::lock_guard lock(mutex_);
  const auto at = tiles_.find(place);
  if (at == tiles_.end()) return nullptr;
  at->second.used = frame_;
  return at->second.tile;
}

std::shared_ptr<const WeightRow> Tiles::find(const RowPlace& place) const {
  const std::lock_guard lock(mutex_);
  const auto at = rows_.find(place);
  return at == rows_.end() ? nullptr : at->second;
}

LinesPtr Tiles::find(const LinesPlace& place) const {
  const std::lock_guard lock(mutex_);
  const auto at = lines_.find(place);
  return at == lines_.end() ? nullptr : at->second.lines;
}

void Tiles::want(const LinesPlace& place) { requests_.emplace_back(place); }
void Tiles::want(const TilePlace& place) { requests_.emplace_back(place); }
void Tiles::want(const RowPlace& place) { requests_.emplace_back(place); }

void Tiles::end_frame() {
  {
    const std::lock_guard lock(mutex_);
    ++frame_;
    waiting_.clear();
    for (const Place& place : requests_)
      if (place != making_ && !is_there(place)) waiting_.push_back(place);
    if (!result_) waiting_.clear();
  }
  requests_.clear();
  changed_.notify_all();
}

bool Tiles::is_busy() const {
  const std::lock_guard lock(mutex_);
  return making_ || !waiting_.empty();
}

std::string Tiles::take_error() {
  const std::lock_guard lock(mutex_);
  return std::exchange(error_, {});
}

void Tiles::work(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, quit, [this] { return !waiting_.empty(); })) {
    if (quit.stop_requested()) return;
    const Place place = waiting_.front();
    waiting_.erase(waiting_.begin());
    const ResultPtr of = result_;
    const std::stop_token stop = stop_.get_token();
    const std::shared_ptr<Backend> backend = backend_;
    making_ = place;
    lock.unlock();
    std::string error;
    try {
      make(of, place, backend.get(), stop);
    } catch (const Cancelled&) {
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
    lock.lock();
    making_.reset();
    if (error.empty()) continue;
    error_ = std::move(error);
    if (!backend) {
      waiting_.clear();
    } else if (backend == backend_) {
      backend_.reset();
      error_ += " The CPU makes what is in sight from now on.";
      waiting_.insert(waiting_.begin(), place);
    }
  }
}

void Tiles::make(const ResultPtr& of, const Place& place, Backend* backend, const std::stop_token& stop) {
  const Work work{pool_, stop};
  const auto survey = [&](std::int64_t sequence) -> const Survey& {
    return *of->layer().surveys[static_cast<std::size_t>(sequence)];
  };
  if (const auto* at = std::get_if<RowPlace>(&place)) {
    auto row = std::make_shared<const WeightRow>(make_row(of->layer(), *at, work));
    const std::lock_guard lock(mutex_);
    if (!result_ || result_->ticket != of->ticket) return;
    if (rows_.size() >= most_rows) rows_.clear();
    rows_[*at] = std::move(row);
    return;
  }
  if (const auto* at = std::get_if<LinesPlace>(&place)) {
    auto lines =
        std::make_shared<const std::vector<StrongLine>>(strong_lines(survey(at->sequence), at->head, work));
    const std::lock_guard lock(mutex_);
    if (result_ && result_->ticket == of->ticket) lines_[*at] = {std::move(lines), of->refinement};
    return;
  }
  const auto& at = std::get<TilePlace>(place);
  auto tile = std::make_shared<WeightTile>(make_tile(survey(at.sequence), at, backend, work));
  const std::lock_guard lock(mutex_);
  if (!result_ || result_->ticket != of->ticket) return;
  tile->made = ++made_;
  if (tiles_.size() >= most_tiles) {
    const auto oldest = std::min_element(tiles_.begin(), tiles_.end(), [](const auto& a, const auto& b) {
      return a.second.used < b.second.used;
    });
    tiles_.erase(oldest);
  }
  tiles_[at] = {std::move(tile), frame_};
}

}  // namespace attnscope
