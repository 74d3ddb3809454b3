// core/experiments: the cost of attention over its length, counted and measured on this machine: stage by
// stage with the n × n weights in memory, and streaming (Milakov and Gimelshein 2018; Dao et al. 2022), which
// keeps a running maximum and sum for each query.
#include "core/analysis/cost.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/engine/pipeline.hpp"
#include "core/experiments/draws.hpp"
#include "core/experiments/quantities.hpp"
#include "core/experiments/rows.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope::experiments {
namespace {

constexpr Eigen::Index cost_width = 64, cost_tile = 64;
constexpr std::size_t cost_runs = 5;
constexpr float cost_last_tile = 0.02f;    // the last tile is as bright as a weight of this size
constexpr double cost_most_staged = 2048;  // four tensors of 16 MiB
constexpr std::array cost_stages{Stage::Score, Stage::Scale, Stage::Mask, Stage::Softmax, Stage::Mix};

Document cost_document(double tokens) {
  const auto n = static_cast<Eigen::Index>(tokens);
  const Matrix q = normals(1, "queries", n, cost_width), k = normals(1, "keys", n, cost_width),
               v = normals(1, "values", n, cost_width);
  return given_document({&q, 1}, {&k, 1}, {&v, 1});
}

AttentionProblem cost_problem(const Document& document) {
  const Given& given = document.input.given();
  AttentionProblem problem;
  problem.queries = problem.keys = given.query->shape()[2];
  problem.d_k = problem.d_v = cost_width;
  problem.query = HeadRows::of(given.query);
  problem.key = HeadRows::of(given.key);
  problem.value = HeadRows::of(given.value);
  problem.scale = 1 / std::sqrt(double{cost_width});
  return problem;
}

bool is_counted(Stage stage) { return std::ranges::find(cost_stages, stage) != cost_stages.end(); }

void count_cost(Seeds& seeds, double n) {
  using N = CostNumbers;
  LayerSize size;
  size.queries = size.keys = static_cast<std::int64_t>(n);
  size.d_model = size.d_k = size.d_v = cost_width;
  const LayerCost cost = cost_of(size);
  double flops = 0, staged = 0, streaming = 0;
  for (const StageCost& stage : cost.stages) {
    if (!is_counted(stage.stage)) continue;
    flops += stage.flops;
    staged += stage.bytes;
    streaming += stage.streaming_bytes;
  }
  seeds.add(N::Flops, flops);
  seeds.add(N::BytesA, staged);
  seeds.add(N::BytesB, streaming);
  seeds.add(N::HeldA, cost.held);
  seeds.add(N::HeldB, cost.streaming_held);
}

/// Milliseconds of the counted stages of a run on one thread.
double staged_time(const LayerResult& layer) {
  double sum = 0;
  for (const Stage stage : cost_stages) sum += layer.milliseconds[stage];
  return sum;
}

Measured measure_cost(double n, const std::stop_token& stop) {
  using N = CostNumbers;
  stop_when_asked(stop);
  Seeds seeds(N::Count);
  seeds.take_median(N::MillisecondsA);
  seeds.take_median(N::MillisecondsB);
  count_cost(seeds, n);
  const Document document = cost_document(n);
  const AttentionProblem problem = cost_problem(document);
  ThreadPool one(1);
  for (std::size_t run = 0; run < cost_runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    const Sweep streamed = sweep(problem, {.output = true}, Work{one, stop});
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    seeds.add(N::MillisecondsB, time.count());
    if (n > cost_most_staged) continue;
    Pipeline pipeline(make_cpu_backend(1));  // a new one, so that nothing is reused from the last run
    const ResultPtr result = pipeline.run(document, stop);
    seeds.add(N::MillisecondsA, staged_time(result->layer()));
    if (run > 0) continue;
    const auto mixed = result->layer().trace[Stage::Mix]->matrix(0, 0);
    seeds.add(N::Difference, static_cast<double>((streamed.output.matrix(0) - mixed).cwiseAbs().maxCoeff()));
  }
  return seeds.bands();
}

States cost_states(double n) { return {cost_document(n), {}}; }

/// The weights, and the order in which streaming visits their tiles: one row of tiles after the other.
Pictures cost_pictures(double tokens, const std::stop_token& stop) {
  const auto n = static_cast<std::int64_t>(tokens);
  Pipeline pipeline(make_cpu_backend(1));
  const ResultPtr result = pipeline.run(cost_document(tokens), stop);
  Pictures out{Tensor({n, n}), Tensor({n, n})};
  out.a.matrix() = result->layer().trace[Stage::Softmax]->matrix(0, 0);
  const std::int64_t tiles = (n + cost_tile - 1) / cost_tile;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      out.b.matrix()(i, j) = cost_last_tile * static_cast<float>(i / cost_tile * tiles + j / cost_tile + 1) /
                             static_cast<float>(tiles * tiles);
  return out;
}

/// The row of the last query, which sees every key.
OnlineRow cost_online(double tokens) {
  const auto n = static_cast<Eigen::Index>(tokens);
  const Matrix q = normals(1, "queries", n, cost_width), k = normals(1, "keys", n, cost_width),
               v = normals(1, "values", n, cost_width);
  return online_row(q.row(n - 1) * k.transpose() / std::sqrt(double{cost_width}), v, cost_tile);
}

}  // namespace

Experiment cost_experiment() {
  return {.name = "cost",
          .values = {64, 128, 256, 512, 1024, 2048, 4096, 8192},
          .rest = 4,
          .seeds = cost_runs,
          .quantities = {"flops", "bytes_staged", "bytes_streaming", "held_staged", "held_streaming",
                         "milliseconds_staged", "milliseconds_streaming", "largest_difference"},
          .measure = measure_cost,
          .states = cost_states,
          .pictures = cost_pictures,
          .online = cost_online,
          .most_shown = 512};
}

}  // namespace attnscope::experiments
