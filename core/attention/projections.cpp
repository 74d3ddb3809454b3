#include "core/attention/projections.hpp"

#include "core/attention/blocks.hpp"
#include "core/base/product.hpp"

namespace attnscope {

template <class T>
TensorOf<T> project(const Work& work, const TensorOf<T>& x, const TensorOf<T>& w, const TensorOf<T>* bias,
                    std::int64_t heads, std::int64_t first) {
  const std::int64_t batch = x.shape()[0], tokens = x.shape()[1] - first, d_in = x.shape()[2];
  const std::int64_t d = w.shape()[1] / heads;
  TensorOf<T> result(Shape{batch, heads, tokens, d});
  for_row_blocks(work, batch, heads, tokens, product_ns(1, d_in, d), [&](const RowBlock& at) {
    auto head = result.matrix(at.b, at.h);
    auto rows = head.middleRows(at.first, at.count);
    multiply<T>(x.matrix(at.b).middleRows(first + at.first, at.count), w.matrix().middleCols(at.h * d, d),
                rows);
    if (bias != nullptr) rows.rowwise() += bias->matrix().row(0).segment(at.h * d, d);
  });
  return result;
}

template <class T>
ProjectGradients<T> project_backward(const Work& work, const ProjectRun<T>& run, const TensorOf<T>& d_y,
                                     TensorOf<T>& d_x) {
  const std::int64_t batch = d_y.shape()[0], heads = d_y.shape()[1], d = d_y.shape()[3];
  const std::int64_t rows = run.x.shape()[1] - run.first, d_in = run.w.shape()[0];
  ProjectGradients<T> found{TensorOf<T>(run.w.shape()), TensorOf<T>(Shape{heads * d})};
  work.for_each(heads, product_ns(rows, d_in, d) * static_cast<double>(batch), [&](std::int64_t h) {
    for (std::int64_t b = 0; b < batch; ++b) {
      const auto dy = d_y.matrix(b, h).topRows(rows);
      add_transposed_multiply<T>(run.x.matrix(b).middleRows(run.first, rows), dy,
                                 found.w.matrix().middleCols(h * d, d));
      found.bias.matrix().middleCols(h * d, d) += dy.colwise().sum();
    }
  });
  work.for_each(batch, product_ns(rows, d_in, heads * d), [&](std::int64_t b) {
    for (std::int64_t h = 0; h < heads; ++h)
      add_multiply_transposed<T>(d_y.matrix(b, h).topRows(rows), run.w.matrix().middleCols(h * d, d),
                                 d_x.matrix(b).middleRows(run.first, rows));
  });
  return found;
}

template <class T>
TensorOf<T> fuse(const Work& work, const TensorOf<T>& x, const std::array<FusedPart<T>, 3>& parts) {
  const std::int64_t batch = x.shape()[0], tokens = x.shape()[1], d_in = x.shape()[2];
  std::int64_t columns = 0;
  for (const FusedPart<T>& part : parts) columns += part.w->shape()[1];
  TensorOf<T> result(Shape{batch, tokens, columns});
  std::int64_t first = 0;
  for (const FusedPart<T>& part : parts) {
    const std::int64_t d = part.w->shape()[1] / part.heads;
    for_row_blocks(work, batch, part.heads, tokens, product_ns(1, d_in, d), [&](const RowBlock& at) {
      auto sequence = result.matrix(at.b);
      auto block = sequence.block(at.first, first + at.h * d, at.count, d);
      multiply<T>(x.matrix(at.b).middleRows(at.first, at.count), part.w->matrix().middleCols(at.h * d, d),
                  block);
      if (part.bias != nullptr) block.rowwise() += part.bias->matrix().row(0).segment(at.h * d, d);
    });
    first += part.heads * d;
  }
  return result;
}

template <class T>
TensorOf<T> split(const TensorOf<T>& fused, std::int64_t first_column, std::int64_t heads, std::int64_t d,
                  std::int64_t first) {
  const std::int64_t batch = fused.shape()[0], tokens = fused.shape()[1] - first;
  TensorOf<T> result(Shape{batch, heads, tokens, d});
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      result.matrix(b, h) = fused.matrix(b).block(first, first_column + h * d, tokens, d);
  return result;
}

template <class T>
TensorOf<T> join_keys(const TensorOf<T>* past, const TensorOf<T>& fresh, const TensorOf<T>* extra,
                      bool zero) {
  const std::int64_t batch = fresh.shape()[0], heads = fresh.shape()[1], d = fresh.shape()[3];
  const std::int64_t before = past != nullptr ? past->shape()[2] : 0, now = fresh.shape()[2];
  const std::int64_t keys = before + now + (extra != nullptr ? 1 : 0) + (zero ? 1 : 0);
  TensorOf<T> joined(Shape{batch, heads, keys, d});
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      auto head = joined.matrix(b, h);
      if (past != nullptr) head.topRows(before) = past->matrix(b, h);
      head.middleRows(before, now) = fresh.matrix(b, h);
      if (extra != nullptr) head.row(before + now) = extra->matrix().row(0).segment(h * d, d);
      if (zero) head.row(keys - 1).setZero();
    }
  }
  return joined;
}

