#include "core/latent/latent.hpp"

#include <utility>

#include "core/base/dense.hpp"
#include "core/base/product.hpp"

namespace attnscope {

namespace {

/// All tokens of all sequences as the rows of one matrix.
template <class T>
ConstMatrixMap<T> all_tokens(const TensorOf<T>& x) {
  return {x.data(), x.shape()[0] * x.shape()[1], x.shape()[2]};
}

template <class T>
NormParameters<T> weight_of(const Compression<T>& how) {
  if (how.norm_weight == nullptr) return {};
  return {how.norm_weight->values(), {}};
}

/// Writes rows [batch · tokens][width] to the first `width` numbers of every token of `latent`.
template <class T, class Rows>
void put_content(const Rows& rows, TensorOf<T>& latent) {
  const std::int64_t tokens = latent.shape()[1];
  for (std::int64_t b = 0; b < latent.shape()[0]; ++b)
    latent.matrix(b).leftCols(rows.cols()) = rows.middleRows(b * tokens, tokens);
}

}  // namespace

template <class T>
TensorOf<T> compress(const Work& work, const TensorOf<T>& x, const Compression<T>& how) {
  TensorOf<T> y = dense<T>(work, x, how.w, nullptr);
  if (!how.norm) return y;
  TensorOf<T> content = content_of(y, how.width);
  const ConstMatrixMap<T> rows = all_tokens(content);
  normalise<T>(work, *how.norm, weight_of(how), rows, MatrixMap<T>(content.data(), rows.rows(), rows.cols()));
  put_content(rows, y);
  return y;
}

template <class T>
CompressGradients<T> compress_backward(const Work& work, const TensorOf<T>& x, const Compression<T>& how,
                                       const TensorOf<T>& d_y, TensorOf<T>& d_x) {
  CompressGradients<T> found{TensorOf<T>(how.w.shape()), {}};
  TensorOf<T> d_product = d_y;
  if (how.norm) {
    const TensorOf<T> content = content_of(dense<T>(work, x, how.w, nullptr), how.width);
    const TensorOf<T> d_content = content_of(d_y, how.width);
    NormGradients<T> d =
        normalise_backward<T>(work, *how.norm, weight_of(how), all_tokens(content), all_tokens(d_content));
    put_content(d.x.matrix(), d_product);
    found.norm_weight = std::move(d.weight);
  }
  for (std::int64_t b = 0; b < x.shape()[0]; ++b)
    add_transposed_multiply<T>(x.matrix(b), d_product.matrix(b), found.w.matrix());
  const double ns = static_cast<double>(x.shape()[1] * how.w.size()) / 12;
  work.for_each(x.shape()[0], ns, [&](std::int64_t b) {
    add_multiply_transposed<T>(d_product.matrix(b), how.w.matrix(), d_x.matrix(b));
  });
  return found;
}

template <class T>
TensorOf<T> content_of(const TensorOf<T>& latent, std::int64_t width) {
  const Shape& shape = latent.shape();
  TensorOf<T> content(Shape{shape[0], shape[1], width});
  for (std::int64_t b = 0; b < shape[0]; ++b) content.matrix(b) = latent.matrix(b).leftCols(width);
  return content;
}

template <class T>
TensorOf<T> with_shared_key(const TensorOf<T>& latent, std::int64_t width, const TensorOf<T>& own) {
  const Shape& shape = own.shape();
  const std::int64_t shared = latent.shape()[2] - width;
  TensorOf<T> keys(Shape{shape[0], shape[1], shape[2], shared + shape[3]});
  for (std::int64_t b = 0; b < shape[0]; ++b) {
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      auto head = keys.matrix(b, h);
      head.leftCols(shared) = latent.matrix(b).rightCols(shared);
      head.rightCols(shape[3]) = own.matrix(b, h);
    }
  }
  return keys;
}

template <class T>
TensorOf<T> with_shared_key_backward(const TensorOf<T>& d_key, std::int64_t width, TensorOf<T>& d_latent) {
  const Shape& shape = d_key.shape();
  const std::int64_t shared = d_latent.shape()[2] - width, tokens = d_latent.shape()[1];
  TensorOf<T> own(Shape{shape[0], shape[1], tokens, shape[3] - shared});
  for (std::int64_t b = 0; b < shape[0]; ++b) {
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      const auto head = d_key.matrix(b, h).topRows(tokens);
      own.matrix(b, h) = head.rightCols(shape[3] - shared);
      d_latent.matrix(b).rightCols(shared) += head.leftCols(shared);
    }
  }
  return own;
}

template <class T>
void add_content(const TensorOf<T>& d_content, TensorOf<T>& d_latent) {
  for (std::int64_t b = 0; b < d_content.shape()[0]; ++b)
    d_latent.matrix(b).leftCols(d_content.shape()[2]) += d_content.matrix(b);
}

template TensorOf<float> compress(const Work&, const TensorOf<float>&, const Compression<float>&);
template TensorOf<double> compress(const Work&, const TensorOf<double>&, const Compression<double>&);
template CompressGradients<float> compress_backward(const Work&, const TensorOf<float>&,
                                                    const Compression<float>&, const TensorOf<float>&,
                                                    TensorOf<float>&);
template CompressGradients<double> compress_backward(const Work&, const TensorOf<double>&,
                                                     const Compression<double>&, const TensorOf<double>&,
                                                     TensorOf<double>&);
template TensorOf<float> content_of(const TensorOf<float>&, std::int64_t);
template TensorOf<double> content_of(const TensorOf<double>&, std::int64_t);
template TensorOf<float> with_shared_key(const TensorOf<float>&, std::int64_t, const TensorOf<float>&);
template TensorOf<double> with_shared_key(const TensorOf<double>&, std::int64_t, const TensorOf<double>&);
template TensorOf<float> with_shared_key_backward(const TensorOf<float>&, std::int64_t, TensorOf<float>&);
template TensorOf<double> with_shared_key_backward(const TensorOf<double>&, std::int64_t, TensorOf<double>&);
template void add_content(const TensorOf<float>&, TensorOf<float>&);
template void add_content(const TensorOf<double>&, TensorOf<double>&);

}  // namespace attnscope
