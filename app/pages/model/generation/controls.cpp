// app/pages/model: controls of sampling, and the size and savings of the cache.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/generation/parts.hpp"

namespace attnscope {
namespace {

std::int64_t step_of_top_k(std::int64_t now, int step) {
  constexpr std::array<std::int64_t, 8> usual{0, 1, 2, 5, 10, 20, 50, 100};
  if (step > 0) {
    const auto next = std::ranges::upper_bound(usual, now);
    return next == usual.end() ? now * 2 : *next;
  }
  const auto next = std::ranges::lower_bound(usual, now);
  return next == usual.begin() ? 0 : *(next - 1);
}

void draw_sampling(Column& c) {
  GenerationState& state = model_state_of(c.scene.view).generation;
  const Ui& ui = c.ui();
  if (const auto value = slider(ui, "Temperature of sampling", "temperature",
                                fixed(static_cast<double>(state.temperature), 2), c.row(28),
                                state.temperature, {0.1f, 4, 1, true}, false,
                                {"Temperature of sampling",
                                 "softmax(logits / T)",
                                 "Below 1 likely tokens become likelier, above 1 the choice becomes flatter.",
                                 {}}))
    state.temperature = std::clamp(*value, 0.1f, 4.f);
  if (const auto value = c.number(
          "Top k", "top k", state.top_k, [&](int step) { return step_of_top_k(state.top_k, step); },
          {"Top k", {}, "Drawn among so many of the likeliest tokens alone.", {}},
          state.top_k == 0 ? "all" : ""))
    state.top_k = std::clamp<std::int64_t>(*value, 0, 1 << 20);
  if (const auto value =
          slider(ui, "Top p", "top p", fixed(static_cast<double>(state.top_p), 2), c.row(28), state.top_p,
                 {0.05f, 1, 1}, false,
                 {"Top p",
                  "Holtzman et al. 2020",
                  "Drawn among the fewest tokens whose probabilities sum up to p (nucleus sampling).",
                  {}}))
    state.top_p = std::clamp(std::round(*value * 100) / 100, 0.05f, 1.f);
  if (const auto value = c.number(
          "Seed of sampling", "seed", state.seed,
          [&](int step) { return std::max<std::int64_t>(0, state.seed + step); },
          {"Seed of sampling", {}, "The same seed draws the same tokens, here and on the command line.", {}}))
    state.seed = std::clamp<std::int64_t>(*value, 0, 1 << 30);
}

/// Buttons that remove the appended tokens behind the shown place, or all of them.
void draw_dropping(Column& c, const GenerationPlace& place) {
  const Ui& ui = c.ui();
  const Box row = c.row(28);
  const float half = std::floor((row.w - ui.px(8)) / 2);
  const auto cut = [&](std::int64_t count) {
    model_state_of(c.scene.view).to_append = 0;
    model_state_of(c.scene.view).predicted_row.reset();
    change_within(c.scene,
                  [&](ModelContext within) { return edit::continued_up_to(std::move(within), count); });
  };
  const std::int64_t step = std::max<std::int64_t>(0, place.step());
  if (button(ui, "Drop later", {row.x, row.y, half, row.h},
             {"Drop later steps", {}, "The text ends with the step that is looked at.", {}}) &&
      step < place.steps())
    cut(step);
  if (button(ui, "Drop all", {row.x + half + ui.px(8), row.y, row.w - half - ui.px(8), row.h},
             {"Drop all steps", {}, "The text as it was typed. Ctrl+Z brings them back.", {}}))
    cut(0);
}

}  // namespace

void generation_section(Column& c) {
  GenerationState& state = model_state_of(c.scene.view).generation;
  const auto place = generation_place(c.scene);
  if (c.begin({.which = Section::Generation, .label = "Generation", .opens = Opens::Always})) {
    constexpr std::array<std::string_view, 2> names{"Likeliest", "Sampled"};
    constexpr std::array<Tip, 2> tips{
        {{"The likeliest token", "argmax", "Greedy: the same text every time.", {}},
         {"Drawn at random",
          "p = softmax(logits / T)",
          "As likely as the model holds it, from a seed.",
          {}}}};
    if (const auto picked = c.choice("Next is", "next is", names, state.sampled ? 1 : 0, tips))
      state.sampled = *picked == 1;
    if (state.sampled) draw_sampling(c);
    if (const auto value = c.number(
            "Tokens at once", "at once", state.count,
            [&](int step) { return std::max<std::int64_t>(1, step > 0 ? state.count * 2 : state.count / 2); },
            {"Tokens at once", {}, "How many one press of the large button appends.", "Shift+Space"}))
      state.count = std::clamp<std::int64_t>(*value, 1, 1024);
    if (place && place->steps() > 0) draw_dropping(c, *place);
  }
  c.end();
}

void cache_section(Column& c) {
  if (!generation_place(c.scene)) return;
  const GenerationReading& reading = *c.scene.model->generation;
  constexpr std::int64_t number_bytes = sizeof(float);
  const std::int64_t held = reading.cached_numbers * (reading.row + 1) * number_bytes;
  if (c.begin({.which = Section::Cache, .label = "Cache", .note = bytes(held), .opens = Opens::WhenWide})) {
    const ModelSpec& spec = c.scene.model->within.model->model->spec;
    const std::size_t layers = spec.decoder->blocks.size();
    const std::string per =
        counted(static_cast<std::int64_t>(layers), "layer", "layers") + " × 2 × key heads × dₖ × 4 bytes";
    c.fact("Held in the cache", "held", bytes(held),
           {"Keys and values of all positions so far",
            per,
            "Float32 here. A cache in 16 bit takes half of it.",
            {}});
    c.fact("Written by this token", "this token writes", bytes((reading.cached_numbers) * number_bytes),
           {"Keys and values of one position", per, "It grows by as much with every token.", {}});
    if (reading.cross_numbers > 0)
      c.fact("Of the encoder", "of the encoder",
             bytes((reading.cross_numbers * reading.encoder_rows) * number_bytes),
             {"Keys and values of the encoder's text",
              {},
              "Cross-attention reads them; they are computed once.",
              {}});
    c.fact("Work of this token", "multiply-adds", metric(reading.row_work),
           {"Multiply-adds of this row",
            "weights of all layers + 2·n·dₖ of each head",
            "With the cache one row is computed. Logits are not counted.",
            {}});
    c.fact("Work without a cache", "without a cache", metric(reading.all_work),
           {"Multiply-adds of all rows up to this one",
            {},
            "Without a cache every row is computed again for every token.",
            {}});
    c.fact("Saved by the cache", "saves", fixed(reading.all_work / std::max(1.0, reading.row_work), 1) + "×",
           {"How many times as much work", "all rows / one row", {}, {}});
  }
  c.end();
}

}  // namespace attnscope
