#include "tests/bench/bench_subject.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/engine/pipeline.hpp"
#include "core/engine/survey.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

namespace {

/// What a person waits for in a long sequence: it is what it is, whatever --emit lists.
bool is_part(BenchPath path) { return path == BenchPath::FirstLook || path == BenchPath::Tile; }

/// Those of the instruction set that was asked for.
const streaming::Kernels* chosen_kernels(const BenchOptions& options, const BenchIsa& isa) {
  if (is_part(options.path) && isa.set != streaming::best_instruction_set())
    throw Error(fmt::format("The {} path takes the best instruction set there is.", name_of(options.path)));
  return streaming::kernels_for(isa.set);
}

/// Null: the CPU, with the kernels that were asked for.
std::shared_ptr<Backend> chosen_card(const BenchOptions& options, const SharedPool& pool) {
  if (options.backend == BackendPreference::Cpu) return nullptr;
  const std::vector<BackendChoice> all = list_backends(true, pool);
  const BackendChoice& chosen = chosen_backend(all, options.backend);
  if (&chosen == &all.front()) return nullptr;
  if (!options.isa.empty()) throw Error("--isa chooses kernels of the CPU; " + chosen.name + " has its own.");
  return chosen.backend;
}

std::int64_t bytes_of(const Sweep& made) {
  const std::int64_t floats = made.output.size() + made.entropy.size() + made.largest.size() +
                              made.received.size() + made.mean.size() + made.max.size();
  return 4 * (floats + static_cast<std::int64_t>(made.strongest.size())) + 8 * made.log_sum_exp.size();
}

}  // namespace

BenchSubject::BenchSubject(const BenchOptions& options, const SharedPool& pool)
    : options_(options),
      pool_(pool),
      isa_(bench_isa(options.isa)),
      kernels_(chosen_kernels(options, isa_)),
      card_(chosen_card(options, pool)),
      backend_(card_ ? card_ : make_cpu_backend(pool)) {
  if (is_part(options.path) && options.emit != BenchOptions().emit)
    throw Error(fmt::format("The {} path computes {}; --emit chooses of the other paths.",
                            name_of(options.path), emitted()));
  if (options.mask == BenchMask::None && options.mask_per_head)
    throw Error("--mask-per-head needs a --mask.");
  if (options.mask != BenchMask::None && options.path != BenchPath::Streaming)
    throw Error(fmt::format("The {} path takes no mask given cell by cell; the streaming one does.",
                            name_of(options.path)));
  constexpr std::int64_t most_mask_cells = 1 << 29;
  for (const std::int64_t n : options.lengths)
    if (const std::int64_t blocks = options.mask_per_head ? options.heads : 1;
        options.mask != BenchMask::None && n * n > most_mask_cells / blocks)
      throw Error(fmt::format("A mask of {} x {} x {} cells is larger than the {} that bench makes.", blocks,
                              n, n, most_mask_cells));
  for (const std::int64_t n : options.lengths)
    if (options.path == BenchPath::Staged &&
        is_long({.batch = 1, .heads = options.heads, .queries = n, .keys = n}))
      throw Error(fmt::format("{} heads of {} x {} scores are more than the {} that the staged path keeps.",
                              options.heads, n, n, max_cells));
}

void BenchSubject::prepare(std::int64_t n) {
  query_ = normal_like(Shape{1, options_.heads, n, options_.dim}, 1);
  key_ = normal_like(Shape{1, options_.heads, n, options_.dim}, 2);
  value_ = normal_like(Shape{1, options_.heads, n, options_.dim}, 3);
  made_ = known_ = {};
  make_mask(n);
  if (options_.path != BenchPath::Tile) return;
  known_ =
      backend_->sweep(problem(), {.output = false, .last_head = 1, .rows = tile_request().rows}, {}, nullptr);
}

void BenchSubject::make_mask(std::int64_t n) {
  allowed_.clear();
  additive_.clear();
  if (options_.mask == BenchMask::None) return;
  const bool boolean = options_.mask == BenchMask::Boolean || options_.mask == BenchMask::BooleanCausal;
  const bool causal = options_.mask == BenchMask::BooleanCausal || options_.mask == BenchMask::AddedCausal;
  const std::int64_t blocks = options_.mask_per_head ? options_.heads : 1;
  const auto cells = static_cast<std::size_t>(blocks * n * n);
  constexpr float hidden = -std::numeric_limits<float>::infinity();
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  if (boolean)
    allowed_.reserve(cells);
  else
    additive_.reserve(cells);
  for (std::int64_t row = 0; row < blocks * n; ++row)
    for (std::int64_t key = 0; key < n; ++key) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      const bool seen = causal ? key <= row % n : (state >> 40 & 1) != 0;
      const float added = causal ? 0.0f : static_cast<float>(state >> 48) / 65536.0f;
      if (boolean)
        allowed_.push_back(seen ? 1 : 0);
      else
        additive_.push_back(seen ? added : hidden);
    }
}

