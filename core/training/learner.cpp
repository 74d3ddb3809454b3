#include "core/training/learner.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/training/flush.hpp"
#include "core/training/kernels/kernels.hpp"

namespace attnscope::training {
namespace {

/// Numbers that are summed and updated at a time, a multiple of a row's unit.
constexpr std::int64_t update_block = 4096;
/// Rough speeds, for deciding whether other threads are worth waking.
constexpr double flop_of_nanosecond = 20, updates_of_nanosecond = 1;

std::int64_t blocks_of(std::int64_t size) { return (size + update_block - 1) / update_block; }

}  // namespace

double flop_of_row(const NetworkSpec& spec) {
  const double d = spec.width, inside = spec.inside();
  double classes = 0;
  for (const ReadOut& read_out : spec.read_outs) classes += read_out.classes;
  const double maps = spec.layers * (4 * d * inside + 2 * d * spec.inner) + d * classes;
  return 6 * maps + 12.0 * spec.length * inside * spec.layers;
}

template <class T>
Learner<T>::Learner(const Recipe& recipe, const Kernels<T>& kernels, SharedPool pool)
    : settings_(recipe.optimiser),
      kernels_(kernels),
      network_(recipe.network),
      of_chunk_(training::sequences_of_chunk(recipe.network, network_.layout.size, recipe.batch)),
      pool_(std::move(pool)),
      weights_(network_.layout.size),
      transposed_(network_.layout.size),
      mean_(network_.layout.size),
      square_(network_.layout.size),
      gradient_(network_.layout.size) {
  const int chunks = (recipe.batch + of_chunk_ - 1) / of_chunk_;
  const int threads = std::clamp(pool_->threads(), 1, chunks);
  passes_.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) passes_.emplace_back(network_, kernels, of_chunk_);
  chunk_gradients_ = Buffer<T>(chunks * network_.layout.size);
  chunk_losses_.resize(static_cast<std::size_t>(chunks));
  block_squares_.resize(static_cast<std::size_t>(blocks_of(network_.layout.size)));
  draw(recipe.network, network_.layout, recipe.seed, weights_.data());
}

/// One call for each thread, which takes chunk after chunk: its Pass stays in its cache.
template <class T>
template <class Fn>
void Learner<T>::each_chunk(int chunks, double flop, Fn fn) {
  std::atomic<int> next{0};
  const std::stop_token never;
  const double nanoseconds = flop / flop_of_nanosecond / std::max(1, workers());
  pool_->parallel_for(workers(), nanoseconds, never, [&](std::int64_t worker) {
    const FlushDenormals flush;
    for (int chunk = next++; chunk < chunks; chunk = next++)
      fn(chunk, passes_[static_cast<std::size_t>(worker)], static_cast<int>(worker));
  });
}

template <class T>
void Learner<T>::transpose() {
  for (std::size_t i = 0; transpose_matrix(network_, kernels_, weights_.data(), i, transposed_.data()); ++i) {
  }
}

template <class T>
void Learner<T>::forward(const Batch& batch, const Operation& operation,
                         const std::function<void(int, Pass<T>&, int)>& fn) {
  transpose();
  const double flop = flop_of_row(network_.spec) / 3 * batch.sequences() * batch.length();
  each_chunk(batch.chunks(), flop, [&](int chunk, Pass<T>& pass, int worker) {
    pass.forward(weights_now(), batch.rows(chunk), operation);
    fn(chunk, pass, worker);
  });
}

template <class T>
StepResult Learner<T>::differentiate(const Batch& batch, const Operation& operation, T* score_norms) {
  transpose();
  const double flop = flop_of_row(network_.spec) * batch.sequences() * batch.length();
  const std::int64_t size = network_.layout.size;
  const NetworkSpec& spec = network_.spec;
  each_chunk(batch.chunks(), flop, [&](int chunk, Pass<T>& pass, int) {
    const Rows rows = batch.rows(chunk);
    T* const gradient = chunk_gradients_.data() + chunk * size;
    pass.forward(weights_now(), rows, operation);
    pass.clear(gradient);
    double loss = 0;
    for (std::size_t r = 0; r < spec.read_outs.size(); ++r)
      loss += pass.read_out(r, weights_now(), batch.targets(chunk, r), gradient);
    const std::int64_t norms =
        std::int64_t{batch.first_sequence(chunk)} * spec.layers * spec.heads * batch.length();
    pass.backward(weights_now(), rows, operation, gradient,
                  score_norms == nullptr ? nullptr : score_norms + norms);
    chunk_losses_[static_cast<std::size_t>(chunk)] = loss;
  });
  StepResult result;
  for (int chunk = 0; chunk < batch.chunks(); ++chunk)
    result.loss += chunk_losses_[static_cast<std::size_t>(chunk)];
  result.gradient_norm = std::sqrt(sum_gradients(batch.chunks()));
  return result;
}

template <class T>
double Learner<T>::sum_gradients(int chunks) {
  const std::int64_t size = network_.layout.size;
  const std::stop_token never;
  pool_->parallel_for(blocks_of(size), update_block * chunks / updates_of_nanosecond / 4, never,
                      [&](std::int64_t i) {
                        const FlushDenormals flush;
                        const std::int64_t at = i * update_block;
                        block_squares_[static_cast<std::size_t>(i)] =
                            kernels_.add_parts(chunk_gradients_.data() + at, size, chunks,
                                               gradient_.data() + at, std::min(update_block, size - at));
                      });
  double squares = 0;
  for (const double block : block_squares_) squares += block;
  return squares;
}

template <class T>
void Learner<T>::update(double factor, double rate) {
  ++updates_;
  const auto correction = [&](double beta) { return static_cast<T>(1 / (1 - std::pow(beta, updates_))); };
  const T mean_correction = correction(settings_.beta_mean),
          square_correction = correction(settings_.beta_square);
  const std::vector<Parameter>& parameters = network_.layout.parameters;
  const std::stop_token never;
  const auto count = static_cast<std::int64_t>(parameters.size());
  const double nanoseconds = static_cast<double>(network_.layout.size / count) / updates_of_nanosecond;
  pool_->parallel_for(count, nanoseconds, never, [&](std::int64_t i) {
    const FlushDenormals flush;
    const Parameter& parameter = parameters[static_cast<std::size_t>(i)];
    const std::int64_t at = parameter.at;
    kernels_.update(
        {weights_.data() + at, mean_.data() + at, square_.data() + at, gradient_.data() + at,
         static_cast<T>(factor), static_cast<T>(rate), static_cast<T>(parameter.decays ? settings_.decay : 0),
         static_cast<T>(settings_.beta_mean), static_cast<T>(settings_.beta_square),
         static_cast<T>(settings_.epsilon), mean_correction, square_correction},
        parameter.size());
  });
}

template <class T>
StepResult Learner<T>::step(const Batch& batch, const Operation& operation, double rate) {
  const StepResult result = differentiate(batch, operation);
  const double clip = settings_.clip;
  const double factor = clip > 0 && result.gradient_norm > clip ? clip / (result.gradient_norm + 1e-6) : 1;
  update(factor, rate);
  return result;
}

template class Learner<float>;
template class Learner<double>;

}  // namespace attnscope::training
