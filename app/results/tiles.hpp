// app/results: the weights of a long Document in the part on screen: square tiles of cells at any zoom, whole
// rows and a head's strong lines. They are computed in the background in the order in which they are wanted,
// and kept as long as there is room.
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
  /// The most tiles that are kept, 256 MiB of numbers; the ones requested longest ago are dropped first.
  static constexpr std::size_t most_tiles = 2048;

  explicit Tiles(SharedPool pool = {});
  ~Tiles();
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  /// Makes tiles of this result from now on. Those of another ticket are dropped; those of the same ticket
  /// that left out queries are made again once all queries are known. Null, or a result that is not long:
  /// none. `backend` makes the tiles of a ticket; no other caller may wait for it. If it fails or is null,
  /// the CPU makes them; the CPU always makes rows and strong lines.
  void show(const ResultPtr&, std::shared_ptr<Backend> backend = {});

  /// What is there; null if it is not. A row of another query than the last wanted one may be dropped.
  std::shared_ptr<const WeightTile> find(const TilePlace&);
  std::shared_ptr<const WeightRow> find(const RowPlace&) const;
  /// While rows are still being swept, the lines of the rows known before.
  LinesPtr find(const LinesPlace&) const;

  /// Adds a place to those wanted in this frame, which are computed in this order. One that is there already
  /// costs nothing.
  void want(const TilePlace&);
  void want(const RowPlace&);
  void want(const LinesPlace&);
  /// Call when the frame is drawn: places that were wanted before and not in this frame will not be computed.
  void end_frame();
  /// Whether a wanted place is not there yet.
  bool is_busy() const;
  /// One sentence if a tile could not be made; returned once.
  std::string take_error();

 private:
  using Place = std::variant<RowPlace, TilePlace, LinesPlace>;
  class Making;  // the job of one place
  struct Kept {
    std::shared_ptr<const WeightTile> tile;
    std::uint64_t used = 0;  // frame
  };
  struct KeptLines {
    LinesPtr lines;
    std::uint64_t refinement = 0;  // of the result
  };
  /// The places made of one result.
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
  std::uint64_t given_up_ = 0;  // places wanted in this frame or before are skipped
  std::string error_;
  Worker worker_;  // last: it stops before the other members are destroyed
};

}  // namespace attnscope
