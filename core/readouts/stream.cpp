#include "core/readouts/stream.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/attention/row_math.hpp"
#include "core/base/error.hpp"
#include "core/base/product.hpp"
#include "core/models/run_heads.hpp"
#include "core/models/run_stack.hpp"
#include "core/readouts/norm_view.hpp"

namespace attnscope {
namespace {

using PartKind = StreamPart::Kind;

/// Whether learned positions are a part of their own.
bool splits_positions(const Model& model, AttentionOf of) {
  const bool takes_input = of == AttentionOf::Encoder || !model.spec.encoder;
  return takes_input && model.position_table.size() > 0 && !model.embedding_norm.exists() &&
         !model.spec.image;
}

/// The path of a block's attention into the residual stream.
struct WayOut {
  const LinearMap& output;
  const NormWeights* behind;  // the norm of what is added, or null
  double scale;               // 0 if the block's attention is off
};

WayOut way_out(const StackView& stack, const ModelRun& run, AttentionOf of, std::size_t block) {
  const BlockWeights& weights = stack.weights.blocks[block];
  const bool sandwich = norms_additions(stack.spec.arrangement()) && of != AttentionOf::Cross;
  return {of == AttentionOf::Cross ? weights.cross.output : weights.attention.output,
          sandwich && weights.after_attention_norm.exists() ? &weights.after_attention_norm : nullptr,
          change_of(run.changes, of, block).attention_off ? 0 : stack.spec.residual_scale};
}

/// The concatenated heads, [rows][heads · d_k].
Tensor beside_each_other(const Tensor& heads) {
  const std::int64_t count = heads.shape()[0], rows = heads.shape()[1], d = heads.shape()[2];
  Tensor all(Shape{rows, count * d});
  for (std::int64_t h = 0; h < count; ++h) all.matrix().middleCols(h * d, d) = heads.matrix(h);
  return all;
}

Tensor through(const LinearMap& map, const Tensor& rows, const Work& work) {
  Tensor out(Shape{rows.shape()[0], map.d_out()});
  multiply(work, {rows.data(), rows.shape()[0], rows.shape()[1], rows.shape()[1]}, map,
           {out.data(), rows.shape()[0], map.d_out(), map.d_out()});
  return out;
}

/// map · W_O applied to heads' outputs. For few rows, W_O is applied first and then the map, which costs less
/// than the product of the two matrices.
class HeadsSeen {
 public:
  HeadsSeen(const TensorOf<double>& map, const LinearMap& output, std::int64_t rows)
      : map_(map), output_(rows_of_map(output, 0, output.d_out())) {
    if (2 * rows <= map.shape()[0]) return;
    product_ = TensorOf<double>(Shape{map.shape()[0], output.d_in()});
    multiply<double>(map.matrix(), output_.matrix(), product_.matrix());
  }
  /// The part of the head whose columns of W_O begin at `column`.
  Eigen::VectorXd part(std::int64_t column, const Eigen::VectorXd& z) const {
    if (product_.size() > 0) return product_.matrix().middleCols(column, z.size()) * z;
    const Eigen::VectorXd written = output_.matrix().middleCols(column, z.size()) * z;
    return map_.matrix() * written;
  }

 private:
  const TensorOf<double>& map_;
  TensorOf<double> output_;   // [d_model][heads · d_k]
  TensorOf<double> product_;  // [k][heads · d_k], or empty
};

class Projector {
 public:
  Projector(const StreamAt& at, const TensorOf<double>& map, std::int64_t begin, std::int64_t end,
            const VisitPart& visit, const Work& work)
      : at_(at),
        stack_(stack_of(at.model, at.run, at.of)),
        map_(map),
        begin_(begin),
        end_(end),
        visit_(visit),
        work_(work),
        k_(map.shape()[0]),
        sums_(Shape{end - begin, map.shape()[0]}) {}

  void run() {
    embeddings();
    for (std::size_t b = 0; b < at_.block; ++b) {
      sums_.matrix().setZero();
      attention(at_.of, b);
      if (stack_.spec.cross) attention(AttentionOf::Cross, b);
      mlp(b);
    }
  }

 private:
  using Vector = Eigen::VectorXd;

