#include "app/cli/layer.hpp"

#include "app/cli/parts/tensor_output.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/parallel.hpp"
#include "core/files/archives/npz.hpp"

namespace attnscope {
namespace {

template <class T>
void compute(const LayerOptions& options, const SafetensorsFile& file, const Document& document) {
  ThreadPool pool;
  const Work work{pool, {}};
  const Sources<T> sources = layer_sources<T>(file, document);
  const TraceOf<T> trace = run_stages(work, document, sources);
  TensorOutput output(file.find("query")->dtype);
  output.add<T>("out", trace[Stage::Output]);
  output.add<T>("attn_weights", trace[Stage::Softmax]);
  if (document.loss.kind != Loss::Kind::Off) {
    for (NamedValues<T>& gradient : named_gradients(file, backward(work, document, sources, trace)))
      output.add<T>(std::move(gradient.name), std::move(gradient.tensor));
  }
  output.write(options.out);
}

}  // namespace

std::string run_layer(const LayerOptions& options) {
  const SafetensorsFile file = open_tensors(options.in);
  const Document document = document_from_layer(file, options.settings);
  const DType dtype = file.find("query")->dtype;
  if (dtype == DType::F64 || dtype == DType::F32) {
    compute<double>(options, file, document);
  } else {
    compute<float>(options, file, document);
  }
  return not_finite_note(document);
}

}  // namespace attnscope
