// app/results: weights of a long Document where they are looked at: square tiles of cells at any zoom, whole
// rows and a head's strong lines, computed behind the window in the order in which they are wanted, kept
// while there is room.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/worker.hpp"
#include "core/engine/result.hpp"
#include "core/engine/tiles.hpp"

namespace attnscope {

struct StrongLine;

/// The strong lines of a head, see core/engine/strong_lines.hpp.
struct LinesPlace {
  std::int64_t sequence = 0, head = 0;
  auto operator<=>(const LinesPlace&) const = default;
};
using LinesPtr = std::shared_ptr<const std::vector<StrongLine>>;

/// All but the worker's part belongs to the interface's thread.
class Tiles {
 public:
  static constexpr std::int64_t side = TilePlace::side;
  /// Tiles beyond these go, the ones that were not asked for longest first: 256 MiB of numbers at most.
  static constexpr std::size_t most_tiles = 2048;

  explicit Tiles(SharedPool pool = {});
  ~Tiles();
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  /// From now on tiles are of this result. Those of another ticket are forgotten; of the same ticket those
  /// that left out queries are made anew once all queries are known. Null, or a result that is not long:
  /// none. The tiles of a ticket are made by `backend`, which no other caller may be waiting for; when it
  /// fails, and where it is null, by the CPU, as rows and strong lines always are.
  void show(const ResultPtr&, std::shared_ptr<Backend> backend = {});

  /// What is there; null where it is not. A row of another query than the last wanted one may be gone.
  std::shared_ptr<const WeightTile> find(const TilePlace&);
  std::shared_ptr<const WeightRow> find(const RowPlace&) const;
  /// While rows are still being swept, those of the rows that were known before.
  LinesPtr find(const LinesPlace&) const;

  /// Adds to what is wanted in this frame, the first first. What is there already costs nothing.
  void want(const TilePlace&);
  void want(const RowPlace&);
  void want(const LinesPlace&);
  /// The frame is drawn: what was wanted before and no longer is will not be computed.
  void end_frame();
  /// Whether anything wanted is not there yet.
  bool is_busy() const;
  /// One sentence when a tile could not be made; given once.
  std::string take_error();

 private:
  using Place = std::variant<RowPlace, TilePlace, LinesPlace>;
  class Making;  // the Job of one place
  struct Kept {
    std::shared_ptr<const WeightTile> tile;
    std::uint64_t used = 0;  // frame
  };
  struct KeptLines {
    LinesPtr lines;
    std::uint64_t refinement = 0;  // of the result they are of
  };
  /// What was made of one result.
  struct Made {
    std::map<TilePlace, Kept> tiles;
    std::map<RowPlace, std::shared_ptr<const WeightRow>> rows;
    std::map<LinesPlace, KeptLines> lines;
  };
  // With mutex_ held:
  bool is_there(const Place&) const;  // and not stale
  bool is_of_shown(std::uint64_t ticket) const { return result_ && result_->ticket == ticket; }
  // On the worker:
  bool step(const Making&);
  bool fail(const Making&, const std::shared_ptr<Backend>& by, std::string error);
  void make(const ResultPtr& of, const Place&, Backend* backend, const Work&);

  SharedPool pool_;
  std::vector<Place> requests_;  // of this frame

  mutable std::mutex mutex_;  // guards all below
  ResultPtr result_;
  std::shared_ptr<Backend> backend_;  // null: the CPU
  std::optional<Place> making_;
  Made made_;
  std::uint64_t frame_ = 0, tiles_made_ = 0;
  std::uint64_t given_up_ = 0;  // what this frame and those before wanted is not made any more
  std::string error_;
  Worker worker_;  // last: it stops before the rest goes
};

}  // namespace attnscope
