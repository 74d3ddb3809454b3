#include "core/readouts/hook_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/block_math.hpp"
#include "core/models/run_heads.hpp"
#include "core/models/run_stack.hpp"
#include "core/readouts/lens.hpp"
#include "core/readouts/stream.hpp"

namespace attnscope {
namespace {

constexpr AttentionOf own = AttentionOf::Decoder;

int last_block(const Model& model, const HookBlocks& blocks) {
  const auto count = static_cast<int>(model.spec.decoder->blocks.size());
  return blocks.last < 0 ? count - 1 : std::min(blocks.last, count - 1);
}

bool turns(const LayerSpec& block) {
  return is_rotary(block.positions) || block.qk_norm.kind != QkNorm::Kind::None;
}

Tensor tensor_of(const KeptRows& rows) { return Tensor(Shape{rows.rows(), rows.width}, rows.values); }

/// Concatenated heads in rows as [rows][heads][d].
Tensor heads_in_rows(const ConstFloatRows& rows, std::int64_t column, std::int64_t stride, std::int64_t heads,
                     std::int64_t d) {
  Tensor out(Shape{rows.rows, heads, d});
  for (std::int64_t i = 0; i < rows.rows; ++i)
    for (std::int64_t h = 0; h < heads; ++h)
      std::copy_n(rows.row(i) + column + h * stride, d, out.data() + (i * heads + h) * d);
  return out;
}

/// Fills one head's scores for all rows, as they enter the softmax.
void fill_scores(const AttentionProblem& p, std::int64_t h, MatrixMap<float> scores, const Work& work) {
  using Strided = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
                             Eigen::OuterStride<>>;
  const Strided keys(p.key.row(p.kv_head(h), 0), p.keys, p.d_k, Eigen::OuterStride<>(p.key.row_stride));
  const auto cell = [&]<class T>(const CellValues<T>& cells, std::int64_t i, std::int64_t j) {
    return cells.values[static_cast<std::size_t>(((cells.heads == 1 ? 0 : h) * p.queries + i) * p.keys + j)];
  };
  work.for_each(p.queries, static_cast<double>(p.keys * p.d_k), [&](std::int64_t i) {
    const Eigen::Map<const Eigen::VectorXf> query(p.query.row(h, i), p.d_k);
    scores.row(i) = keys * query;
    const std::span<const float> biases = distance_row(p, h, i);
    for (std::int64_t j = 0; j < p.keys; ++j) {
      float& score = scores(i, j);
      if (is_hidden(p, h, i, j)) {
        score = -std::numeric_limits<float>::infinity();
        continue;
      }
      double x = static_cast<double>(score) * p.scale;
      if (p.soft_cap > 0) x = p.soft_cap * std::tanh(x / p.soft_cap);
      if (!p.additive.empty()) x += static_cast<double>(cell(p.additive, i, j));
      if (!biases.empty()) x += static_cast<double>(biases[static_cast<std::size_t>(j)]);
      score = static_cast<float>(x / p.temperature);
    }
  });
}

class HookWriter {
 public:
  HookWriter(const Model& model, const ModelRun& run, const std::function<void(std::string, Tensor)>& take,
             const Work& work)
      : model_(model),
        stack_(stack_of(model, run, own)),
        run_(run),
        take_(take),
        work_(work),
        positions_(token_positions(model.spec, run.input, 0)),
        rows_(stack_.run.hidden[0].rows()),
        math_(stack_.spec, positions_.empty() ? rows_ : *std::ranges::max_element(positions_) + 1, work,
              operators_) {}

  void embeddings() {
    const bool learned = model_.position_table.size() > 0 && !model_.embedding_norm.exists();
    if (!learned) return take_("hook_embed", tensor_of(stack_.run.hidden[0]));
    const std::int64_t d = model_.spec.d_model;
    Tensor tokens(Shape{rows_, d}), places(Shape{rows_, d});
    for (std::int64_t i = 0; i < rows_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      model_.token_table.read(run_.input.ids[at] * d, {tokens.data() + i * d, static_cast<std::size_t>(d)});
      std::copy_n(model_.position_table.data() + positions_[at] * d, d, places.data() + i * d);
    }
    take_("hook_embed", std::move(tokens));
    take_("hook_pos_embed", std::move(places));
  }

  void block(std::size_t b) {
    name_ = fmt::format("blocks.{}.", b);
    take_(name_ + "hook_resid_pre", tensor_of(stack_.run.hidden[b]));
    vectors(b);
    planes(b);
    const Tensor heads = head_outputs(model_, run_, own, b, {}, work_);
    const std::int64_t count = heads.shape()[0], d = heads.shape()[2];
    Tensor z(Shape{rows_, count, d});
    for (std::int64_t h = 0; h < count; ++h)
      for (std::int64_t i = 0; i < rows_; ++i)
        std::copy_n(heads.data() + (h * rows_ + i) * d, d, z.data() + (i * count + h) * d);
    take_(name_ + "attn.hook_z", std::move(z));
    take_(name_ + "hook_attn_out", attention_addition(model_, run_, own, b, 0, rows_, work_));
    mlp(b);
    take_(name_ + "hook_resid_post", tensor_of(stack_.run.hidden[b + 1]));
  }

  void normed() { take_("ln_final.hook_normalized", tensor_of(stack_.run.normed)); }

