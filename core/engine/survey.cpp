#include "core/engine/survey.hpp"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

/// [H][R][…]: the rows of two tensors, alternating.
template <class T>
TensorOf<T> rows_in_turn(const TensorOf<T>& even, const TensorOf<T>& odd) {
  if (even.size() == 0 && odd.size() == 0) return {};
  const Shape &a = even.shape(), &b = odd.shape();
  const std::int64_t width = a.rank() == 3 ? a[2] : 1;
  const std::int64_t rows = a[1] + b[1];
  TensorOf<T> all(a.rank() == 3 ? Shape{a[0], rows, width} : Shape{a[0], rows});
  for (std::int64_t h = 0; h < a[0]; ++h) {
    for (std::int64_t r = 0; r < rows; ++r) {
      const TensorOf<T>& from = r % 2 == 0 ? even : odd;
      std::copy_n(from.data() + (h * from.shape()[1] + r / 2) * width, width,
                  all.data() + (h * rows + r) * width);
    }
  }
  return all;
}

std::vector<std::int32_t> rows_in_turn(const std::vector<std::int32_t>& even,
                                       const std::vector<std::int32_t>& odd, std::int64_t heads) {
  if (even.empty()) return {};
  const auto h = static_cast<std::size_t>(heads);
  const std::size_t a = even.size() / h, b = odd.size() / h;
  std::vector<std::int32_t> all(h * (a + b));
  for (std::size_t i = 0; i < h; ++i)
    for (std::size_t r = 0; r < a + b; ++r)
      all[i * (a + b) + r] = r % 2 == 0 ? even[i * a + r / 2] : odd[i * b + r / 2];
  return all;
}

/// The number of rows of a sweep in a row of its picture.
std::int64_t rows_in(const Sweep& sweep, std::int64_t picture_row) {
  const std::int64_t per = sweep.picture->rows_per_cell, rows = sweep.log_sum_exp.shape()[1];
  return std::clamp<std::int64_t>(rows - picture_row * per, 0, per);
}

/// The mean or maximum of two pictures of the same cells, made of different rows. The last cell of one of
/// them may be empty.
Tensor merged_picture(const Sweep& a, const Sweep& b, Tensor Sweep::*which) {
  const Tensor &x = a.*which, &y = b.*which;
  if (x.size() == 0) return {};
  const Shape &xs = x.shape(), &ys = y.shape();
  Tensor all(Shape{xs[0], std::max(xs[1], ys[1]), xs[2]});
  for (std::int64_t h = 0; h < xs[0]; ++h) {
    for (std::int64_t r = 0; r < all.shape()[1]; ++r) {
      const auto in_a = static_cast<float>(rows_in(a, r)), in_b = static_cast<float>(rows_in(b, r));
      const float share = in_b / (in_a + in_b);
      const float* const p = r < xs[1] ? x.data() + (h * xs[1] + r) * xs[2] : nullptr;
      const float* const q = r < ys[1] ? y.data() + (h * ys[1] + r) * xs[2] : nullptr;
      float* const to = all.data() + (h * all.shape()[1] + r) * xs[2];
      for (std::int64_t k = 0; k < xs[2]; ++k) {
        if (p == nullptr || q == nullptr) {
          to[k] = p != nullptr ? p[k] : q[k];
        } else if (which == &Sweep::mean) {
          to[k] = p[k] + (q[k] - p[k]) * share;
        } else {
          to[k] = p[k] > q[k] || p[k] != p[k] ? p[k] : q[k];  // NaN stays
        }
      }
    }
  }
  return all;
}

SweepRequest request_for(std::int64_t cell, RowRange rows, bool everything) {
  return {.output = everything,
          .received = everything,
          .strongest = true,
          .picture = PooledCells{cell / rows.step, cell},
          .rows = rows};
}

}  // namespace

std::int64_t survey_cell(const AttentionProblem& problem, std::int64_t most) {
  return cell_side(std::max(problem.queries, problem.keys), most);
}

Sweep interleaved(const Sweep& even, const Sweep& odd, std::int64_t queries) {
  Sweep all;
  all.first_head = even.first_head;
  all.rows = {0, queries, even.rows.step / 2};
  all.rounded = even.rounded || odd.rounded;
  all.output = rows_in_turn(even.output, odd.output);
  all.log_sum_exp = rows_in_turn(even.log_sum_exp, odd.log_sum_exp);
  all.entropy = rows_in_turn(even.entropy, odd.entropy);
  all.largest = rows_in_turn(even.largest, odd.largest);
  all.strongest = rows_in_turn(even.strongest, odd.strongest, even.log_sum_exp.shape()[0]);
  if (even.received.size() > 0) {
    all.received = even.received;
    for (std::int64_t i = 0; i < all.received.size(); ++i) all.received.data()[i] += odd.received.data()[i];
  }
  if (even.picture) {
    all.picture = {even.picture->rows_per_cell * 2, even.picture->keys_per_cell};
    all.mean = merged_picture(even, odd, &Sweep::mean);
    all.max = merged_picture(even, odd, &Sweep::max);
  }
  return all;
}

SurveyPtr first_look(StreamedDocument document, Backend& backend, const std::stop_token& stop,
                     SweepProgress* progress) {
  auto survey = std::make_shared<Survey>();
  survey->of = std::make_shared<const StreamedDocument>(std::move(document));
  const AttentionProblem& problem = survey->problem();
  const bool at_once = static_cast<double>(problem.heads) * static_cast<double>(problem.queries) *
                           static_cast<double>(problem.keys) <=
                       static_cast<double>(backend.pairs_in_a_moment());
  survey->cell = survey_cell(problem, at_once ? survey_side : survey_side / 2);
  RowRange rows{0, problem.queries, at_once ? 1 : survey->cell};
  while (rows.step > problem.queries) rows.step /= 2;
  survey->known = backend.sweep(problem, request_for(survey->cell, rows, rows.step == 1), stop, progress);
  return survey;
}

SurveyPtr refined(const Survey& so_far, Backend& backend, const std::stop_token& stop,
                  SweepProgress* progress) {
  auto survey = std::make_shared<Survey>();
  survey->of = so_far.of;
  survey->cell = survey_cell(so_far.problem());
  const std::int64_t step = so_far.known.rows.step, queries = so_far.problem().queries;
  const auto look = [&](RowRange rows) {
    return backend.sweep(so_far.problem(), request_for(survey->cell, rows, true), stop, progress);
  };
  // The first look had coarser pictures and no output, so its rows are swept again.
  const bool first = so_far.known.output.size() == 0;
  survey->known = first ? look({0, queries, step / 2})
                        : interleaved(so_far.known, look({step / 2, queries, step}), queries);
  return survey;
}

}  // namespace attnscope
