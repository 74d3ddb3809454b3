// gpu/kernels: what each kernel is given: plain data with pointers into the device's memory. H = heads of the
// request, R = its rows, D = d_k and d_v padded to 32, 64, 96 or 128 with zeros. All indices into arrays are
// 64 bits wide: at 131,072 tokens a head's numbers alone pass 2^31 bytes.
#pragma once

#include <cstdint>

namespace attnscope::gpu {

/// How scores are multiplied: float32 throughout, or bfloat16 on matrix units with float32 sums, statistics
/// and softmax.
enum class Arithmetic { Float, Bfloat };

/// A word that whoever loses interest changes; work items compare it with what it was at the launch.
struct StaleWord {
  const unsigned* word;  // null = never stale
  unsigned wanted;
};

/// Which keys a query sees and what its scores become, as in AttentionProblem. Pointers are null where
/// nothing is.
struct Rule {
  /// What makes scores: products times it. Positive where nothing else changes scores; it is part of the
  /// exponent then, and products are as good as scores.
  float scale;
  float exponent;  // log2(e) / temperature, times the scale where it says so
  float soft_cap;  // 0 = off
  std::int64_t offset, left, right, real_keys;
  bool causal;
  const std::uint8_t* patterned;                            // [heads]
  const std::uint8_t* allowed;                              // [1 or heads][queries][keys]
  const float* additive;                                    // [1 or heads][queries][keys]
  const float* distance_bias;                               // [1 or heads][queries + keys - 1]
  std::int64_t allowed_head, additive_head, distance_head;  // from head to head; 0 = one for all
};

/// Queries, keys and values as Units take them.
struct Operands {
  const void* query;         // [heads from query_from on][queries][D]
  const void* key;           // [key heads from key_from on][keys][D]
  const void* value;         // likewise; null when no output is wanted
  int query_from, key_from;  // first heads that are there
  Rule rule;
  std::int64_t queries;
  int keys;
  int heads_per_key;             // query heads that share a head of keys
  int first_head, heads;         // of the request
  std::int64_t first_row, step;  // row i of the request is query first_row + i * step
  int rows;
};

/// A strongest key that is not known yet, larger than any.
constexpr std::int32_t no_key = 0x7fffffff;

/// What pass 1 leaves of a row: weights are 2^(exponent · score - shift) / sum.
struct alignas(16) RowState {  // read at once
  float shift, sum;            // sum of 2^(y - shift), y = exponent · score
  float moment;                // sum of (y - shift) 2^(y - shift)
  float most;                  // largest score; -inf without any key
};

/// Sums and largest weights of part of a picture: [H][ceil(R / rows_per_part)][columns].
struct Parts {
  float *sum, *most;                          // null without a picture
  int columns, rows_per_part, keys_per_cell;  // rows_per_part is at most `tile`
};

/// Pass 1: items are a row block of a head (see RowKernel), longest first. Output, row states, and the
/// picture where its cells are at least a tile wide.
struct RowPass {
  Operands in;
  float* output;  // [H][R][d_v], or null
  int d_v;
  RowState* rows;           // [H][R]
  std::int32_t* strongest;  // [H][R], or null
  bool entropy;             // false: moments may be anything
  Parts parts;              // keys_per_cell >= tile
  float* scratch;           // [blocks][columns][3][row block], with a picture
  int first_item, last_item;
  StaleWord stale;
};

/// Pass 2: items are a key block of a head (see ColumnKernel) against one split of the rows. Attention
/// received, and the picture where its cells are narrower than a tile. What it does not reach must have been
/// set to zero.
struct ColumnPass {
  Operands in;
  const RowState* rows;  // [H][R]
  float* received;       // [splits][H][keys], or null
  int received_rows;     // rows from here on are left out of the attention received; all in a picture alone
  Parts parts;           // keys_per_cell < tile
  int splits;
  int first_item, last_item;
  StaleWord stale;
};

enum class CellKind { Weights, Masked, Scaled };

/// Cells of a rectangle of one head (H = 1), one block for each 64 x 64 of them.
struct CellPass {
  Operands in;
  const RowState* rows;  // [R]; not read unless weights are wanted
  CellKind kind;
  int first_key, last_key;
  float* cells;  // [R][last_key - first_key]
};

/// Cells that lie row by row into sums and largest of parts of a picture: rows_per_part rows by
/// keys_per_cell.
struct GatherPass {
  const float* cells;  // [rows][keys]
  int rows, keys;
  Parts parts;  // of these rows
};

/// Rows of float32 into what Units take: rounded, padded with zeros. In tiles: as group_units.hpp says, and
/// padded with zero rows up to a whole tile.
struct PreparePass {
  const float* from;      // [heads][rows][d]
  std::int64_t from_row;  // from row to row
  void* to;               // [heads][rows][D], or [heads][ceil(rows / tile)][D / 64][tile][64] in tiles
  std::int64_t rows;
  int d, padded;
  Arithmetic arithmetic;
  int heads = 1;
  std::int64_t from_head = 0;  // from head to head
  bool tiles = false;
};

/// Row states into what is shown. Row states stay.
struct RowEndPass {
  const RowState* rows;  // [count]
  std::int64_t count;
  float exponent;
  double* log_sum_exp;       // [count]
  float *entropy, *largest;  // [count]
  std::int32_t* strongest;   // [count], or null
};

/// Parts into a picture: `merge` rows of parts to one, sums into means over the cells that exist.
struct FoldPass {
  Parts parts;
  int heads, part_rows, merge;
  std::int64_t rows, keys;  // of the whole picture
  float *mean, *max;        // [H][ceil(part_rows / merge)][columns]; max may be null
};

/// The splits of the attention received into one.
struct JoinPass {
  const float* parts;  // [splits][count]
  float* joined;       // [count]
  int splits;
  std::int64_t count;
};

}  // namespace attnscope::gpu
