#include "core/models/reading/mixture_reader.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

ExpertWeights expert(const PartReader& reader, std::span<const PartName> names,
                     const std::array<Part, 3>& parts, std::size_t i, std::size_t e, std::int64_t inner) {
  const std::int64_t d = reader.config().spec.d_model;
  const auto take = [&](Part part, std::int64_t d_in, std::int64_t d_out) {
    const PartName& name = *find_part(names, part);
    return reader.map_at(reader.config().gguf ? reader.path(name, i) : path_of(name, i, e), name.bias, d_in,
                         d_out);
  };
  return {take(parts[0], d, inner), take(parts[1], d, inner), take(parts[2], inner, d)};
}

std::vector<ExpertWeights> single_experts(const PartReader& reader, std::span<const PartName> names,
                                          const ExpertSettings& of, std::size_t i) {
  std::vector<ExpertWeights> made;
  for (std::size_t e = 0; e < static_cast<std::size_t>(of.experts); ++e)
    made.push_back(
        expert(reader, names, {Part::ExpertGate, Part::ExpertUp, Part::ExpertDown}, i, e, of.d_inner));
  return made;
}

/// Of a GGUF file: each kind of map in one tensor [experts][d_out][d_in].
std::vector<ExpertWeights> stacked_experts(const PartReader& reader, std::span<const PartName> names,
                                           const ExpertSettings& of, std::size_t i) {
  const std::int64_t d = reader.config().spec.d_model, inner = of.d_inner, count = of.experts;
  std::vector<ExpertWeights> made(static_cast<std::size_t>(count));
  const auto each = [&](Part part, std::int64_t d_in, std::int64_t d_out, auto&& place) {
    const PartName& name = *find_part(names, part);
    const std::string at = reader.path(name, i);
    if (!reader.files().has(at + ".weight"))
      throw Error(
          fmt::format("The file has no tensor \"{}.weight\" with all experts of a block. Files of 2023 "
                      "have a tensor for each expert, which is not read here; llama.cpp converts the "
                      "model anew.",
                      at));
    const StoredTensor all = reader.files().take(at + ".weight", Shape{count, d_out, d_in});
    std::vector<float> biases;
    if (reader.has_bias(name.bias)) biases = reader.files().take_floats(at + ".bias", Shape{count, d_out});
    for (std::int64_t e = 0; e < count; ++e) {
      LinearMap one{all.entry(e), WeightLayout::OutIn, {}};
      if (!biases.empty()) one.bias.assign(biases.begin() + e * d_out, biases.begin() + (e + 1) * d_out);
      place(made[static_cast<std::size_t>(e)], std::move(one));
    }
  };
  each(Part::ExpertGate, d, inner, [](ExpertWeights& to, LinearMap one) { to.gate = std::move(one); });
  each(Part::ExpertUp, d, inner, [](ExpertWeights& to, LinearMap one) { to.up = std::move(one); });
  each(Part::ExpertDown, inner, d, [](ExpertWeights& to, LinearMap one) { to.down = std::move(one); });
  return made;
}

/// Of gpt-oss: [experts][d_in][d_out], or in MXFP4 [experts][d_out][d_in], with gate and up at even and odd
/// places, and biases.
std::vector<ExpertWeights> joined_experts(const PartReader& reader, std::span<const PartName> names,
                                          const ExpertSettings& of, std::size_t i) {
  const std::int64_t d = reader.config().spec.d_model, inner = of.d_inner, count = of.experts;
  std::vector<ExpertWeights> made(static_cast<std::size_t>(count));
  const auto each = [&](Part part, std::int64_t d_in, std::int64_t d_out, LinearMap ExpertWeights::*place) {
    const std::string at = reader.path(*find_part(names, part), i);
    const std::string blocks = at + "_blocks";
    const bool coded = reader.files().has(blocks);
    const StoredTensor all = coded ? reader.files().take(blocks, Shape{count, d_out, d_in})
                                   : reader.files().take(at, Shape{count, d_in, d_out});
    const WeightLayout layout = coded ? WeightLayout::OutIn : WeightLayout::InOut;
    const std::vector<float> biases = reader.files().take_floats(at + "_bias", Shape{count, d_out});
    for (std::int64_t e = 0; e < count; ++e)
      made[static_cast<std::size_t>(e)].*
          place = {all.entry(e), layout, {biases.begin() + e * d_out, biases.begin() + (e + 1) * d_out}};
  };
  each(Part::ExpertUp, d, 2 * inner, &ExpertWeights::up);
  each(Part::ExpertDown, inner, d, &ExpertWeights::down);
  return made;
}

}  // namespace

MixtureWeights read_mixture(const PartReader& reader, std::span<const PartName> names,
                            const ExpertSettings& of, std::size_t i) {
  const std::int64_t d = reader.config().spec.d_model;
  MixtureWeights made;
  made.router = reader.map(*find_part(names, Part::Router), i, d, of.experts);
  if (const PartName* name = find_part(names, Part::RouterCorrection))
    made.correction = reader.files().take_floats(reader.path(*name, i), Shape{of.experts});
  made.experts = reader.config().gguf              ? stacked_experts(reader, names, of, i)
                 : reader.family().experts_stacked ? joined_experts(reader, names, of, i)
                                                   : single_experts(reader, names, of, i);
  if (of.d_shared == 0) return made;
  made.shared =
      expert(reader, names, {Part::SharedGate, Part::SharedUp, Part::SharedDown}, i, 0, of.d_shared);
  if (of.shared_gated) made.shared_gate = reader.map(*find_part(names, Part::SharedSwitch), i, d, 1);
  return made;
}

}  // namespace attnscope