template <class T>
TensorOf<T> join_keys_backward(const TensorOf<T>& d_joined, std::int64_t row) {
  const std::int64_t batch = d_joined.shape()[0], heads = d_joined.shape()[1], d = d_joined.shape()[3];
  TensorOf<T> gradient(Shape{heads * d});
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      gradient.matrix().middleCols(h * d, d) += d_joined.matrix(b, h).row(row);
  return gradient;
}

namespace {

template <class T>
NormParameters<T> norm_parameters(const TensorOf<T>* weight) {
  NormParameters<T> parameters;
  if (weight != nullptr) parameters.weight = weight->values();
  return parameters;
}

}  // namespace

namespace {

/// Rows to be normed together: of each head its tokens, or of each token all its heads. Gathered in one
/// matrix, so that a weight's gradient is one sum.
template <class T>
class NormedRows {
 public:
  NormedRows(const HeadNorm& norm, const Shape& shape, std::int64_t tokens, OpenHeads open = {})
      : shape_(shape), tokens_(tokens), heads_(norm.all_heads ? shape[1] : 1) {
    for (std::int64_t b = 0; b < shape[0]; ++b)
      for (std::int64_t h = 0; h < shape[1]; h += heads_)
        if (norm.all_heads || is_open(open, h)) starts_.push_back((b * shape[1] + h) * shape[2] * shape[3]);
  }
  TensorOf<T> gathered(const TensorOf<T>& x) const {
    TensorOf<T> rows(Shape{std::ssize(starts_) * tokens_, heads_ * shape_[3]});
    each([&](std::int64_t from, std::int64_t to) {
      std::copy_n(x.data() + from, shape_[3], rows.data() + to);
    });
    return rows;
  }
  void scatter(const TensorOf<T>& rows, TensorOf<T>& x) const {
    each([&](std::int64_t to, std::int64_t from) {
      std::copy_n(rows.data() + from, shape_[3], x.data() + to);
    });
  }

 private:
  /// Calls fn(place in x, place in the rows) for each head of each row.
  void each(auto&& fn) const {
    const std::int64_t d = shape_[3];
    std::int64_t row = 0;
    for (const std::int64_t start : starts_)
      for (std::int64_t t = 0; t < tokens_; ++t, ++row)
        for (std::int64_t h = 0; h < heads_; ++h) fn(start + (h * shape_[2] + t) * d, (row * heads_ + h) * d);
  }

  const Shape shape_;
  const std::int64_t tokens_, heads_;  // heads in a row
  std::vector<std::int64_t> starts_;
};

}  // namespace

template <class T>
TensorOf<T> norm_heads(const Work& work, const HeadNorm& norm, const TensorOf<T>* weight,
                       const TensorOf<T>& x, std::int64_t tokens) {
  TensorOf<T> normed = x;
  const NormedRows<T> of(norm, x.shape(), tokens);
  TensorOf<T> rows = of.gathered(x);
  normalise<T>(work, norm.settings, norm_parameters(weight), std::as_const(rows).matrix(), rows.matrix());
  of.scatter(rows, normed);
  return normed;
}