  Vector seen(const float* x) const {
    return map_.matrix() * Eigen::Map<const Eigen::VectorXf>(x, map_.shape()[1]).cast<double>();
  }
  void give(std::int64_t row, const Vector& value) {
    visit_(part_, row, {value.data(), static_cast<std::size_t>(k_)});
  }
  auto sum_of(std::int64_t row) { return sums_.matrix().row(row - begin_).transpose(); }

  void embeddings() {
    const bool split = splits_positions(at_.model, at_.of);
    std::vector<std::int64_t> positions;
    if (split) positions = token_positions(at_.model.spec, at_.run.input);
    for (std::int64_t row = begin_; row < end_; ++row) {
      Vector token = seen(stack_.run.hidden[0].row(row));
      if (split) {
        const std::int64_t p = positions[static_cast<std::size_t>(row)];
        const Vector position = seen(at_.model.position_table.matrix().row(p).data());
        token -= position;
        part_ = 1;
        give(row, position);
      }
      part_ = 0;
      give(row, token);
    }
    part_ = split ? 2 : 1;
  }

  void attention(AttentionOf of, std::size_t b) {
    const WayOut way = way_out(stack_, at_.run, of, b);
    const std::int64_t d = map_.shape()[1];
    const Tensor heads = head_outputs(at_.model, at_.run, of, b, {.begin = begin_, .end = end_}, work_);
    const std::int64_t count = heads.shape()[0], d_k = heads.shape()[2];
    TensorOf<double> map = map_;
    Vector behind = Vector::Zero(k_), ones = Vector::Zero(k_);
    std::vector<RowStatistics> norms(static_cast<std::size_t>(end_ - begin_));
    if (way.behind != nullptr) {
      const std::vector<double> weight = norm_weight(stack_.spec.norm(), *way.behind, d),
                                bias = norm_bias(*way.behind, d);
      behind = map_.matrix() * Eigen::Map<const Vector>(bias.data(), d);
      for (std::int64_t c = 0; c < d; ++c) map.matrix().col(c) *= weight[static_cast<std::size_t>(c)];
      ones = map.matrix().rowwise().sum();
      const Tensor out = through(way.output, beside_each_other(heads), work_);
      for (std::size_t r = 0; r < norms.size(); ++r)
        norms[r] =
            fixed_norm(stack_.spec.norm(), *way.behind,
                       std::span(out.data() + static_cast<std::int64_t>(r) * d, static_cast<std::size_t>(d)));
    }
    const HeadsSeen heads_seen(map, way.output, end_ - begin_);
    const std::vector<double> bias = bias_of_map(way.output, 0, d);
    const Vector seen_bias = map.matrix() * Eigen::Map<const Vector>(bias.data(), d);
    const std::size_t first = part_;
    for (std::int64_t row = begin_; row < end_; ++row) {
      const RowStatistics& norm = norms[static_cast<std::size_t>(row - begin_)];
      part_ = first;
      for (std::int64_t h = 0; h < count; ++h, ++part_) {
        const Vector z = std::as_const(heads).matrix(h).row(row - begin_).transpose().cast<double>();
        Vector value = heads_seen.part(h * d_k, z) * norm.inverse;
        value *= way.scale;
        sum_of(row) += value;
        give(row, value);
      }
      Vector value = (seen_bias - ones * norm.mean) * norm.inverse + behind;
      value *= way.scale;
      sum_of(row) += value;
      give(row, value);
      ++part_;
    }
  }

  void mlp(std::size_t b) {
    for (std::int64_t row = begin_; row < end_; ++row) {
      const float *before = stack_.run.hidden[b].row(row), *after = stack_.run.hidden[b + 1].row(row);
      const std::int64_t d = map_.shape()[1];
      Vector added(d);
      for (std::int64_t c = 0; c < d; ++c)
        added[c] = static_cast<double>(after[c]) - static_cast<double>(before[c]);
      give(row, map_.matrix() * added - sum_of(row));
    }
    ++part_;
  }