std::int64_t BenchSubject::run_unmasked() { return run_streaming(false); }

std::int64_t BenchSubject::run() {
  switch (options_.path) {
    case BenchPath::Streaming: return run_streaming(true);
    case BenchPath::Staged: return run_staged();
    case BenchPath::FirstLook: return run_first_look();
    case BenchPath::Tile: return run_tile();
  }
  return 0;
}

double BenchSubject::flops() const {
  const std::int64_t n = query_->shape()[2];
  if (options_.path == BenchPath::Tile) {
    const TileRequest tile = tile_request();
    const double side = static_cast<double>(tile.rows.end - tile.rows.begin);
    return 2.0 * side * side * options_.dim;
  }
  double cells = static_cast<double>(n) * static_cast<double>(options_.causal ? n + 1 : 2 * n) / 2;
  if (options_.path == BenchPath::FirstLook)
    return 2.0 * cells / static_cast<double>(survey_cell(problem(), survey_side / 2)) * options_.dim *
           options_.heads;
  const int products = 1 + (has(BenchPart::Output) ? 1 : 0) + (has(BenchPart::Received) ? 1 : 0);
  return 2.0 * products * cells * options_.dim * options_.heads;
}

std::string BenchSubject::emitted() const {
  if (options_.path == BenchPath::FirstLook) return "entropy,picture";
  if (options_.path == BenchPath::Tile) return "weights";
  std::vector<std::string_view> names;
  for (const BenchPart part : options_.emit) names.push_back(name_of(part));
  return fmt::format("{}", fmt::join(names, ","));
}

AttentionProblem BenchSubject::problem(bool masked) const {
  const std::int64_t n = query_->shape()[2];
  AttentionProblem p;
  p.heads = p.kv_heads = options_.heads;
  p.queries = p.keys = n;
  p.d_k = p.d_v = options_.dim;
  p.query = {query_->data(), n * options_.dim, options_.dim};
  p.key = {key_->data(), n * options_.dim, options_.dim};
  p.value = {value_->data(), n * options_.dim, options_.dim};
  p.scale = scale_factor({}, options_.dim);
  p.causal = options_.causal;
  if (masked) {
    const std::int64_t blocks = options_.mask_per_head ? options_.heads : 1;
    p.allowed = {allowed_, blocks};
    p.additive = {additive_, blocks};
  }
  return p;
}

/// On the diagonal, where a causal mask hides half of it.
TileRequest BenchSubject::tile_request() const {
  constexpr std::int64_t largest = 1000;
  const std::int64_t n = query_->shape()[2], side = std::min(n, largest), first = (n - side) / 2;
  return {.rows = {first, first + side, 1}, .first_key = first, .last_key = first + side};
}

std::int64_t BenchSubject::run_streaming(bool masked) {
  SweepRequest options;
  options.output = has(BenchPart::Output);
  options.received = has(BenchPart::Received);
  if (has(BenchPart::Picture)) {
    const std::int64_t cell = survey_cell(problem(), 512);
    options.picture = PooledCells{cell, cell};
  }
  if (card_) {
    made_ = card_->sweep(problem(masked), options, {}, nullptr);
  } else {
    sweep_into(made_, problem(masked), options, Work{*pool_, {}}, nullptr, kernels_);
  }
  return bytes_of(made_);
}

std::int64_t BenchSubject::run_staged() {
  Document document;
  document.input.numbers = Given{query_, key_, value_};
  document.layer().masking.causal = options_.causal;
  const ResultPtr result = Pipeline(backend_).run(document);
  std::set<const Tensor*> made;
  for (const StageInfo& stage : stage_table) made.insert(result->layer().trace[stage.stage].get());
  for (const TensorPtr& given : {query_, key_, value_}) made.erase(given.get());
  made.erase(nullptr);
  return std::accumulate(made.begin(), made.end(), std::int64_t{0},
                         [](std::int64_t sum, const Tensor* tensor) { return sum + 4 * tensor->size(); });
}

std::int64_t BenchSubject::run_first_look() {
  StreamedDocument document;
  document.problem = problem();
  return bytes_of(first_look(std::move(document), *backend_, {}, nullptr)->known);
}

std::int64_t BenchSubject::run_tile() {
  return 4 * backend_->tile(problem(), tile_request(), &known_, {}).size();
}

}  // namespace attnscope