 private:
  void vectors(std::size_t b) {
    const LayerSpec& spec = stack_.spec.blocks[b];
    const KeptRows& kept = stack_.run.attention[b].queries;
    const ConstFloatRows behind{kept.row(0), rows_, kept.width, kept.width};
    const HeadColumns& columns = stack_.weights.blocks[b].attention.columns;
    const auto give = [&](const char* name, const ConstFloatRows& rows, std::int64_t column, int heads) {
      take_(name_ + "attn." + name, heads_in_rows(rows, column, columns.stride, heads, spec.d_k));
    };
    if (turns(layer_of(stack_.spec, stack_.run.attention[b], b)) || stack_.run.attention[b].staged) {
      Tensor x = tensor_of(stack_.run.hidden[b]);
      const std::int64_t d = model_.spec.d_model;
      const AttentionWeights& weights = stack_.weights.blocks[b].attention;
      Tensor before(Shape{rows_, kept.width});
      const FloatRows rows{before.data(), rows_, kept.width, kept.width};
      math_.project(weights.maps,
                    math_.normed(stack_.weights.blocks[b].attention_norm, {x.data(), rows_, d, d}), rows);
      give("hook_q", rows, columns.query, spec.heads);
      give("hook_k", rows, columns.key, spec.kv_heads);
      give("hook_rot_q", behind, columns.query, spec.heads);
      give("hook_rot_k", behind, columns.key, spec.kv_heads);
    } else {
      give("hook_q", behind, columns.query, spec.heads);
      give("hook_k", behind, columns.key, spec.kv_heads);
    }
    give("hook_v", behind, columns.value, spec.kv_heads);
  }

  void planes(std::size_t b) {
    const BlockProblem made = problem_of(model_, run_, own, b);
    const AttentionProblem& p = made.problem;
    // A block with settings of its own need not have a softmax of these scores.
    const bool has_scores = !stack_.run.attention[b].staged;
    Tensor scores, pattern(Shape{p.heads, p.queries, p.keys});
    if (has_scores) scores = Tensor(pattern.shape());
    for (std::int64_t h = 0; h < p.heads; ++h) {
      if (has_scores) fill_scores(p, h, scores.matrix(h), work_);
      pattern.matrix(h) =
          std::as_const(static_cast<const Tensor&>(head_weights(model_, run_, own, b, h, work_))).matrix();
    }
    if (has_scores) take_(name_ + "attn.hook_attn_scores", std::move(scores));
    take_(name_ + "attn.hook_pattern", std::move(pattern));
  }

  void mlp(std::size_t b) {
    const bool parallel = stack_.spec.arrangement() == Arrangement::Parallel;
    const std::int64_t d = model_.spec.d_model;
    const LensPlace middle{static_cast<int>(b), true};
    Tensor x = parallel ? tensor_of(stack_.run.hidden[b]) : stream_at(model_, run_, middle, 0, rows_, work_);
    Tensor out(Shape{rows_, d});
    if (!change_of(run_.changes, own, b).mlp_off) {
      const FloatRows added = math_.mlp_output(stack_.weights.blocks[b], {x.data(), rows_, d, d});
      for (std::int64_t i = 0; i < rows_; ++i) std::copy_n(added.row(i), d, out.data() + i * d);
    }
    if (!parallel) take_(name_ + "hook_resid_mid", std::move(x));
    take_(name_ + "hook_mlp_out", std::move(out));
  }

  const Model& model_;
  const StackView stack_;
  const ModelRun& run_;
  const std::function<void(std::string, Tensor)>& take_;
  const Work& work_;
  std::vector<std::int64_t> positions_;
  std::int64_t rows_;
  CpuRows operators_;
  BlockMath math_;
  std::string name_;
};

}  // namespace

void check_hook_names(const Model& model) {
  const ModelSpec& spec = model.spec;
  if (!spec.decoder || spec.encoder || spec.image)
    throw Error(
        fmt::format("TransformerLens names are written for decoders alone; this model is {}.", spec.family));
  check_is_sum(*spec.decoder, spec.family);
}

double count_hook_numbers(const Model& model, const ModelRun& run, const HookBlocks& blocks) {
  const StackSpec& stack = *model.spec.decoder;
  const auto n = static_cast<double>(run.decoder.hidden[0].rows()),
             d = static_cast<double>(model.spec.d_model);
  double all = 3 * n * d;
  for (int b = blocks.first; b <= last_block(model, blocks); ++b) {
    const LayerSpec& block = stack.blocks[static_cast<std::size_t>(b)];
    all += 5 * n * d + 2 * n * n * block.heads + 6 * n * block.heads * block.d_k;
  }
  return all;
}

void hook_tensors(const Model& model, const ModelRun& run, const HookBlocks& blocks,
                  const std::function<void(std::string name, Tensor values)>& take, const Work& work,
                  const std::function<void(double)>& told) {
  check_hook_names(model);
  HookWriter writer(model, run, take, work);
  writer.embeddings();
  const int last = last_block(model, blocks);
  for (int b = blocks.first; b <= last; ++b) {
    if (work.stop.stop_requested()) throw Cancelled();
    writer.block(static_cast<std::size_t>(b));
    if (told) told(static_cast<double>(b + 1 - blocks.first) / static_cast<double>(last + 1 - blocks.first));
  }
  writer.normed();
}

}  // namespace attnscope