template <class T>
NormHeadsGradients<T> norm_heads_backward(const Work& work, const NormHeadsRun<T>& run,
                                          const TensorOf<T>& d_normed) {
  const NormedRows<T> of(run.norm, run.x.shape(), run.tokens, run.open);
  const TensorOf<T> x = of.gathered(run.x), d_y = of.gathered(d_normed);
  NormGradients<T> found =
      normalise_backward<T>(work, run.norm.settings, norm_parameters(run.weight), x.matrix(), d_y.matrix());
  NormHeadsGradients<T> gradients{d_normed, std::move(found.weight)};
  of.scatter(found.x, gradients.x);
  return gradients;
}

template <class T>
TensorOf<T> concat(const Work& work, const TensorOf<T>& mixed) {
  const std::int64_t batch = mixed.shape()[0], heads = mixed.shape()[1];
  const std::int64_t queries = mixed.shape()[2], d_v = mixed.shape()[3];
  TensorOf<T> result(Shape{batch, queries, heads * d_v});
  for_row_blocks(work, batch, heads, queries, static_cast<double>(d_v) * 0.5, [&](const RowBlock& at) {
    auto sequence = result.matrix(at.b);
    sequence.block(at.first, at.h * d_v, at.count, d_v) =
        mixed.matrix(at.b, at.h).middleRows(at.first, at.count);
  });
  return result;
}

template <class T>
TensorOf<T> concat_backward(const TensorOf<T>& d_concatenated, std::int64_t heads) {
  return split(d_concatenated, 0, heads, d_concatenated.shape()[2] / heads, 0);
}

template TensorOf<float> project(const Work&, const TensorOf<float>&, const TensorOf<float>&,
                                 const TensorOf<float>*, std::int64_t, std::int64_t);
template TensorOf<double> project(const Work&, const TensorOf<double>&, const TensorOf<double>&,
                                  const TensorOf<double>*, std::int64_t, std::int64_t);
template TensorOf<float> fuse(const Work&, const TensorOf<float>&, const std::array<FusedPart<float>, 3>&);
template TensorOf<double> fuse(const Work&, const TensorOf<double>&, const std::array<FusedPart<double>, 3>&);
template TensorOf<float> split(const TensorOf<float>&, std::int64_t, std::int64_t, std::int64_t,
                               std::int64_t);
template TensorOf<double> split(const TensorOf<double>&, std::int64_t, std::int64_t, std::int64_t,
                                std::int64_t);
template TensorOf<float> join_keys(const TensorOf<float>*, const TensorOf<float>&, const TensorOf<float>*,
                                   bool);
template TensorOf<double> join_keys(const TensorOf<double>*, const TensorOf<double>&, const TensorOf<double>*,
                                    bool);
template TensorOf<float> norm_heads(const Work&, const HeadNorm&, const TensorOf<float>*,
                                    const TensorOf<float>&, std::int64_t);
template TensorOf<double> norm_heads(const Work&, const HeadNorm&, const TensorOf<double>*,
                                     const TensorOf<double>&, std::int64_t);
template NormHeadsGradients<float> norm_heads_backward(const Work&, const NormHeadsRun<float>&,
                                                       const TensorOf<float>&);
template NormHeadsGradients<double> norm_heads_backward(const Work&, const NormHeadsRun<double>&,
                                                        const TensorOf<double>&);
template TensorOf<float> concat(const Work&, const TensorOf<float>&);
template TensorOf<double> concat(const Work&, const TensorOf<double>&);

template ProjectGradients<float> project_backward(const Work&, const ProjectRun<float>&,
                                                  const TensorOf<float>&, TensorOf<float>&);
template TensorOf<float> join_keys_backward(const TensorOf<float>&, std::int64_t);
template TensorOf<float> concat_backward(const TensorOf<float>&, std::int64_t);
template ProjectGradients<double> project_backward(const Work&, const ProjectRun<double>&,
                                                   const TensorOf<double>&, TensorOf<double>&);
template TensorOf<double> join_keys_backward(const TensorOf<double>&, std::int64_t);
template TensorOf<double> concat_backward(const TensorOf<double>&, std::int64_t);

}  // namespace attnscope
