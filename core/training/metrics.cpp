#include "core/training/metrics.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope::training {
namespace {

constexpr double vanished_below = 1e-6;

/// ln Σ e^x − x at the target.
double row_loss(std::span<const float> logits, std::int32_t target) {
  const float most = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float x : logits) sum += static_cast<double>(std::exp(x - most));
  return std::log(sum) + static_cast<double>(most - logits[static_cast<std::size_t>(target)]);
}

/// Whether the answer's logit is above those of its rivals, or of all others where no rivals are named.
bool is_right(std::span<const float> logits, std::int32_t target, std::span<const std::int32_t> rivals) {
  const float own = logits[static_cast<std::size_t>(target)];
  if (rivals.empty()) return std::ranges::max_element(logits) - logits.begin() == target;
  return std::ranges::all_of(
      rivals, [&](std::int32_t rival) { return logits[static_cast<std::size_t>(rival)] < own; });
}

double entropy_of(const float* weights, int keys) {
  float sum = 0;
  for (int j = 0; j < keys; ++j)
    if (weights[j] > 0) sum -= weights[j] * std::log(weights[j]);
  return static_cast<double>(sum);
}

double length_of(const float* gradient, const Parameter& parameter, int first, int columns) {
  double squares = 0;
  for (int row = 0; row < parameter.rows; ++row)
    for (int column = first; column < first + columns; ++column) {
      const double x = gradient[parameter.at + std::int64_t{row} * parameter.columns + column];
      squares += x * x;
    }
  return std::sqrt(squares);
}

}  // namespace

Evaluation::Evaluation(const Recipe& recipe, const TaskRow& task, const Maker& maker, int sequences_of_chunk)
    : task_(task),
      spec_(recipe.network),
      batch_(recipe.network, recipe.measured_sequences, sequences_of_chunk),
      gradient_batch_(recipe.network, std::min(recipe.batch, recipe.measured_sequences), sequences_of_chunk) {
  notes_.resize(static_cast<std::size_t>(recipe.measured_sequences));
  for (int i = 0; i < batch_.sequences(); ++i)
    batch_.make(maker, recipe.seed, DataStream::Measured, static_cast<std::uint64_t>(i), i,
                &notes_[static_cast<std::size_t>(i)]);
  batch_.gather();
  for (int i = 0; i < gradient_batch_.sequences(); ++i)
    gradient_batch_.make(maker, recipe.seed, DataStream::Measured, static_cast<std::uint64_t>(i), i);
  gradient_batch_.gather();
  const auto heads = static_cast<std::size_t>(spec_.layers) * static_cast<std::size_t>(spec_.heads);
  sums_.resize(notes_.size());
  for (Sums& sums : sums_) {
    sums.losses.resize(spec_.read_outs.size());
    sums.groups.resize(task.groups.size());
    sums.entropy.resize(heads);
    sums.scores.assign(task.scores.size(), std::vector<double>(heads));
    sums.even_scores.resize(task.scores.size());
    sums.looks.resize(task.scores.size());
  }
  score_norms_.resize(static_cast<std::size_t>(gradient_batch_.sequences()) * heads *
                      static_cast<std::size_t>(spec_.length));
}

/// Loss of every row that is asked, and the groups' shares of them.
void Evaluation::answer(int chunk, Pass<float>& pass, int worker, const Learner<float>& learner) {
  Room& room = rooms_[static_cast<std::size_t>(worker)];
  const Rows rows = batch_.rows(chunk);
  for (std::size_t r = 0; r < spec_.read_outs.size(); ++r) {
    const Targets targets = batch_.targets(chunk, r);
    const auto classes = static_cast<std::size_t>(spec_.read_outs[r].classes);
    room.logits.resize(std::max(room.logits.size(), targets.rows.size() * classes));
    room.row_losses.resize(targets.rows.size());
    room.place.assign(static_cast<std::size_t>(rows.sequences) * static_cast<std::size_t>(rows.length),
                      ignored);
    pass.logits(r, learner.weights_now(), targets.rows, room.logits.data());
    const auto logits_of = [&](std::size_t i) {
      return std::span(room.logits).subspan(i * classes, classes);
    };
    for (std::size_t i = 0; i < targets.rows.size(); ++i) {
      room.place[static_cast<std::size_t>(targets.rows[i])] = static_cast<std::int32_t>(i);
      room.row_losses[i] = row_loss(logits_of(i), targets.classes[i]);
      sums_[static_cast<std::size_t>(batch_.first_sequence(chunk) + targets.rows[i] / rows.length)]
          .losses[r] += room.row_losses[i];
    }
    for (int s = 0; s < rows.sequences; ++s) {
      const auto sequence = static_cast<std::size_t>(batch_.first_sequence(chunk) + s);
      for (const Notes::Row& row : notes_[sequence].rows()) {
        const Group& group = task_.groups[static_cast<std::size_t>(row.group)];
        if (static_cast<std::size_t>(group.read_out) != r) continue;
        const auto i =
            static_cast<std::size_t>(room.place[static_cast<std::size_t>(s * rows.length + row.row)]);
        GroupResult& result = sums_[sequence].groups[static_cast<std::size_t>(row.group)];
        ++result.rows;
        result.loss += room.row_losses[i];
        result.accuracy += is_right(logits_of(i), targets.classes[i], notes_[sequence].rivals(row)) ? 1 : 0;
      }
    }
  }
}

