// core/experiments: the quantities of each experiment, by index in its Measured. A: without the change, B:
// with it.
#pragma once

#include <cstddef>

namespace attnscope::experiments {

struct ScalingNumbers {
  enum : std::size_t {
    SpreadA,  // standard deviation of all scores
    SpreadB,
    LargestA,  // largest weight of a row
    LargestB,
    EntropyA,  // of a row, divided by ln n
    EntropyB,
    GradientA,  // ‖∂L/∂s‖ of the median row, s the logits
    GradientB,
    QueryGradientA,  // ‖∂L/∂Q‖ of all queries together
    QueryGradientB,
    StillA,  // share of rows with a gradient below 1e-6
    StillB,
    Root,  // √dₖ
    Count
  };
};

struct TemperatureNumbers {
  enum : std::size_t {
    EntropyA,
    EntropyB,
    LargestA,
    LargestB,
    KeysA,  // e^H
    KeysB,
    RatioA,  // largest weight of a row over its least, geometric mean
    RatioB,
    BoundB,  // e^(2c/τ), the upper bound of RatioB
    GradientA,
    GradientB,
    Count
  };
};

struct DilutionNumbers {
  enum : std::size_t {
    NeedleA,  // weight on the needle
    NeedleB,
    Equal,    // e^Δ/(e^Δ + n − 1): all others score 0
    MarginA,  // Δ of the logits
    MarginB,
    Half,      // ln(n − 1): the margin that gives half of the weight when all others score 0
    EntropyA,  // divided by ln n
    EntropyB,
    NextA,  // needle over the largest other weight, geometric mean
    NextB,
    Count
  };
};

struct GroupedNumbers {
  enum : std::size_t {
    BytesA,  // of the cache for each token, in float16
    BytesB,
    ParametersA,  // of W_K and W_V
    ParametersB,
    ErrorB,  // ‖C − C₈‖/‖C₈‖, heads independent
    ErrorAlike,
    DistanceB,  // total variation of the weights, mean over rows and heads
    DistanceAlike,
    Count
  };
};

}  // namespace attnscope::experiments

namespace attnscope::experiments {

struct CacheNumbers {
  enum : std::size_t {
    FlopsA,       // for the next token, recomputing everything
    FlopsB,       // with the cache
    BytesB,       // of the cache of all tokens
    BytesKept,    // of the keys kept by eviction
    WindowError,  // ‖o' − o‖ / ‖o‖ of the last queries: the last keys are kept,
    SinkError,    // the first four and the last,
    HeavyError,   // half the last, half those with most weight so far
    WindowMass,   // share of the full weights on the kept keys
    SinkMass,
    HeavyMass,
    Count
  };
};

struct CostNumbers {
  enum : std::size_t {
    Flops,   // from scores to the mixed values, either way
    BytesA,  // moved, staged
    BytesB,  // streaming
    HeldA,   // between Q, K, V and the output
    HeldB,
    MillisecondsA,
    MillisecondsB,
    Difference,  // largest |staged − streaming| of the output
    Count
  };
};

struct SinkNumbers {
  enum : std::size_t {
    NowhereA,     // weight on key 0
    NowhereB,     // key 0 hidden: 0
    NowhereZero,  // on a key of zeros instead
    NowhereSink,  // share of a learned logit instead
    LargestA,     // largest weight on another key
    LargestB,
    LargestZero,
    LargestSink,
    LengthA,  // ‖o‖
    LengthB,
    LengthZero,
    LengthSink,
    ChangeB,  // ‖o − o_A‖ / ‖o_A‖
    ChangeZero,
    ChangeSink,
    Count
  };
};

}  // namespace attnscope::experiments

