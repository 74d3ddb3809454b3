#include "core/stages/embed.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "core/random.hpp"
#include "core/weights/hand_built.hpp"

namespace attnscope {
namespace {

/// The vector of each distinct token, made once however often the token occurs.
class TokenVectors {
 public:
  explicit TokenVectors(const Document& document) : document_(document) {}

  const std::vector<float>& of(std::string_view token) {
    const auto [at, added] = vectors_.try_emplace(token);
    if (added) at->second = make(token);
    return at->second;
  }

 private:
  std::vector<float> make(std::string_view token) const {
    std::vector<float> vector(static_cast<std::size_t>(document_.d_model));
    if (document_.embedding == Embedding::HandBuilt) {
      hand_built_token(token, document_.weights.seed, vector);
    } else {
      fill_normal(vector, document_.weights.seed, stream_of(token), 1);
    }
    return vector;
  }

  const Document& document_;
  std::unordered_map<std::string_view, std::vector<float>> vectors_;
};

}  // namespace

double position_frequency(int i, int d) { return std::pow(10000.0, -2.0 * i / d); }

template <class T>
TensorOf<T> embed(const Document& document) {
  const Dimensions size = check(document);
  TensorOf<T> embedded({size.batch, size.queries, size.d_model});
  TokenVectors vectors(document);
  T* row = embedded.data();
  for (const Sequence& sequence : document.input.sequences) {
    for (std::size_t t = 0; t < static_cast<std::size_t>(size.queries); ++t, row += size.d_model) {
      const std::string_view token = t < sequence.tokens.size() ? sequence.tokens[t] : padding_token;
      std::ranges::copy(vectors.of(token), row);
    }
  }
  return embedded;
}

template <class T>
TensorOf<T> add_positions(const Document& document, const TensorOf<T>& embedded) {
  TensorOf<T> x = embedded;
  if (document.positions == Positions::None) return x;
  const Shape& shape = x.shape();  // [batch][tokens][d_model]
  const int d_model = static_cast<int>(shape[2]);
  const int first = document.embedding == Embedding::HandBuilt ? HandBuiltLayout(d_model).token : 0;
  const int d = d_model - first;
  for (int dim = 0; dim < d; ++dim) {
    const double omega = position_frequency(dim / 2, d);
    for (std::int64_t t = 0; t < shape[1]; ++t) {
      const double angle = omega * static_cast<double>(t);
      const T p = static_cast<T>(dim % 2 == 0 ? std::sin(angle) : std::cos(angle));
      for (std::int64_t b = 0; b < shape[0]; ++b) x.matrix(b)(t, first + dim) += p;
    }
  }
  return x;
}

template TensorOf<float> embed(const Document&);
template TensorOf<double> embed(const Document&);
template TensorOf<float> add_positions(const Document&, const TensorOf<float>&);
template TensorOf<double> add_positions(const Document&, const TensorOf<double>&);

}  // namespace attnscope
