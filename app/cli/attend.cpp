#include "app/cli/attend.hpp"

#include <algorithm>
#include <array>

#include "app/cli/parts/tensor_output.hpp"
#include "core/analysis/attention_sums.hpp"
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
  AttentionSums<T> sums = attention_sums(*trace[Stage::Mask], *trace[Stage::Softmax]);
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
