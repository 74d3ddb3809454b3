#include "app/cli/attend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "app/cli/parts/tensor_output.hpp"
#include "core/attention/row_math.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/parallel.hpp"
#include "core/files/archives/npz.hpp"

namespace attnscope {
namespace {

constexpr std::array<std::string_view, 7> emit_names{"scores", "capped",  "masked",  "weights",
                                                     "lse",    "entropy", "received"};

Document document_of(const AttendOptions& options, const SafetensorsFile& file) {
  Document document = document_from_tensors(file, options.layout);
  document.layer().masking.causal = options.causal;
  document.layer().masking.window = options.window;
  document.layer().soft_cap = static_cast<float>(options.soft_cap);
  document.precision = options.precision;
  if (options.scale) document.layer().scaling = {Scaling::Kind::Factor, static_cast<float>(*options.scale)};
  return document;
}

/// What of a row is no stage of its own: [batch][heads][queries] and [batch][heads][keys].
template <class T>
struct RowSums {
  TensorOf<T> log_sum_exp, entropy, received;
};

/// The entropy in the centred form, as in core/analysis/measures.hpp, in the scalar type that was computed
/// in.
template <class T>
RowSums<T> sum_rows(const TensorOf<T>& masked, const TensorOf<T>& weights) {
  const Shape& shape = masked.shape();
  RowSums<T> sums{TensorOf<T>(Shape{shape[0], shape[1], shape[2]}),
                  TensorOf<T>(Shape{shape[0], shape[1], shape[2]}),
                  TensorOf<T>(Shape{shape[0], shape[1], shape[3]})};
  for (std::int64_t row = 0; row < shape[0] * shape[1] * shape[2]; ++row) {
    const std::span<const T> x =
        masked.values().subspan(static_cast<std::size_t>(row * shape[3]), static_cast<std::size_t>(shape[3]));
    const double largest = static_cast<double>(*std::max_element(x.begin(), x.end()));
    const auto at = static_cast<std::size_t>(row);
    if (largest == -std::numeric_limits<double>::infinity()) {
      sums.log_sum_exp.values()[at] = -std::numeric_limits<T>::infinity();
      continue;
    }
    const auto shifted = [&](std::size_t key) { return static_cast<double>(x[key]) - largest; };
    const double sum = sum_of(x.size(), [&](std::size_t key) { return std::exp(shifted(key)); });
    const double centred = sum_of(x.size(), [&](std::size_t key) {
      const double e = std::exp(shifted(key));
      return e == 0 ? 0 : shifted(key) * e;
    });
    sums.log_sum_exp.values()[at] = static_cast<T>(largest + std::log(sum));
    const double entropy = std::log(sum) - centred / sum;
    sums.entropy.values()[at] = static_cast<T>(entropy < 0 ? 0 : entropy);
  }
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h)
      sums.received.matrix(b).row(h) =
          weights.matrix(b, h).template cast<double>().colwise().sum().template cast<T>();
  return sums;
}

template <class T>
void compute(const AttendOptions& options, const SafetensorsFile& file, const Document& document,
             const Sources<T>& sources) {
  ThreadPool pool;
  const TraceOf<T> trace = run_stages(Work{pool, {}}, document, sources);
  const TensorEntry& q = *file.find("Q");
  TensorOutput output(q.dtype);
  output.add<T>("Y", trace[q.shape.size() == 3 ? Stage::Concat : Stage::Mix]);
  if (document.input.given().past_key) {
    output.add<T>("present_key", trace[Stage::Key]);
    output.add<T>("present_value", trace[Stage::Value]);
  }
  const auto add_stage = [&](Emit what, Stage stage) {
    if (options.emit.contains(what))
      output.add<T>(std::string(emit_names[static_cast<std::size_t>(what)]), trace[stage]);
  };
  add_stage(Emit::Scores, Stage::Scale);
  add_stage(Emit::Capped, Stage::Cap);
  add_stage(Emit::Masked, Stage::Mask);
  add_stage(Emit::Weights, Stage::Softmax);
  RowSums<T> sums = sum_rows(*trace[Stage::Mask], *trace[Stage::Softmax]);
  if (options.emit.contains(Emit::LogSumExp)) output.add<T>("lse", std::move(sums.log_sum_exp));
  if (options.emit.contains(Emit::Entropy)) output.add<T>("entropy", std::move(sums.entropy));
  if (options.emit.contains(Emit::Received)) output.add<T>("received", std::move(sums.received));
  output.write(options.out);
}

}  // namespace

std::optional<Emit> emit_from(std::string_view name) {
  const auto found = std::find(emit_names.begin(), emit_names.end(), name);
  if (found == emit_names.end()) return std::nullopt;
  return static_cast<Emit>(found - emit_names.begin());
}

std::string attend(const AttendOptions& options) {
  const SafetensorsFile file = open_tensors(options.in);
  const Document document = document_of(options, file);
  check(document);
  if (file.find("Q")->dtype == DType::F64 && options.precision == Precision::Float32) {
    Sources<double> sources = exact_sources(file, document, options.layout);
    sources.scale = options.scale;
    sources.soft_cap = options.soft_cap;
    compute(options, file, document, sources);
  } else {
    compute(options, file, document, sources_of<float>(document));
  }
  return not_finite_note(document);
}

}  // namespace attnscope
