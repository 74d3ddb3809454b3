#include "core/streaming/requests.hpp"

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

SweepRequest checked(const AttentionProblem& p, SweepRequest request) {
  check(p);
  if (request.last_head < 0) request.last_head = p.heads;
  if (request.first_head < 0 || request.first_head >= request.last_head || request.last_head > p.heads)
    throw Error(fmt::format("Heads {} to {} were asked for; expected some of the {} heads.",
                            request.first_head, request.last_head, p.heads));
  request.rows = filled_in(request.rows, p.queries);
  if (request.output && !p.value.has_numbers()) throw Error("An output was asked for but V has no numbers.");
  if (request.picture) check_picture(*request.picture, p.keys);
  return request;
}

TileRequest checked(const AttentionProblem& p, TileRequest request) {
  check(p);
  if (request.head < 0 || request.head >= p.heads)
    throw Error(fmt::format("A tile of head {} was asked for; expected 0 to {}.", request.head, p.heads - 1));
  request.rows = filled_in(request.rows, p.queries);
  if (request.last_key < 0) request.last_key = p.keys;
  if (request.first_key < 0 || request.first_key >= request.last_key || request.last_key > p.keys)
    throw Error(fmt::format("A tile of keys {} to {} was asked for; expected some of the {} keys.",
                            request.first_key, request.last_key, p.keys));
  return request;
}

void check_pooled(const TileRequest& request, const PooledCells& cells) {
  if (request.kind != TileKind::Weights)
    throw Error("Scores were asked for in cells of several; only weights are.");
  check_cells(cells);
}

}  // namespace attnscope::streaming
