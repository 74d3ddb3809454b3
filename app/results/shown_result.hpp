// app/results: one result on screen, A or B, with its statistics and tiles.
#pragma once

#include <memory>

#include "app/results/backends.hpp"
#include "app/results/result_stats.hpp"
#include "app/results/tiles.hpp"

namespace attnscope {

struct ShownResult {
  ResultPtr result;                    // null: no result is on screen
  std::unique_ptr<ResultStats> stats;  // of it
  std::unique_ptr<Tiles> tiles;        // of a long result; null for others

  /// Shows another result. The tiles of a result that is only refined stay.
  void show(ResultPtr next, BackgroundErrors& errors, const Backends& backends) {
    result = std::move(next);
    stats = std::make_unique<ResultStats>(result, &errors, stats.get());
    show_tiles(backends);
  }
  /// Starts tiles of the result, computed by another backend than the result's own.
  void show_tiles(const Backends& backends) {
    if (!result->layer().is_long()) return tiles.reset();
    if (!tiles) tiles = std::make_unique<Tiles>(backends.pool());
    tiles->show(result, backends.beside(*result));
  }
  /// Whether a part of it is still being computed.
  bool is_busy() const { return (tiles && tiles->is_busy()) || (stats && stats->is_computing()); }
};

}  // namespace attnscope