  const StreamAt& at_;
  const StackView stack_;
  const TensorOf<double>& map_;
  std::int64_t begin_, end_;
  const VisitPart& visit_;
  const Work& work_;
  std::int64_t k_;
  std::size_t part_ = 0;
  TensorOf<double> sums_;  // [rows][k] what the block's attention adds
};

}  // namespace

std::string name_of(const StreamPart& part) {
  switch (part.kind) {
    case PartKind::Embedding: return "embedding";
    case PartKind::Position: return "position";
    case PartKind::Head: return fmt::format("head {:d}.{:d}", part.block, part.head);
    case PartKind::AttentionBias: return fmt::format("attention bias {:d}", part.block);
    case PartKind::CrossHead: return fmt::format("cross head {:d}.{:d}", part.block, part.head);
    case PartKind::CrossBias: return fmt::format("cross bias {:d}", part.block);
    case PartKind::Mlp: return fmt::format("MLP {:d}", part.block);
    case PartKind::Centring: return "centring";
    case PartKind::NormBias: return "norm bias";
    case PartKind::Bias: return "bias";
  }
  return {};
}

void check_is_sum(const StackSpec& spec, const std::string& family) {
  if (spec.arrangement() == Arrangement::PostNorm)
    throw Error(
        fmt::format("The blocks of {} are post-norm: a norm stands after every sum, so the residual stream "
                    "is not the sum of "
                    "what heads and MLPs wrote into it, and nothing can be split over them.",
                    family));
  if (spec.residual_after_norm)
    throw Error(
        fmt::format("This model of {} adds to the stream after the norm, so the stream is not the sum of "
                    "what heads and MLPs "
                    "wrote into it, and nothing can be split over them.",
                    family));
}

std::vector<StreamPart> parts_of_stream(const StreamAt& at) {
  const StackView stack = stack_of(at.model, at.run, at.of);
  std::vector<StreamPart> parts{{}};
  if (splits_positions(at.model, at.of)) parts.push_back({.kind = PartKind::Position});
  for (std::size_t b = 0; b < at.block; ++b) {
    const int block = static_cast<int>(b);
    const auto heads = [&](PartKind head, PartKind bias) {
      for (int h = 0; h < stack.spec.blocks[b].heads; ++h) parts.push_back({head, block, h});
      parts.push_back({bias, block});
    };
    heads(PartKind::Head, PartKind::AttentionBias);
    if (stack.spec.cross) heads(PartKind::CrossHead, PartKind::CrossBias);
    parts.push_back({PartKind::Mlp, block});
  }
  return parts;
}

void project_stream(const StreamAt& at, const TensorOf<double>& map, std::int64_t begin, std::int64_t end,
                    const VisitPart& visit, const Work& work) {
  check_is_sum(stack_of(at.model, at.run, at.of).spec, at.model.spec.family);
  Projector(at, map, begin, end, visit, work).run();
}

Tensor stream_norms(const StackRun& run, const Work& work) {
  if (run.hidden.empty()) return {};
  const std::int64_t rows = run.hidden.front().rows(), width = run.hidden.front().width;
  Tensor norms(Shape{rows, std::ssize(run.hidden)});
  const double numbers = static_cast<double>(width) * static_cast<double>(run.hidden.size());
  work.for_each(rows, numbers / 4, [&](std::int64_t row) {
    for (std::size_t place = 0; place < run.hidden.size(); ++place) {
      const std::span<const float> x(run.hidden[place].row(row), static_cast<std::size_t>(width));
      norms.matrix()(row, static_cast<std::int64_t>(place)) =
          static_cast<float>(std::sqrt(dot_in_double<float>(x, x)));
    }
  });
  return norms;
}

Tensor attention_addition(const Model& model, const ModelRun& run, AttentionOf of, std::size_t block,
                          std::int64_t begin, std::int64_t end, const Work& work) {
  const StackView stack = stack_of(model, run, of);
  const WayOut way = way_out(stack, run, of, block);
  const Tensor heads = head_outputs(model, run, of, block, {.begin = begin, .end = end}, work);
  Tensor out = through(way.output, beside_each_other(heads), work);
  if (way.behind != nullptr)
    apply_norm(work, stack.spec.norm(), *way.behind, out.data(), end - begin, model.spec.d_model, out.data());
  if (way.scale != 1) out.matrix() *= static_cast<float>(way.scale);
  return out;
}

}  // namespace attnscope
