#include "core/attention/embed.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/base/random.hpp"
#include "core/weights/hand_built.hpp"

namespace attnscope {
namespace {

/// The vectors of distinct tokens, each made once.
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
    std::vector<float> vector(static_cast<std::size_t>(document_.layer().d_model));
    if (document_.embedding == Embedding::HandBuilt) {
      hand_built_token(token, document_.layer().weights.seed, vector);
    } else {
      fill_normal(vector, document_.layer().weights.seed, stream_of(token), 1);
    }
    if (document_.embedding_gain != 1)
      for (float& number : vector) number *= document_.embedding_gain;
    return vector;
  }

  const Document& document_;
  std::unordered_map<std::string_view, std::vector<float>> vectors_;
};

}  // namespace

template <class T>
TensorOf<T> embed(const Document& document, const std::vector<Sequence>& sequences, std::int64_t tokens) {
  TensorOf<T> embedded({std::ssize(sequences), tokens, document.layer().d_model});
  TokenVectors vectors(document);
  T* row = embedded.data();
  for (const Sequence& sequence : sequences) {
    for (std::size_t t = 0; t < static_cast<std::size_t>(tokens); ++t, row += document.layer().d_model) {
      const std::string_view token =
          t < sequence.tokens.size() ? std::string_view(sequence.tokens[t].text) : padding_token;
      std::ranges::copy(vectors.of(token), row);
    }
  }
  return embedded;
}

template TensorOf<float> embed(const Document&, const std::vector<Sequence>&, std::int64_t);
template TensorOf<double> embed(const Document&, const std::vector<Sequence>&, std::int64_t);

}  // namespace attnscope
