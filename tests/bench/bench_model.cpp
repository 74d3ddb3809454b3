#include "tests/bench/bench_model.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/session/session.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/models/opened/model_cost.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/models/run_model.hpp"
#include "tests/bench/timing.hpp"

namespace attnscope {
namespace {

constexpr std::int64_t most_steps = 16;  // of one token, at each length

struct ModelRow {
  std::int64_t n = 0;
  Times whole, token, products;
  double flops = 0, megabytes = 0, foreign = 0;
};

class ModelBench {
 public:
  explicit ModelBench(const ModelBenchOptions& options)
      : options_(options), pool_(options.threads), isa_(bench_isa({})), gemm_(isa_.product) {
    refuse_folder_without_model(options_.model);
    const double before = private_megabytes();
    for (int i = 0; i < 3; ++i) {
      model_.reset();
      opening_.seconds.push_back(seconds_of([&] { model_ = open_model(options_.model); }));
    }
    private_ = private_megabytes() - before;
    const ModelSpec& spec = model_->spec;
    if (spec.image || spec.reads_two_texts())
      throw Error(fmt::format("{} is measured with a text alone; {} takes more.", options_.model.string(),
                              spec.family));
    stack_ = spec.decoder ? &*spec.decoder : &*spec.encoder;
    weights_ = spec.decoder ? &model_->decoder : &model_->encoder;
    request_.logits = LogitRows::Last;
    request_.entropy = request_.received = true;
    request_.picture_side = 64;
  }

  std::vector<std::int64_t> lengths() const {
    const int most = model_->spec.max_positions;
    std::vector<std::int64_t> fitting = options_.lengths;
    for (const std::int64_t n : fitting)
      if (most > 0 && n > most)
        throw Error(fmt::format("A text of {} tokens was asked for; {} takes {} at most.", n,
                                options_.model.filename().string(), most));
    if (fitting.empty()) {
      fitting = {128, 512, 1024};
      if (most > 0) std::erase_if(fitting, [most](std::int64_t n) { return n > most; });
      if (fitting.empty()) fitting = {most};
    }
    return fitting;
  }

  ModelRow measure(std::int64_t n) {
    ModelRow row;
    row.n = n;
    const MemoryClock memory;
    (void)run(n);
    row.megabytes = memory.megabytes();
    gemm_.seconds(pool_);
    const ForeignClock foreign;
    double spent = 0;
    while (row.whole.seconds.size() < 3 || (spent < options_.seconds && row.whole.seconds.size() < 1000)) {
      row.whole.seconds.push_back(seconds_of([&] { (void)run(n); }));
      spent += row.whole.seconds.back();
      row.products.seconds.push_back(gemm_.seconds(pool_));
    }
    row.foreign = foreign.processors();
    row.flops = 2 * multiply_adds(*stack_, *weights_, {0, n, 0});
    if (model_->spec.has_logits())
      row.flops += 2.0 * static_cast<double>(model_->logits.weight.shape().count());
    if (!model_->spec.encoder) time_steps(row);
    return row;
  }

  std::string heading() const {
    const ModelSpec& spec = model_->spec;
    int heads = 0;
    for (const LayerSpec& block : stack_->blocks) heads += block.heads;
    return fmt::format(
        "{} · {} · {} block{}, {} head{}, {} wide · {} · {} thread{}\n"
        "opened in {:.1f} ms, {:.0f} MB of its own\n",
        options_.model.filename().string(), spec.family, stack_->blocks.size(),
        stack_->blocks.size() == 1 ? "" : "s", heads, heads == 1 ? "" : "s", spec.d_model, isa_.name,
        pool_.threads(), pool_.threads() == 1 ? "" : "s", opening_.median() * 1e3, private_);
  }

  nlohmann::ordered_json json() const {
    return {{"program", fmt::format("attnscope {}", ATTNSCOPE_VERSION)},
            {"model", options_.model.filename().string()},
            {"family", model_->spec.family},
            {"isa", std::string(isa_.name)},
            {"threads", pool_.threads()},
            {"open_ms", opening_.median() * 1e3},
            {"private_megabytes", private_}};
  }

 private:
  /// The same tokens at every run, spread over the vocabulary.
  std::int64_t token(std::int64_t i) const {
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(i) + 1) * 2654435761u %
                                     static_cast<std::uint64_t>(model_->spec.vocabulary));
  }
  ModelRun run(std::int64_t n) {
    ModelInput input;
    for (std::int64_t i = 0; i < n; ++i) input.ids.push_back(token(i));
    return run_model(*model_, std::move(input), request_, {pool_, {}});
  }

  void time_steps(ModelRow& row) {
    const std::int64_t steps = std::min(most_steps, row.n - 1);
    if (steps < 1) return;
    ModelRun now = run(row.n - steps);
    for (std::int64_t i = row.n - steps; i < row.n; ++i) {
      const std::array<std::int64_t, 1> next{token(i)};
      row.token.seconds.push_back(seconds_of([&] {
        now = run_more(*model_, std::move(now), next, request_, {pool_, {}});
      }));
    }
  }

  ModelBenchOptions options_;
  ThreadPool pool_;
  const BenchIsa& isa_;
  GemmClock gemm_;
  ModelPtr model_;
  const StackSpec* stack_ = nullptr;
  const StackWeights* weights_ = nullptr;
  RunRequest request_;
  Times opening_;
  double private_ = 0;
};

}  // namespace

void run_model_bench(const ModelBenchOptions& options) {
  ModelBench bench(options);
  const std::vector<std::int64_t> lengths = bench.lengths();
  fmt::print("{}", bench.heading());
  nlohmann::ordered_json report = bench.json();
  report["lengths"] = nlohmann::ordered_json::array();
  for (const std::int64_t n : lengths) {
    const ModelRow row = bench.measure(n);
    const double gflops = row.flops / row.whole.median() / 1e9,
                 gemm = GemmClock::flops() / row.products.median() / 1e9;
    fmt::print(
        "n {:6}  {:9.2f} ms ({:.2f} to {:.2f}, {} runs)  {:6.1f} GFLOP/s  {:3.0f} % of GEMM {:.1f}  one "
        "token more "
        "{:.2f} ms  {:.0f} MB  others {:.2f} processors\n",
        n, row.whole.median() * 1e3, row.whole.at(0.25) * 1e3, row.whole.at(0.75) * 1e3,
        row.whole.seconds.size(), gflops, 100 * gflops / gemm, gemm, row.token.median() * 1e3, row.megabytes,
        row.foreign);
    std::fflush(stdout);
    report["lengths"].push_back({{"n", n},
                                 {"median_ms", row.whole.median() * 1e3},
                                 {"least_ms", row.whole.at(0) * 1e3},
                                 {"runs", row.whole.seconds.size()},
                                 {"gflops", gflops},
                                 {"gemm_gflops", gemm},
                                 {"share_of_gemm", gflops / gemm},
                                 {"token_ms", row.token.median() * 1e3},
                                 {"megabytes", row.megabytes},
                                 {"foreign_processors", row.foreign}});
  }
  if (options.json.empty()) return;
  const std::string text = report.dump(1) + "\n";
  const std::string_view piece = text;
  write_atomically(options.json, {&piece, 1});
}

}  // namespace attnscope
