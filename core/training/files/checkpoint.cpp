#include "core/training/files/checkpoint.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/training/files/recipe_json.hpp"

namespace attnscope::training {
namespace {

using nlohmann::json;

constexpr std::string_view kind_key = "attnscope.training", kind = "checkpoint 1";

json knobs_value(const Knobs& knobs) {
  return {{"scaled", knobs.operation.scaled},
          {"causal", knobs.operation.causal},
          {"muted", knobs.operation.muted},
          {"rate_factor", knobs.rate_factor}};
}

Knobs knobs_from(const json& value, const std::string& where) {
  JsonFields fields(value, "knobs", where);
  Knobs knobs;
  knobs.operation.scaled = fields.boolean("scaled", true);
  knobs.operation.causal = fields.boolean("causal", false);
  for (const std::int64_t muted : fields.wholes("muted", 1))
    knobs.operation.muted.push_back(static_cast<std::uint8_t>(muted));
  const json* factor = fields.find("rate_factor");
  if (factor == nullptr || !factor->is_number())
    throw FieldError(where, "knobs.rate_factor", "it is no number.");
  knobs.rate_factor = factor->get<double>();
  fields.finish();
  return knobs;
}

std::string header_text(const SafetensorsFile& file, const std::string& key) {
  const auto at = file.metadata().find(key);
  if (at == file.metadata().end())
    throw Error(fmt::format("\"{}\" has no \"{}\" in its header; it is no checkpoint of a training run.",
                            file.path().native(), key));
  return at->second;
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  const Snapshot& snapshot = checkpoint.snapshot;
  const Shape shape{std::ssize(snapshot.weights)};
  const Tensor weights(shape, snapshot.weights), mean(shape, snapshot.mean), square(shape, snapshot.square);
  const std::array<NamedTensor, 3> tensors{{{"weights", &weights}, {"mean", &mean}, {"square", &square}}};
  write_safetensors(path, tensors,
                    {{std::string(kind_key), std::string(kind)},
                     {"recipe", recipe_json(checkpoint.recipe)},
                     {"step", std::to_string(snapshot.step)},
                     {"knobs", knobs_value(snapshot.knobs).dump()},
                     {"instruction_set", checkpoint.instruction_set}});
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const SafetensorsFile file(path);
  const std::string where = path.native();
  if (const std::string found = header_text(file, std::string(kind_key)); found != kind)
    throw Error(fmt::format("\"{}\" is \"{}\"; \"{}\" was expected.", where, found, kind));
  Checkpoint checkpoint;
  checkpoint.recipe = recipe_from_json(header_text(file, "recipe"), where);
  checkpoint.instruction_set = header_text(file, "instruction_set");
  Snapshot& snapshot = checkpoint.snapshot;
  const json state = parse_strict_json(
      fmt::format(R"({{"step": {}, "knobs": {}}})", header_text(file, "step"), header_text(file, "knobs")),
      where);
  JsonFields fields(state, "", where);
  snapshot.step = static_cast<std::int64_t>(fields.whole("step", 0, 0, 1ull << 40));
  snapshot.knobs = knobs_from(state["knobs"], where);
  const auto numbers = [&](std::string_view name) {
    const TensorEntry* const entry = file.find(name);
    if (entry == nullptr) throw Error(fmt::format("\"{}\" has no tensor \"{}\".", where, name));
    const Tensor tensor = to_tensor<float>(*entry, path);
    return std::vector<float>(tensor.values().begin(), tensor.values().end());
  };
  snapshot.weights = numbers("weights");
  snapshot.mean = numbers("mean");
  snapshot.square = numbers("square");
  return checkpoint;
}

Checkpoint checkpoint_of(const Trainer& trainer) {
  return {trainer.recipe(), trainer.snapshot(), std::string(trainer.instruction_set())};
}

}  // namespace attnscope::training