namespace attnscope::experiments {

/// Three consecutive numbers for each quantity: float32, bfloat16, float16.
struct PrecisionNumbers {
  enum : std::size_t {
    ScoreSingle,  // largest |error| of the scaled scores
    ScoreBrain,
    ScoreHalf,
    WeightSingle,  // total variation of the weights, mean of rows; a row with NaN counts 1
    WeightBrain,
    WeightHalf,
    OutputSingle,  // ‖o − o₆₄‖ / ‖o₆₄‖, mean of rows; a row with NaN counts 1
    OutputBrain,
    OutputHalf,
    WrongSingle,  // share of rows whose strongest key differs, or NaN
    WrongBrain,
    WrongHalf,
    Count
  };
};

/// Four consecutive numbers for each quantity: the last keys, every stride-th key, the block and the first
/// four, the best keys.
struct SparseNumbers {
  enum : std::size_t {
    MassWindow,  // share of the full weights that is kept
    MassStrided,
    MassBlocks,
    MassBest,
    ErrorWindow,  // ‖o' − o‖ / ‖o‖, mean of rows
    ErrorStrided,
    ErrorBlocks,
    ErrorBest,
    ErrorLinear,  // elu + 1 features instead of softmax, for any number of keys
    PairsA,       // scores that are computed: all causal ones
    PairsB,       // the window's
    FoundWindow,  // share of rows whose strongest key is kept
    FoundStrided,
    FoundBlocks,
    Count
  };
};

struct ContributionNumbers {
  enum : std::size_t {
    WeightA,      // of key 0, mean of rows
    ShareB,       // of key 0 in Σ ‖α v W_O‖
    HalfA,        // keys that hold half of the weight, the largest first
    HalfB,        // keys that hold half of Σ ‖α v W_O‖
    Correlation,  // of α and ‖α v W_O‖ over the keys of a row
    RemovedB,     // ‖α₀ v₀ W_O‖ / ‖y‖: the loss of the output without key 0
    RemovedA,     // the same for the key of the largest other weight
    Count
  };
};

}  // namespace attnscope::experiments

namespace attnscope::experiments {

struct PathNumbers {
  enum : std::size_t {
    StepsA,  // from the token to the output: attention
    StepsB,  // RNN
    StepsCnn,
    GradientA,  // ‖∂output/∂token‖ / √width
    GradientB,
    GradientCnn,
    SerialA,  // sequential matrix products, for as many tokens as the distance
    SerialB,
    SerialCnn,
    WorkA,  // multiply-adds of a layer over as many tokens
    WorkB,
    WorkCnn,
    Count
  };
};

struct PositionNumbers {
  enum : std::size_t {
    ShuffledA,  // ‖PᵀY(PX) − Y(X)‖ / ‖Y(X)‖: every query sees all keys
    ShuffledB,  // causal
    NearA,      // weight on keys at most two tokens away
    NearB,
    NearEven,  // the same for uniform weights
    MovedA,    // total variation distance to the weights without positions
    MovedB,
    EntropyA,  // H / ln of the keys seen
    EntropyB,
    Count
  };
};

struct MaskNumbers {
  enum : std::size_t {
    LeakA,  // weight on hidden keys, mean over rows with hidden keys; float32
    LeakB,  // float16
    SumA,   // |1 − Σ w|, largest of rows
    SumB,
    ReachA,  // largest change of an earlier output when the last token changes: a test for leaks
    ReachB,
    EmptyA,  // weight on hidden keys when all keys are hidden
    EmptyB,
    TorchA,  // the same by PyTorch's softmax, e^(s − max s) / Σ: may be NaN
    TorchB,
    Count
  };
};

struct SameNumbers {
  enum : std::size_t {
    MovedB,   // total variation of the weights, mean of rows
    OutputB,  // ‖o' − o‖ / ‖o‖
    EntropyA,
    EntropyB,
    LargestA,
    LargestB,
    StrongestB,  // share of rows whose strongest key differs
    Count
  };
};

}  // namespace attnscope::experiments

namespace attnscope::experiments {

/// Three consecutive numbers for each quantity: base 10,000; the same with distances divided by 8; base
/// 500,000.
struct PhasorNumbers {
  enum : std::size_t {
    SumA,  // Σ |q_i|² cos θ_iΔ / Σ |q_i|²: the score's share at distance Δ, with k = q
    SumB,
    SumC,
    Formula,  // of A, if all pairs have the same length
    TurnedA,  // pairs that have made a full turn
    TurnedB,
    TurnedC,
    NearestA,  // least chord to a nearer distance, root mean square over pairs
    NearestB,
    NearestC,
    NearestFastest,  // of A's first pair alone
    Slowest,         // of A's last pair, degrees
    Count
  };
};

}  // namespace attnscope::experiments
