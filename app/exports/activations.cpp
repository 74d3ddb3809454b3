#include "app/exports/activations.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/kit/ui/number_format.hpp"
#include "app/results/changed_model.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

double activation_bytes(const ModelReading& reading, const HookBlocks& blocks) {
  return 4 * count_hook_numbers(*reading.within.model->model, *reading.run, blocks);
}

std::string why_no_activations(const ModelReading& reading, const HookBlocks& blocks) {
  try {
    check_hook_names(*reading.within.model->model);
  } catch (const Error& error) {
    return error.what();
  }
  const double wanted = activation_bytes(reading, blocks);
  if (wanted <= most_activation_bytes) return {};
  return fmt::format("They take {}, more than the {} that are exported at once: choose one layer.",
                     bytes(static_cast<std::int64_t>(wanted)),
                     bytes(static_cast<std::int64_t>(most_activation_bytes)));
}

void write_activations(const ModelReading& reading, const HookBlocks& blocks,
                       const std::filesystem::path& path, const Work& work,
                       const std::function<void(double)>& told) {
  if (const std::string why = why_no_activations(reading, blocks); !why.empty())
    throw Error(fmt::format("Cannot write {}: {}", in_quotes(path.native()), why));
  const Model& model = *reading.within.model->model;
  const ModelRun& run = *reading.run;
  std::deque<std::pair<std::string, Tensor>> made;
  hook_tensors(
      model, run, blocks,
      [&](std::string name, Tensor values) { made.emplace_back(std::move(name), std::move(values)); }, work,
      told);
  if (model.spec.has_logits() && run.logits.rows() > 0)
    made.emplace_back("logits", Tensor(Shape{run.logits.rows(), run.logits.width}, run.logits.values));
  TensorOf<std::int64_t> ids(Shape{std::ssize(run.input.ids)});
  std::ranges::copy(run.input.ids, ids.data());
  std::vector<NamedTensor> named{{"input_ids", &ids, DType::I64}};
  for (const auto& [name, values] : made) named.push_back({name, &values});
  if (work.stop.stop_requested()) throw Cancelled();
  write_safetensors(path, named,
                    {{"names", "TransformerLens"},
                     {"model", reading.within.model->name},
                     {"text", reading.within.input.text},
                     {"changes", ChangedModel{reading.within.model, reading.within.changes}.words()}});
}

}  // namespace attnscope
