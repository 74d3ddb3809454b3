// core/streaming/kernels: the border between the drivers (any C++) and the kernels, which are compiled once
// for each instruction set. Only plain data crosses it: inline code of the standard library that both sides
// use could be merged by the linker and carry wide instructions into programs for narrow machines.
#pragma once

#include <stdint.h>

namespace attnscope {
enum class ElementType : uint8_t;
}

namespace attnscope::streaming {

/// The instruction sets a kernel exists for. Neon is the only one on AArch64, the others are x86-64's. Those
/// with Bfloat in their names multiply in bfloat16, or in its high and low parts, and are never chosen
/// unasked.
enum class InstructionSet { Baseline, Avx2, Avx512, Neon, Avx512Bfloat, AmxBfloat, AmxSplitBfloat };

/// Rows of numbers: row i begins at data + i * stride; numbers of a row lie side by side.
struct Rows {
  const float* data;
  int64_t stride;
};

/// Whether to give up; asked between blocks of keys, from the thread that runs the kernel.
struct StopCheck {
  bool (*asked)(const void* self);
  const void* self;
};

/// What turns a dot product into a masked score and tells which keys a query sees. All row pointers begin at
/// the first query of the job, key 0.
struct ScoreRule {
  float scale;  // multiplies queries
  double temperature;
  float exponent;          // log2(e) / temperature: weights are 2^(exponent * (masked - shift))
  float soft_cap;          // 0 = off
  float sink;              // a logit that joins the sum of each row; -inf = none
  const int32_t* begin;    // [rows] keys that causal, window and padding leave: begin <= key < end
  const int32_t* end;      // [rows]; begin == end where there are none
  const uint8_t* allowed;  // null, or 0 where a key is hidden
  int64_t allowed_stride;  // from one query of the job to the next
  const float* additive;   // null, or added; -inf hides
  int64_t additive_stride;
  const float*
      distance_bias;  // null, or: number of key j for query i of the job is distance_bias[j - i * step]
  int64_t distance_step;
};

/// What rows of one row of cells gave to it, kept so that rows behind them can join it: sums and largest
/// weights of units of keys, and what they are multiplied with. A unit has the keys of a cell, or
/// largest_unit of its keys where these are more.
struct KeptCells {
  float *sum, *largest;  // [rows_per_cell][unit_stride]; of a single key largest is not used
  float* scale;          // [rows_per_cell][block_stride], a block is at least largest_unit keys
  int64_t unit_stride, block_stride;
  int rows;       // that are there
  int low, high;  // keys that any of them sees lie in [low, high)
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
  float* entropy;       // [rows] of what goes to keys
  float* largest;       // [rows]
  int32_t* strongest;   // null, or [rows]: first key of the largest weight, -1 without any key
  /// Picture: null, or the row of cells that the tile's first query falls in, as if every cell were full.
  /// Cells that no query of the tile reaches are left alone, and those higher than a panel (rows_per_cell >
  /// lanes) are combined with what is there: the caller starts with zeros.
  float* cell_mean;
  float* cell_max;      // null when a cell is a single weight
  int64_t cell_stride;  // cells in a row
  int rows_per_cell, keys_per_cell;
  float* scratch;  // aligned to 64 bytes, sweep_scratch(...) floats
  StopCheck stop;
  /// Of few rows (see takes_few_rows) alone. kept: null, or rows that share the one row of cells with those
  /// of the job and come before them; the job's own are kept behind them, and the cells are of all. scores:
  /// null, or room for the masked scores of key j of row i at scores[i * score_stride + j]; those of keys
  /// that no row of the job sees are left alone. score_stride: at least keys + lanes.
  KeptCells* kept;
  float* scores;
  int64_t score_stride;
};

enum class CellKind { Weights, Masked, Scaled };

/// Cells of some queries against some keys of one head, row by row: weights, or the scores they come from.
struct CellJob {
  Rows query, key;  // query: the first of the job
  int rows;         // 1 … cell_rows
  int d_k;
  int first_key, last_key;  // keys [first, last)
  ScoreRule rule;
  CellKind kind;
  const float* shift;   // [rows] temperature * log-sum-exp of the row, rounded to float
  const float* factor;  // [rows] e^(what the rounding left over); 0 for rows without any key
  /// One of the two is null. cells: [rows][last_key - first_key], rows `cell_stride` apart. column: [keys of
  /// the job], the sums over the rows are added to it.
  float* cells;
  int64_t cell_stride;
  float* column;
  /// Null, or masked scores as a SweepJob left them, which are not computed again; then any number of keys.
  const float* scores;
  int64_t score_stride;
  float* scratch;         // aligned to 64 bytes, cell_scratch(d_k) floats
  bool transposed_ready;  // the scratch already holds the keys of this job, from a job before
};

/// out [rows][columns] = x [rows][depth] · W + bias.
struct ProductJob {
  Rows x, weights;  // as the kernel says: rows of W, or its columns
  int rows, columns, depth;
  const float* bias;  // null, or [columns]
  float* out;
  int64_t out_stride;
  /// Of multiply_columns alone, for weights whose rows are far apart: null, or room aligned to 64 bytes. For
  /// more than few_beside rows column_room() floats, where weights that all rows of x meet are brought
  /// together; for fewer rows · room_stride(columns), for sums of all columns at once.
  float* room = nullptr;
  const float* coming = nullptr;  // with a room: null, or weights that are wanted after these, as far apart
};
/// So many numbers of the depth are summed at a time where lanes are columns.
inline constexpr int column_depth = 256;
/// Columns that share a room at most.
inline constexpr int column_strip = 48;
inline constexpr int few_beside = 8;
constexpr int64_t room_stride(int64_t columns) { return (columns + 15) / 16 * 16; }
constexpr int64_t column_room() { return static_cast<int64_t>(column_depth) * column_strip; }

/// The same for few rows of x, with columns of W as they are stored: one after the other, whole blocks.
struct StoredProductJob {
  Rows x;
  ElementType type;
  const uint8_t* weights;  // at any address
  int rows, columns, depth;
  const float* bias;  // null, or [columns]
  float* out;
  int64_t out_stride;
};

/// As core/blocks/activation.hpp has them.
enum class ActivationKind { Identity, Gelu, GeluTanh, QuickGelu, Relu, ReluSquared, Silu, Tanh };

/// x = f(x), times `factor` where there is one.
struct ActivationJob {
  ActivationKind kind;
  float* x;
  const float* factor;  // null, or as many
  int64_t count;
};

/// out = (x - mean) / √(mean square + epsilon) · (weight + added_to_weight) + bias, row by row.
struct NormJob {
  Rows x;
  int rows, width;
  bool centred;  // or else the mean counts as 0
  double epsilon;
  const float* weight;  // null, or [width]
  double added_to_weight;
  const float* bias;  // null, or [width]
  float* out;         // may be x
  int64_t out_stride;
};

/// Queries in one CellJob at most, and keys at most.
inline constexpr int cell_rows = 64, cell_keys = 64;
/// The smallest number of keys whose sums are kept for the picture: cells of more keys are made of such.
inline constexpr int largest_unit = 64;

/// The kernels of one instruction set.
struct Kernels {
  const char* name;
  int width;      // numbers in a vector
  int lanes;      // queries in a panel
  int tile_rows;  // queries that should share a tile
  int few_rows;   // so many at most are swept one by one; 0 = none are
  bool rounds;    // products are of bfloat16, and not of its high and low parts
  /// Whether the tile was finished; not when the job was stopped.
  bool (*sweep)(const SweepJob&);
  void (*cells)(const CellJob&);
  /// Floats of scratch for a tile of `panels` panels.
  int64_t (*sweep_scratch)(int panels, int d_k, int d_v, int keys, int keys_per_cell);
  int64_t (*cell_scratch)(int d_k);
  /// The others are in float32, whatever these round to. A number of a product depends on its own row of x
  /// and its own column of W alone, to the bit. `weights` has the columns of W as its rows.
  void (*multiply_weights)(const ProductJob&);
  /// `weights` has the rows of W as its rows.
  void (*multiply_columns)(const ProductJob&);
  void (*activate)(const ActivationJob&);
  void (*normalise)(const NormJob&);
  /// `count` numbers, whole blocks, from bytes at any address.
  void (*widen)(ElementType, const uint8_t* bytes, int64_t count, float* to);
  /// The bits of multiply_weights with what widen makes of the weights. False, and nothing is done, where it
  /// has no vectors for the type or the depth.
  bool (*multiply_stored)(const StoredProductJob&);
};

/// Whether a job is swept row by row.
[[gnu::always_inline]] inline bool takes_few_rows(const SweepJob& job, int few_rows, int lanes) {
  return job.rows <= few_rows && job.strongest == nullptr &&
         (job.cell_mean == nullptr || job.rows_per_cell <= lanes);
}

/// The fastest in float32 that this machine can run.
InstructionSet best_instruction_set();
/// Null where this program or this machine has none of it.
const Kernels* kernels_for(InstructionSet);

}  // namespace attnscope::streaming
