#include "core/streaming/wishes.hpp"

#include <bit>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope::streaming {

namespace {

RowRange filled_in(RowRange rows, std::int64_t queries) {
  if (rows.end < 0) rows.end = queries;
  if (rows.begin < 0 || rows.begin >= rows.end || rows.end > queries || rows.step < 1)
    throw Error(fmt::format("Rows {} to {} in steps of {} were asked for; expected some of the {} queries.",
                            rows.begin, rows.end, rows.step, queries));
  return rows;
}

void check_cells(const PooledCells& picture) {
  for (const std::int64_t cell : {picture.rows_per_cell, picture.keys_per_cell})
    if (cell < 1 || cell > (1 << 30) || !std::has_single_bit(static_cast<std::uint64_t>(cell)))
      throw Error(
          fmt::format("A cell of the picture has a side of {}; expected a power of two up to 2^30.", cell));
}

void check_picture(const PooledCells& picture, std::int64_t keys) {
  check_cells(picture);
  const std::int64_t columns = (keys + picture.keys_per_cell - 1) / picture.keys_per_cell;
  if (columns > most_picture_columns)
    throw Error(fmt::format("{} keys in cells of {} make {} columns; a picture has at most {}.", keys,
                            picture.keys_per_cell, columns, most_picture_columns));
}

}  // namespace

SweepWish checked(const AttentionProblem& p, SweepWish wish) {
  check(p);
  if (wish.last_head < 0) wish.last_head = p.heads;
  if (wish.first_head < 0 || wish.first_head >= wish.last_head || wish.last_head > p.heads)
    throw Error(fmt::format("Heads {} to {} were asked for; expected some of the {} heads.", wish.first_head,
                            wish.last_head, p.heads));
  wish.rows = filled_in(wish.rows, p.queries);
  if (wish.output && p.value.data == nullptr) throw Error("An output was asked for but V has no numbers.");
  if (wish.picture) check_picture(*wish.picture, p.keys);
  return wish;
}

TileWish checked(const AttentionProblem& p, TileWish wish) {
  check(p);
  if (wish.head < 0 || wish.head >= p.heads)
    throw Error(fmt::format("A tile of head {} was asked for; expected 0 to {}.", wish.head, p.heads - 1));
  wish.rows = filled_in(wish.rows, p.queries);
  if (wish.last_key < 0) wish.last_key = p.keys;
  if (wish.first_key < 0 || wish.first_key >= wish.last_key || wish.last_key > p.keys)
    throw Error(fmt::format("A tile of keys {} to {} was asked for; expected some of the {} keys.",
                            wish.first_key, wish.last_key, p.keys));
  return wish;
}

void check_pooled(const TileWish& wish, const PooledCells& cells) {
  if (wish.kind != TileKind::Weights)
    throw Error("Scores were asked for in cells of several; only weights are.");
  check_cells(cells);
}

}  // namespace attnscope::streaming