/// Entropy of every head, and its weight on the keys of the task's scores.
void Evaluation::look(int sequence, int in_chunk, const Pass<float>& pass, const Operation& operation) {
  Sums& sums = sums_[static_cast<std::size_t>(sequence)];
  const Notes& notes = notes_[static_cast<std::size_t>(sequence)];
  for (const Notes::Look& look : notes.looks()) {
    const int seen = operation.causal ? look.query + 1 : spec_.length;
    const auto keys = std::ranges::count_if(notes.keys(look), [&](std::int32_t key) { return key < seen; });
    ++sums.looks[static_cast<std::size_t>(look.score)];
    sums.even_scores[static_cast<std::size_t>(look.score)] += static_cast<double>(keys) / seen;
  }
  for (int layer = 0; layer < spec_.layers; ++layer) {
    for (int head = 0; head < spec_.heads; ++head) {
      const float* const plane = pass.weights(layer, in_chunk, head);
      const auto at = static_cast<std::size_t>(layer * spec_.heads + head);
      for (int i = 0; i < spec_.length; ++i) {
        const int keys = operation.causal ? i + 1 : spec_.length;
        if (keys > 1) sums.entropy[at] += entropy_of(plane + i * pass.stride(), keys) / std::log(keys);
      }
      for (const Notes::Look& look : notes.looks())
        for (const std::int32_t key : notes.keys(look))
          sums.scores[static_cast<std::size_t>(look.score)][at] +=
              static_cast<double>(plane[look.query * pass.stride() + key]);
    }
  }
}

void Evaluation::measure_chunk(int chunk, Pass<float>& pass, int worker, const Learner<float>& learner,
                               const Operation& operation) {
  const Rows rows = batch_.rows(chunk);
  for (int s = 0; s < rows.sequences; ++s) {
    Sums& sums = sums_[static_cast<std::size_t>(batch_.first_sequence(chunk) + s)];
    std::ranges::fill(sums.losses, 0.0);
    std::ranges::fill(sums.groups, GroupResult());
    std::ranges::fill(sums.entropy, 0.0);
    for (std::vector<double>& score : sums.scores) std::ranges::fill(score, 0.0);
    std::ranges::fill(sums.even_scores, 0.0);
    std::ranges::fill(sums.looks, 0);
  }
  answer(chunk, pass, worker, learner);
  for (int s = 0; s < rows.sequences; ++s) look(batch_.first_sequence(chunk) + s, s, pass, operation);
}

