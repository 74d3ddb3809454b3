// app/results: one result on screen and what is worked out of it while it is looked at: A, and B beside it.
#pragma once

#include <memory>

#include "app/results/backends.hpp"
#include "app/results/result_stats.hpp"
#include "app/results/tiles.hpp"

namespace attnscope {

struct Sight {
  ResultPtr result;                    // null: nothing is in sight
  std::unique_ptr<ResultStats> stats;  // of it
  std::unique_ptr<Tiles> tiles;        // of a long one; null for others

  /// Another result is looked at. The tiles of a result that is only refined stay.
  void show(ResultPtr next, BackgroundErrors& errors, const Backends& backends) {
    result = std::move(next);
    stats = std::make_unique<ResultStats>(result, &errors, stats.get());
    show_tiles(backends);
  }
  /// Tiles of the result, made beside what computes it.
  void show_tiles(const Backends& backends) {
    if (!result->layer().is_long()) return tiles.reset();
    if (!tiles) tiles = std::make_unique<Tiles>(backends.pool());
    tiles->show(result, backends.beside(*result));
  }
  /// Whether something of it is still worked out.
  bool is_busy() const { return (tiles && tiles->is_busy()) || (stats && stats->is_computing()); }
};

}  // namespace attnscope
