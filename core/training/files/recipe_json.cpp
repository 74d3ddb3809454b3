#include "core/training/files/recipe_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/document/enum_names.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"
#include "core/training/trainer.hpp"

namespace attnscope::training {
namespace {

using nlohmann::json;

constexpr std::uint64_t most_recipe_bytes = 1 << 20;
constexpr int most_whole = 10'000'000;

/// In recipes "rotary" means halves, the only rotary positions of a network.
constexpr std::string_view name_in_recipe(Positions positions) {
  return positions == Positions::RopeHalf ? "rotary" : enum_name(positions).key;
}
constexpr auto position_names = [] {
  std::array<std::string_view, known_positions.size()> names;
  std::ranges::transform(known_positions, names.begin(), name_in_recipe);
  return names;
}();
constexpr std::array<std::string_view, 3> norm_names{"pre", "post", "none"};
std::size_t norm_place(const NetworkSpec& spec) {
  if (!spec.has_norms()) return 2;
  return spec.arrangement == Arrangement::PostNorm ? 1 : 0;
}
constexpr std::array<std::string_view, 2> schedule_names{"cosine", "constant"};
/// "narrow", then as Initialiser has them.
constexpr std::array<std::string_view, 6> initialiser_names{"narrow",   "xavier",     "normal",
                                                            "identity", "orthogonal", "linear"};

double number(JsonFields& fields, const std::string& name, double fallback) {
  const json* found = fields.find(name);
  if (found == nullptr) return fallback;
  if (!found->is_number() || !std::isfinite(found->get<double>())) fields.fail(name, "a number", *found);
  return found->get<double>();
}

int whole(JsonFields& fields, const std::string& name, int fallback) {
  return fields.integer(name, fallback, 0, most_whole);
}

template <class E, std::size_t N>
void choice(JsonFields& fields, const std::string& name, E& value,
            const std::array<std::string_view, N>& names) {
  value = static_cast<E>(
      fields.choice(name, static_cast<std::size_t>(value), std::span<const std::string_view>(names)));
}

void read_read_outs(JsonFields& fields, NetworkSpec& spec, const std::string& where) {
  const json* list = fields.find("read_outs");
  if (list == nullptr) return;
  if (!list->is_array()) fields.fail("read_outs", "a list of objects", *list);
  spec.read_outs.clear();
  for (std::size_t i = 0; i < list->size(); ++i) {
    JsonFields one((*list)[i], fmt::format("network.read_outs[{}]", i), where);
    ReadOut read_out;
    read_out.classes = whole(one, "classes", spec.vocabulary);
    read_out.tied = one.boolean("tied", false);
    read_out.bias = one.boolean("bias", true);
    one.finish();
    spec.read_outs.push_back(read_out);
  }
}

void read_network(const json& value, NetworkSpec& spec, const std::string& where) {
  JsonFields fields(value, "network", where);
  spec.layers = whole(fields, "layers", spec.layers);
  spec.width = whole(fields, "width", spec.width);
  spec.heads = whole(fields, "heads", spec.heads);
  spec.head_width = whole(fields, "head_width", spec.head_width);
  spec.inner = whole(fields, "inner", spec.inner);
  spec.vocabulary = whole(fields, "vocabulary", spec.vocabulary);
  spec.patch = whole(fields, "patch", spec.patch);
  spec.length = whole(fields, "length", spec.length);
  auto positions =
      static_cast<std::size_t>(std::ranges::find(known_positions, spec.positions) - known_positions.begin());
  choice(fields, "positions", positions, position_names);
  spec.positions = known_positions.at(positions);
  spec.no_rope_layer_interval = whole(fields, "no_rope_layer_interval", spec.no_rope_layer_interval);
  std::size_t norm = norm_place(spec);
  choice(fields, "norm", norm, norm_names);
  spec.arrangement = norm == 1 ? Arrangement::PostNorm : Arrangement::PreNorm;
  spec.norm = norm == 2 ? NormKind::None : NormKind::LayerNorm;
  spec.causal = fields.boolean("causal", spec.causal);
  spec.scaled = fields.boolean("scaled", spec.scaled);
  spec.head_norms = fields.boolean("head_norms", spec.head_norms);
  std::size_t initialiser = spec.drawing.narrow ? 0 : static_cast<std::size_t>(spec.drawing.initialiser) + 1;
  choice(fields, "initialiser", initialiser, initialiser_names);
  spec.drawing.narrow = initialiser == 0;
  if (initialiser > 0) spec.drawing.initialiser = static_cast<Initialiser>(initialiser - 1);
  spec.drawing.gain = number(fields, "gain", spec.drawing.gain);
  spec.drawing.shrinks_depth = fields.boolean("shrinks_depth", spec.drawing.shrinks_depth);
  read_read_outs(fields, spec, where);
  fields.finish();
}

void read_optimiser(const json& value, OptimiserSettings& settings, const std::string& where) {
  JsonFields fields(value, "optimiser", where);
  settings.rate = number(fields, "rate", settings.rate);
  settings.warm_up = whole(fields, "warm_up", settings.warm_up);
  choice(fields, "schedule", settings.schedule, schedule_names);
  settings.last_rate = number(fields, "last_rate", settings.last_rate);
  settings.decay = number(fields, "decay", settings.decay);
  settings.beta_mean = number(fields, "beta_mean", settings.beta_mean);
  settings.beta_square = number(fields, "beta_square", settings.beta_square);
  settings.epsilon = number(fields, "epsilon", settings.epsilon);
  settings.clip = number(fields, "clip", settings.clip);
  fields.finish();
}

void read_data(const json& value, Recipe& recipe, const TaskRow& task, const std::string& where) {
  JsonFields fields(value, "data", where);
  for (const DataField& field : task.data) {
    const std::string name(field.name);
    recipe.data[name] = number(fields, name, recipe.data[name]);
  }
  fields.finish();
}

const TaskRow& task_named(JsonFields& fields, const std::string& where) {
  const std::string key = fields.text("task", "");
  const TaskRow* const row = find_task(key);
  if (row != nullptr) return *row;
  std::vector<std::string_view> known;
  for (const TaskRow& one : tasks()) known.push_back(one.key);
  throw FieldError(
      where, "task",
      fmt::format("task is {}; one of these was expected: {}.", in_quotes(key, 60), fmt::join(known, ", ")));
}

json network_value(const NetworkSpec& spec) {
  json read_outs = json::array();
  for (const ReadOut& read_out : spec.read_outs)
    read_outs.push_back({{"classes", read_out.classes}, {"tied", read_out.tied}, {"bias", read_out.bias}});
  const std::size_t initialiser =
      spec.drawing.narrow ? 0 : static_cast<std::size_t>(spec.drawing.initialiser) + 1;
  return {{"layers", spec.layers},
          {"width", spec.width},
          {"heads", spec.heads},
          {"head_width", spec.head_width},
          {"inner", spec.inner},
          {"vocabulary", spec.vocabulary},
          {"patch", spec.patch},
          {"length", spec.length},
          {"positions", name_in_recipe(spec.positions)},
          {"no_rope_layer_interval", spec.no_rope_layer_interval},
          {"norm", norm_names[norm_place(spec)]},
          {"causal", spec.causal},
          {"scaled", spec.scaled},
          {"head_norms", spec.head_norms},
          {"initialiser", initialiser_names[initialiser]},
          {"gain", spec.drawing.gain},
          {"shrinks_depth", spec.drawing.shrinks_depth},
          {"read_outs", read_outs}};
}

json optimiser_value(const OptimiserSettings& settings) {
  return {{"rate", settings.rate},
          {"warm_up", settings.warm_up},
          {"schedule", schedule_names[static_cast<std::size_t>(settings.schedule)]},
          {"last_rate", settings.last_rate},
          {"decay", settings.decay},
          {"beta_mean", settings.beta_mean},
          {"beta_square", settings.beta_square},
          {"epsilon", settings.epsilon},
          {"clip", settings.clip}};
}

}  // namespace

Recipe recipe_from_json(std::string_view text, const std::string& where) {
  const json value = parse_strict_json(text, where);
  JsonFields fields(value, "", where);
  const TaskRow& task = task_named(fields, where);
  Recipe recipe = task.recipe;
  recipe.name = fields.text("name", "");
  recipe.seed = fields.whole("seed", recipe.seed, 0, std::numeric_limits<std::uint64_t>::max());
  recipe.steps = whole(fields, "steps", recipe.steps);
  recipe.batch = whole(fields, "batch", recipe.batch);
  recipe.measure_every = whole(fields, "measure_every", recipe.measure_every);
  recipe.measured_sequences = whole(fields, "measured_sequences", recipe.measured_sequences);
  recipe.stops_at_goal = fields.boolean("stops_at_goal", recipe.stops_at_goal);
  recipe.text = fields.text("text", recipe.text);
  recipe.unit = fields.text("unit", recipe.unit);
  if (const json* network = fields.find("network")) read_network(*network, recipe.network, where);
  if (const json* optimiser = fields.find("optimiser")) read_optimiser(*optimiser, recipe.optimiser, where);
  if (const json* data = fields.find("data")) read_data(*data, recipe, task, where);
  fields.finish();
  return recipe;
}

Recipe read_recipe(const std::filesystem::path& path) {
  Recipe recipe = recipe_from_json(read_whole(path, most_recipe_bytes), path.native());
  if (!recipe.text.empty()) recipe.text = (path.parent_path() / recipe.text).lexically_normal().native();
  try {
    return prepared(std::move(recipe));
  } catch (const Error& error) {
    throw Error(fmt::format("\"{}\": {}", path.native(), error.what()));
  }
}

std::string recipe_json(const Recipe& recipe) {
  json value{{"task", recipe.task},
             {"name", recipe.name},
             {"seed", recipe.seed},
             {"steps", recipe.steps},
             {"batch", recipe.batch},
             {"measure_every", recipe.measure_every},
             {"measured_sequences", recipe.measured_sequences},
             {"stops_at_goal", recipe.stops_at_goal},
             {"network", network_value(recipe.network)},
             {"optimiser", optimiser_value(recipe.optimiser)},
             {"data", recipe.data}};
  if (!recipe.text.empty()) {
    value["text"] = recipe.text;
    value["unit"] = recipe.unit;
  }
  return value.dump(2);
}

}  // namespace attnscope::training