Metrics Evaluation::summed() const {
  Metrics metrics;
  const std::size_t heads = sums_[0].entropy.size();
  metrics.groups.resize(task_.groups.size());
  metrics.entropy.resize(heads);
  metrics.scores.assign(task_.scores.size(), std::vector<double>(heads));
  metrics.even_scores.resize(task_.scores.size());
  std::vector<std::int64_t> looks(task_.scores.size());
  for (const Sums& sums : sums_) {
    for (std::size_t r = 0; r < sums.losses.size(); ++r)
      metrics.loss += sums.losses[r] / static_cast<double>(std::max<std::int64_t>(1, batch_.target_count(r)));
    for (std::size_t g = 0; g < sums.groups.size(); ++g) {
      metrics.groups[g].loss += sums.groups[g].loss;
      metrics.groups[g].accuracy += sums.groups[g].accuracy;
      metrics.groups[g].rows += sums.groups[g].rows;
    }
    for (std::size_t h = 0; h < heads; ++h) metrics.entropy[h] += sums.entropy[h];
    for (std::size_t s = 0; s < looks.size(); ++s) {
      looks[s] += sums.looks[s];
      metrics.even_scores[s] += sums.even_scores[s];
      for (std::size_t h = 0; h < heads; ++h) metrics.scores[s][h] += sums.scores[s][h];
    }
  }
  for (GroupResult& group : metrics.groups) {
    const double rows = static_cast<double>(std::max<std::int64_t>(1, group.rows));
    group.loss /= rows;
    group.accuracy /= rows;
  }
  for (std::size_t s = 0; s < looks.size(); ++s) {
    const double queries = static_cast<double>(std::max<std::int64_t>(1, looks[s]));
    for (double& score : metrics.scores[s]) score /= queries;
    metrics.even_scores[s] /= queries;
  }
  return metrics;
}

/// Behind differentiate(), which leaves [layers][sequences][heads][rows] for one chunk behind the other.
ScoreGradients Evaluation::let_through(const Operation& operation) const {
  std::vector<float> norms;
  std::size_t at = 0;
  const auto whole = static_cast<std::size_t>(spec_.length);
  for (int chunk = 0; chunk < gradient_batch_.chunks(); ++chunk) {
    const int first = gradient_batch_.first_sequence(chunk), count = gradient_batch_.rows(chunk).sequences;
    for (int layer = 0; layer < spec_.layers; ++layer)
      for (int s = 0; s < count; ++s)
        for (int head = 0; head < spec_.heads; ++head, at += whole)
          for (int row = operation.causal ? 1 : 0; row < spec_.length; ++row)
            if (layer + 1 < spec_.layers || gradient_batch_.is_asked(first + s, row))
              norms.push_back(score_norms_[at + static_cast<std::size_t>(row)]);
  }
  ScoreGradients result;
  if (norms.empty()) return result;
  const auto middle = norms.begin() + std::ssize(norms) / 2;
  std::ranges::nth_element(norms, middle);
  result.median = static_cast<double>(*middle);
  const auto vanished =
      std::ranges::count_if(norms, [](float x) { return static_cast<double>(x) < vanished_below; });
  result.vanished = static_cast<double>(vanished) / static_cast<double>(norms.size());
  return result;
}

Metrics Evaluation::measure(Learner<float>& learner, const Operation& operation, bool score_gradients) {
  rooms_.resize(static_cast<std::size_t>(learner.workers()));
  learner.forward(batch_, operation, [&](int chunk, Pass<float>& pass, int worker) {
    measure_chunk(chunk, pass, worker, learner, operation);
  });
  Metrics metrics = summed();
  const int rows = spec_.length - (operation.causal || spec_.length == 1 ? 1 : 0);
  for (double& entropy : metrics.entropy)
    entropy /= static_cast<double>(std::max(1, rows)) * batch_.sequences();
  metrics.gradients = projection_norms(learner.network(), learner.gradient().data());
  if (score_gradients) {
    learner.differentiate(gradient_batch_, operation, score_norms_.data());
    metrics.score_gradients = let_through(operation);
  }
  return metrics;
}

std::vector<ProjectionNorms> projection_norms(const Network<float>& network, const float* gradient) {
  const int inside = network.spec.inside();
  std::vector<ProjectionNorms> norms(static_cast<std::size_t>(network.spec.layers));
  for (std::size_t layer = 0; layer < norms.size(); ++layer) {
    const BlockLayout& block = network.layout.blocks[layer];
    const auto length = [&](const MapAt& map, int first, int columns) {
      return map.weight < 0
                 ? 0
                 : length_of(gradient, {{}, map.weight, map.d_in, map.d_out, true}, first, columns);
    };
    ProjectionNorms& of = norms[layer];
    of.query = length(block.maps, 0, inside);
    of.key = length(block.maps, inside, inside);
    of.value = length(block.maps, 2 * inside, inside);
    of.output = length(block.output, 0, block.output.d_out);
    of.up = length(block.up, 0, block.up.d_out);
    of.down = length(block.down, 0, block.down.d_out);
  }
  return norms;
}

}  // namespace attnscope::training
