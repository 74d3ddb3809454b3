#include "core/readouts/over_texts/similarity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/readouts/text/not_finite.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// Pools the rows that the mask does not hide, in their order.
class RowPool {
 public:
  RowPool(const KeptRows& rows, std::span<const std::uint8_t> mask) : rows_(rows) {
    for (std::int64_t i = 0; i < rows.rows(); ++i)
      if (mask.empty() || mask[static_cast<std::size_t>(i)] != 0) seen_.push_back(i);
    if (seen_.empty()) throw Error("All tokens of the text are hidden, so there is nothing to be pooled.");
  }

  std::vector<double> pooled(SentencePooling how) const {
    const auto n = static_cast<double>(seen_.size());
    switch (how) {
      case SentencePooling::First: return row(seen_.front());
      case SentencePooling::Last: return row(seen_.back());
      case SentencePooling::Max: return largest();
      case SentencePooling::Mean: return sum_over(n, false);
      case SentencePooling::MeanSqrtLength: return sum_over(std::sqrt(n), false);
      case SentencePooling::WeightedMean: break;
    }
    double weights = 0;
    for (const std::int64_t i : seen_) weights += static_cast<double>(i + 1);
    return sum_over(weights, true);
  }

 private:
  std::vector<double> row(std::int64_t i) const { return {rows_.row(i), rows_.row(i) + rows_.width}; }

  std::vector<double> largest() const {
    std::vector<double> most = row(seen_.front());
    for (const std::int64_t i : seen_)
      for (std::size_t c = 0; c < most.size(); ++c) {
        const auto x = static_cast<double>(rows_.row(i)[c]);
        if (x > most[c] || std::isnan(x)) most[c] = x;  // NaN stays, since no number compares as larger
      }
    return most;
  }

  /// Σ x / divisor; if weighted, each row is multiplied by its place.
  std::vector<double> sum_over(double divisor, bool weighted) const {
    std::vector<double> sum(static_cast<std::size_t>(rows_.width), 0.0);
    for (const std::int64_t i : seen_)
      for (std::size_t c = 0; c < sum.size(); ++c)
        sum[c] += (weighted ? static_cast<double>(i + 1) : 1.0) * static_cast<double>(rows_.row(i)[c]);
    for (double& value : sum) value /= divisor;
    return sum;
  }

  const KeptRows& rows_;
  std::vector<std::int64_t> seen_;
};

double dot_product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void check_similarity(const OpenedModel& opened, const TextList& list) {
  const std::string where = in_quotes(list.path.native());
  const std::int64_t texts = std::ssize(list.texts);
  if (opened.model->spec.image)
    throw Error(fmt::format("{} takes pictures; similarity is of models that read a text.",
                            opened.model->spec.family));
  if (texts < 2) throw Error(fmt::format("{} holds one text; at least two can be compared.", where));
  if (texts > most_compared_texts)
    throw Error(fmt::format("{} holds {} texts; {} at most can be compared, each with each.", where, texts,
                            most_compared_texts));
}

/// Why a text is too long; empty if all its tokens count.
std::string why_cut(std::int64_t tokens, std::int64_t most) {
  if (most == 0 || tokens <= most) return {};
  return fmt::format(
      "The text has {} tokens; its folder's max_seq_length is {}, where sentence-transformers cuts it off.",
      tokens, most);
}

/// Why a text has no cosine; empty if it has one.
std::string embedding_trouble(const Model& model, const ModelRun& run, const std::vector<double>& embedding) {
  if (std::ranges::all_of(embedding, [](double x) { return std::isfinite(x); }))
    return std::ranges::all_of(embedding, [](double x) { return x == 0; })
               ? "Its vector is zero, which has no direction to be compared."
               : std::string();
  const std::string where = not_finite_sentence(model, run);
  return where.empty() ? "Its vector holds NaN or infinity." : where;
}

TensorOf<double> cosine_table(const std::vector<std::vector<double>>& vectors, const Work& work) {
  const std::int64_t n = std::ssize(vectors);
  TensorOf<double> all(Shape{n, n});
  std::vector<double> squares;
  for (const std::vector<double>& vector : vectors) squares.push_back(dot_product(vector, vector));
  double* const cells = all.data();
  work.for_each(n, static_cast<double>(n) * static_cast<double>(vectors[0].size()), [&](std::int64_t i) {
    const auto a = static_cast<std::size_t>(i);
    for (std::size_t b = 0; b < vectors.size(); ++b)
      cells[i * n + static_cast<std::int64_t>(b)] =
          dot_product(vectors[a], vectors[b]) / std::sqrt(squares[a] * squares[b]);
  });
  return all;
}

}  // namespace

std::vector<double> pooled_rows(const KeptRows& rows, std::span<const std::uint8_t> mask,
                                std::span<const SentencePooling> pooling) {
  const RowPool pool(rows, mask);
  std::vector<double> all;
  for (const SentencePooling how : pooling) {
    const std::vector<double> part = pool.pooled(how);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<double> sentence_embedding(const Model& model, const ModelRun& run,
                                       std::span<const SentencePooling> pooling) {
  const StackRun& stack = model.spec.encoder ? run.encoder : run.decoder;
  return pooled_rows(stack.normed, run.input.mask, pooling);
}

Similarity similarity(const OpenedModel& opened, const TextList& list, const SimilarityRequest& request,
                      TextsProgress* progress, const Work& work) {
  check_similarity(opened, list);
  std::vector<ModelTokens> tokens = tokens_of_list(opened, list, {});
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (const std::string cut = why_cut(std::ssize(tokens[i].input.ids), request.most_tokens); !cut.empty())
      throw line_error(list, list.texts[i], cut);
  Similarity found;
  std::vector<std::vector<double>> vectors;
  RunRequest run_request;
  run_request.logits = LogitRows::None;
  if (progress != nullptr) progress->total = std::ssize(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (work.stop.stop_requested()) throw Cancelled();
    const std::int64_t line = list.texts[i].line;
    found.tokens.push_back(std::ssize(tokens[i].input.ids));
    if (!tokens[i].untold.empty()) found.untold.push_back({line, tokens[i].untold});
    const ModelRun run = run_model(*opened.model, std::move(tokens[i].input), run_request, work);
    vectors.push_back(sentence_embedding(*opened.model, run, request.pooling));
    if (std::string trouble = embedding_trouble(*opened.model, run, vectors.back()); !trouble.empty())
      found.not_numbers.push_back({line, std::move(trouble)});
    if (progress != nullptr) ++progress->done;
  }
  found.cosine = cosine_table(vectors, work);
  const std::int64_t n = found.cosine.shape()[0];
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j)
      if (const double value = found.cosine.data()[i * n + j]; std::isfinite(value)) found.pairs.add(value);
  return found;
}

}  // namespace attnscope
