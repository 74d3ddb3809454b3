// core/streaming/kernels: the interface between the drivers (any C++) and the kernels, which are compiled
// once for each instruction set. Only plain data crosses it: the linker could merge inline standard library
// code that both sides use, and so put wide instructions into code for machines that lack them.
#pragma once

#include <stdint.h>

#include "core/streaming/border/row_kernels.hpp"

namespace attnscope::streaming {

/// Whether to stop; called between blocks of keys, on the kernel's thread.
struct StopCheck {
  bool (*asked)(const void* self);
  const void* self;
};

/// How a dot product becomes a masked score, and which keys a query sees. All row pointers begin at the job's
/// first query and key 0.
struct ScoreRule {
  float scale;  // multiplies queries
  double temperature;
  float exponent;          // log2(e) / temperature: weights are 2^(exponent * (masked - shift))
  float soft_cap;          // 0 = off
  float sink;              // a logit that is added to each row's softmax; -inf = none
  const int32_t* begin;    // [rows] keys allowed by causal, window and padding: begin <= key < end
  const int32_t* end;      // [rows]; begin == end if there are none
  const uint8_t* allowed;  // null, or 0 for a hidden key
  int64_t allowed_stride;  // from one query of the job to the next
  const float* additive;   // null, or added; -inf hides
  int64_t additive_stride;
  const float*
      distance_bias;  // null, or: the bias of key j for query i of the job is distance_bias[j - i * step]
  int64_t distance_step;
};

/// Partial sums of a row of cells, kept so that later rows can be added: sums and largest weights of units of
/// keys, and their scale factors. A unit is the keys of a cell, or largest_unit of them if a cell has more.
struct KeptCells {
  float *sum, *largest;  // [rows_per_cell][unit_stride]; `largest` is unused if a unit is one key
  float* scale;          // [rows_per_cell][block_stride]; a block has at least largest_unit keys
  int64_t unit_stride, block_stride;
  int rows;       // kept so far
  int low, high;  // any of the rows sees only keys in [low, high)
};

/// One tile of queries of one head against all the keys they see.
struct SweepJob {
  Rows query, key, value;  // query: the first of the tile
  int rows;                // 1 … panels * lanes
  int d_k, d_v;
  int keys;  // of the whole sequence
  ScoreRule rule;
  float* output;        // null, or [rows][d_v]
  double* log_sum_exp;  // [rows] with the sink
  float* entropy;       // [rows] of the weights of keys, without the sink
  float* largest;       // [rows]
  int32_t* strongest;   // null, or [rows]: first key of the largest weight, -1 without any key
  /// Picture: null, or the row of cells of the tile's first query, computed as if every cell were full. Cells
  /// that no query of the tile reaches are not written; cells higher than a panel (rows_per_cell > lanes) are
  /// added to, so the caller starts with zeros.
  float* cell_mean;
  float* cell_max;      // null if a cell is a single weight
  int64_t cell_stride;  // cells in a row
  int rows_per_cell, keys_per_cell;
  float* scratch;  // aligned to 64 bytes, sweep_scratch(...) floats
  StopCheck stop;
  /// Only for few rows (see takes_few_rows). kept: null, or earlier rows in the same row of cells; the job's
  /// rows are added to them, and the cells are of all these rows. scores: null, or room for the masked score
  /// of key j of row i at scores[i * score_stride + j]; those of keys that no row of the job sees are not
  /// written. score_stride: at least keys + lanes.
  KeptCells* kept;
  float* scores;
  int64_t score_stride;
};

enum class CellKind { Weights, Masked, Scaled };

/// Cells of some queries against some keys of one head, row by row: weights, or their scores.
struct CellJob {
  Rows query, key;  // query: the first of the job
  int rows;         // 1 … cell_rows
  int d_k;
  int first_key, last_key;  // keys [first, last)
  ScoreRule rule;
  CellKind kind;
  const float* shift;   // [rows] temperature * log-sum-exp of the row, rounded to float
  const float* factor;  // [rows] e^(the rounding error of shift); 0 for rows without any key
  /// One of the two is null. cells: [rows][last_key - first_key], rows `cell_stride` apart. column: [keys of
  /// the job], to which the sums over the rows are added.
  float* cells;
  int64_t cell_stride;
  float* column;
  /// Null, or the masked scores of a SweepJob, which are then not computed again; any number of keys is
  /// allowed then.
  const float* scores;
  int64_t score_stride;
  float* scratch;         // aligned to 64 bytes, cell_scratch(d_k) floats
  bool transposed_ready;  // the scratch already holds this job's transposed keys
};

/// The most queries and keys of one CellJob.
inline constexpr int cell_rows = 64, cell_keys = 64;
/// The most keys in a unit, whose sums are kept for the picture; a larger cell is made of several units.
inline constexpr int largest_unit = 64;

/// The kernels of one instruction set.
struct Kernels : RowKernels {
  const char* name;
  int width;      // numbers in a vector
  int lanes;      // queries in a panel
  int tile_rows;  // rows of a tile, if memory and threads allow
  int few_rows;   // at most so many queries are swept one by one; 0 = none
  /// True if the tile was finished, false if the job was stopped.
  bool (*sweep)(const SweepJob&);
  void (*cells)(const CellJob&);
  /// Floats of scratch for a tile of `panels` panels.
  int64_t (*sweep_scratch)(int panels, int d_k, int d_v, int keys, int keys_per_cell);
  int64_t (*cell_scratch)(int d_k);
};

/// Whether a job's queries are swept one by one.
[[gnu::always_inline]] inline bool takes_few_rows(const SweepJob& job, int few_rows, int lanes) {
  return job.rows <= few_rows && job.strongest == nullptr &&
         (job.cell_mean == nullptr || job.rows_per_cell <= lanes);
}

}  // namespace attnscope::streaming
