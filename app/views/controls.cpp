// app/views: the controls, one foldable section per part of the Document. A moved knob is a moved picture:
// nothing has an Apply button.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/number_format.hpp"
#include "app/picture.hpp"
#include "core/edits.hpp"
#include "core/mask.hpp"

namespace attnscope {
namespace {

enum Section { Scaling_, Mask_, Softmax_, Input_, Weights_, Heads_, Positions_ };

/// A cursor that goes down the column; sections place their rows with it.
struct Column {
  Scene& scene;
  float x, y, width;

  const Ui& ui() const { return scene.ui; }
  Box row(float logical_height, float gap_after = 8) {
    const Box box{x, std::round(y), width, ui().px(logical_height)};
    y += ui().px(logical_height + gap_after);
    return box;
  }

  /// The section's header; its rows follow when this is true.
  bool section(Section which, const char* label, std::string_view note, bool open_when_compact) {
    signed char& fold = scene.view.fold[which];
    bool open = fold == 0 ? !scene.compact || open_when_compact : fold > 0;
    if (section_header(ui(), label, row(24, 6), note, open)) {
      open = !open;
      fold = open ? 1 : -1;
    }
    return open;
  }
  void end_section() {
    y += ui().px(2);
    ui().horizontal(x, y, width, ui().theme.hairline);
    y += ui().px(8);
  }
};

void input_section(Column& c) {
  Scene& scene = c.scene;
  const Result& r = scene.result;
  const std::string note = grouped(r.dimensions.keys) +
                           (r.dimensions.batch > 1 ? " × " + grouped(r.dimensions.batch) : "") + " tokens";
  if (c.section(Input_, "Input", note, false)) {
    const bool given = static_cast<bool>(scene.document.input.given);
    const std::string shown = given                    ? "Given Q, K, V"
                              : r.dimensions.batch > 1 ? "Batch of sentences"
                                                       : "Sentence · words";
    drop(c.ui(), "Input source", c.row(28), shown,
         {"Input",
          "text → words and punctuation",
          "Pick an example, or drop a text, a document or tensors on the window.",
          {}},
         [&] {
           for (const Example& example : scene.examples) {
             if (menu_row(c.ui(), (example.name + "##input").c_str(), {},
                          scene.document.title == example.name))
               scene.open(example.path);
           }
         });
    if (!given) {
      const Box row = c.row(28);
      c.ui().text(row.x, row.centre_y(), "pad to", {type::label, c.ui().theme.text2});
      const int longest = static_cast<int>([&] {
        std::size_t n = 1;
        for (const Sequence& s : scene.document.input.sequences) n = std::max(n, s.tokens.size());
        return n;
      }());
      const int now = std::max(scene.document.input.padded_length, longest);
      const Box box{row.right() - c.ui().px(112), row.y, c.ui().px(112), row.h};
      const Tip tip{"Pad to",
                    "sequence + [pad] … [pad]",
                    "Padding tokens take attention unless the padding mask hides them.",
                    {}};
      if (const auto n = stepper(
              c.ui(), "Pad to", box, now, [&](int step) { return std::int64_t{now} + step; }, tip)) {
        scene.document.input.padded_length =
            *n <= longest ? 0 : static_cast<int>(std::min<std::int64_t>(*n, 100000));
      }
    }
  }
  c.end_section();
}

void weights_section(Column& c) {
  Scene& scene = c.scene;
  Document& document = scene.document;
  if (document.input.given) return;
  const Weights& w = document.weights;
  if (c.section(Weights_, "Weights", "seed " + std::to_string(w.seed), false)) {
    const std::string_view shown = w.recipe == Recipe::HandBuilt ? "Built by hand · eight kinds"
                                   : w.recipe == Recipe::Random  ? "Random · Xavier normal"
                                                                 : "Given numbers";
    drop(c.ui(), "Weights source", c.row(28), shown,
         {"Weights",
          "Q = X·W_Q   K = X·W_K   V = X·W_V",
          "Random heads teach little; the hand-built ones each do one nameable thing.",
          {}},
         [&] {
           if (menu_row(c.ui(), "Built by hand", "eight kinds of head", w.recipe == Recipe::HandBuilt))
             document = edit::recipe(document, Recipe::HandBuilt);
           if (menu_row(c.ui(), "Random", "Xavier normal", w.recipe == Recipe::Random))
             document = edit::recipe(document, Recipe::Random);
         });
    const Box row = c.row(28);
    c.ui().text(row.x, row.centre_y(), "seed", {type::label, c.ui().theme.text2});
    const Box box{row.right() - c.ui().px(112), row.y, c.ui().px(112), row.h};
    const auto next = [&](int step) { return static_cast<std::int64_t>(w.seed) + step; };
    if (const auto seed = stepper(c.ui(), "Seed", box, static_cast<std::int64_t>(w.seed), next,
                                  {"Seed",
                                   "same seed, same bits",
                                   "Token vectors, random weights and noise all come from it.",
                                   {}})) {
      document = edit::seed(document, static_cast<std::uint64_t>(std::max<std::int64_t>(0, *seed)));
    }
    if (w.recipe == Recipe::HandBuilt) {
      if (const auto noise = slider(
              c.ui(), "Noise", "noise", fixed(static_cast<double>(w.noise), 2), c.row(36, 4), w.noise,
              {0, 1, 0.1f}, false,
              {"Noise", "W + noise · N(0, 1) / √d_model", "Hides the hand-built pattern bit by bit.", {}})) {
        document = edit::noise(document, std::clamp(*noise, 0.f, 10.f));
      }
    } else if (w.recipe == Recipe::Random) {
      if (toggle(c.ui(), "Biases", "biases", c.row(28), w.biases,
                 {"Biases", "y = x·W + b", "Adds small random biases to Q, K, V and the output.", {}})) {
        document = edit::biases(document, !w.biases);
      }
    }
  }
  c.end_section();
}

/// The next head count up or down that divides the width.
std::int64_t next_divisor(std::int64_t d_model, std::int64_t heads, int step) {
  for (std::int64_t h = heads + step; h >= 1 && h <= d_model; h += step) {
    if (d_model % h == 0) return h;
  }
  return heads;
}

void heads_section(Column& c) {
  Scene& scene = c.scene;
  Document& document = scene.document;
  const Dimensions& d = scene.result.dimensions;
  const std::string note =
      document.input.given ? grouped(d.heads) + " × " + grouped(d.d_k) : "dₖ " + grouped(d.d_k);
  if (c.section(Heads_, "Heads", note, false)) {
    if (document.input.given) {
      const Box row = c.row(20);
      c.ui().text(row.x, row.centre_y(), "fixed by the given tensors", {type::label, c.ui().theme.text3});
    } else {
      for (const bool count : {true, false}) {
        const Box row = c.row(28, count ? 6 : 8);
        c.ui().text(row.x, row.centre_y(), count ? "count" : "d_model", {type::label, c.ui().theme.text2});
        const Box box{row.right() - c.ui().px(112), row.y, c.ui().px(112), row.h};
        const auto next = [&](int step) {
          if (count) return next_divisor(document.d_model, document.heads, step);
          return std::int64_t{step > 0 ? std::min(document.d_model * 2, 4096)
                                       : std::max(document.d_model / 2, 1)};
        };
        const Tip tip = count ? Tip{"Heads", "dₖ = d_model / heads",
                                    "Each head attends in its own slice of the model's width.", "["}
                              : Tip{"d_model", "dₖ = d_model / heads", "Width of the token vectors X.", {}};
        if (const auto n = stepper(c.ui(), count ? "Head count" : "d_model", box,
                                   count ? document.heads : document.d_model, next, tip)) {
          const int value = static_cast<int>(std::clamp<std::int64_t>(*n, -1, 1 << 20));
          document = count ? edit::heads(document, value) : edit::d_model(document, value);
        }
      }
    }
  }
  c.end_section();
}

std::string scale_read_out(const Document& document, std::int64_t d_k) {
  const double factor = scale_factor(document.scaling, d_k);
  switch (document.scaling.kind) {
    case Scaling::Kind::InverseSqrtDk: return "1/√" + std::to_string(d_k) + " = " + fixed(factor, 3);
    case Scaling::Kind::Off: return "1";
    case Scaling::Kind::Factor: break;
  }
  return fixed(factor, 3);
}

void scaling_section(Column& c) {
  Document& document = c.scene.document;
  const std::int64_t d_k = c.scene.result.dimensions.d_k;
  if (c.section(Scaling_, "Scaling", {}, true)) {
    const bool divided = document.scaling.kind == Scaling::Kind::InverseSqrtDk;
    if (toggle(c.ui(), "Divide by sqrt(d_k)", "Divide by √dₖ", c.row(28, 4), divided,
               {"Divide by √dₖ", "S ÷ √dₖ",
                "Keeps the spread of the scores near 1, so that softmax does not fall onto one key.", "S"})) {
      document.scaling.kind = divided ? Scaling::Kind::Off : Scaling::Kind::InverseSqrtDk;
    }
    const auto factor = static_cast<float>(scale_factor(document.scaling, d_k));
    const float rest = 1 / std::sqrt(static_cast<float>(std::max<std::int64_t>(d_k, 1)));
    if (const auto moved = slider(
            c.ui(), "Scale", "scale", scale_read_out(document, d_k), c.row(36, 4), factor,
            {0.01f, 10, rest, true}, !divided,
            {"Scale", "S × factor", "Any factor instead of 1/√dₖ; a double click goes back to it.", {}})) {
      document.scaling = *moved == rest ? Scaling{} : Scaling{Scaling::Kind::Factor, *moved};
    }
  }
  c.end_section();
}

void mask_section(Column& c) {
  Scene& scene = c.scene;
  Masking& mask = scene.document.masking;
  const Dimensions& d = scene.result.dimensions;
  if (c.section(Mask_, "Mask", mask.causal ? "causal, top-left" : "", true)) {
    constexpr std::array<std::string_view, 4> names{"None", "Causal", "Padding", "Both"};
    const std::array<Tip, 4> tips{
        Tip{"No mask", "every query sees every key", "As in an encoder.", "N"},
        Tip{"Causal mask", "key ≤ query, else −∞", "No query sees the future: as in a language model.", "C"},
        Tip{"Padding mask", "[pad] keys get −∞", "Keys beyond the end of their sequence are hidden.", "P"},
        Tip{"Causal and padding", "both must allow the key", "As when a batch of texts is trained.", {}}};
    const int now = (mask.causal ? 1 : 0) + (mask.padding ? 2 : 0);
    const SegmentsStyle style{.text_size = scene.compact ? type::tick : type::label};
    if (const auto chosen = segments(c.ui(), "Mask", c.row(28, 10), names, now, tips, style)) {
      mask.causal = (*chosen & 1) != 0;
      mask.padding = (*chosen & 2) != 0;
    }
    const Box row = c.row(scene.compact ? 56 : 66, 6);
    const Box picture{row.x, row.y, row.h, row.h};
    const MaskRule rule(scene.result.document);
    std::int64_t allowed = 0,
                 without = scene.result.measures.head(scene.sequence(), scene.head()).rows_without_key;
    for (std::int64_t i = 0; i < d.queries; ++i)
      allowed += scene.result.measures.row(scene.sequence(), scene.head(), i).allowed;
    draw_mask_picture(scene, "mask picture", picture);
    const float x = picture.right() + c.ui().px(14), line = c.ui().px(20);
    const float room = row.right() - x;
    std::string count = grouped(allowed) + " of " + grouped(d.queries * d.keys) + " allowed";
    if (c.ui().text_width(count, type::label) > room) count = grouped(allowed) + " allowed";
    c.ui().text(x, row.y + line / 2, count,
                {type::label, c.ui().theme.text1, Ink::Regular, Align::Left, room});
    c.ui().text(x, row.y + line * 1.5f, grouped(without) + (without == 1 ? " row" : " rows") + " with no key",
                {type::label, without > 0 ? c.ui().theme.key : c.ui().theme.text2, Ink::Regular, Align::Left,
                 row.right() - x});
  }
  c.end_section();
}

void softmax_section(Column& c) {
  Document& document = c.scene.document;
  const float tau = document.temperature;
  if (c.section(Softmax_, "Softmax", {}, true)) {
    if (const auto moved = slider(
            c.ui(), "Temperature", "temperature τ", fixed(static_cast<double>(tau), 2), c.row(36, 4), tau,
            {0.1f, 10, 1, true}, tau != 1,
            {"Temperature", "softmax(S / τ)", "Below 1 the weights sharpen, above 1 they even out.", {}})) {
      document.temperature = *moved;
    }
    const float cap = document.soft_cap;
    constexpr float first_cap = 5;  // bites on scores of a few units, as the hand-built heads have them
    if (toggle(c.ui(), "Soft-cap", "soft-cap", c.row(28, 4), cap > 0,
               {"Soft-cap",
                "x → c · tanh(x / c), before the mask",
                "No scaled score leaves (−c, c), so no key can win by more than e^2c.",
                {}})) {
      document.soft_cap = cap > 0 ? 0 : first_cap;
    }
    if (document.soft_cap > 0 && cap > 0) {
      if (const auto moved = slider(c.ui(), "Cap", "cap c", fixed(static_cast<double>(cap), 2), c.row(36, 4),
                                    cap, {0.1f, 100, first_cap, true}, true,
                                    {"Cap",
                                     "c · tanh(x / c)",
                                     "Small caps even the weights out; large ones change nothing.",
                                     {}})) {
        document.soft_cap = *moved;
      }
    }
  }
  c.end_section();
}

void positions_section(Column& c) {
  Document& document = c.scene.document;
  if (document.input.given) return;
  const bool on = document.positions == Positions::Sinusoidal;
  if (c.section(Positions_, "Positions", on ? "sinusoidal" : "none", false)) {
    constexpr std::array<std::string_view, 2> names{"None", "Sinusoidal"};
    const std::array<Tip, 2> tips{
        Tip{"No positions", "X = token vectors", "Shuffle the words and the output only shuffles along.", {}},
        Tip{"Sinusoidal",
            "sin, cos (t / 10000^(2i/d))",
            "Each position has its own wave pattern; shifts are rotations.",
            {}}};
    if (const auto chosen = segments(c.ui(), "Positions", c.row(28), names, on ? 1 : 0, tips)) {
      document.positions = *chosen == 1 ? Positions::Sinusoidal : Positions::None;
    }
  }
  c.end_section();
}

}  // namespace

void draw_controls(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  ImGui::SetCursorScreenPos(region.min());
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild("controls", {region.w, region.h}, ImGuiChildFlags_None, ImGuiWindowFlags_NoBackground);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  Column column{scene, region.x + ui.px(16), top.y + ui.px(12), region.w - ui.px(32)};
  if (scene.compact) {  // what a class plays with comes first, the rest folds to one line each
    scaling_section(column);
    mask_section(column);
    softmax_section(column);
    input_section(column);
    weights_section(column);
    heads_section(column);
    positions_section(column);
  } else {
    input_section(column);
    weights_section(column);
    heads_section(column);
    scaling_section(column);
    mask_section(column);
    positions_section(column);
    softmax_section(column);
  }
  ImGui::SetCursorScreenPos({region.x, column.y});
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ui.vertical(region.right() - 1, region.y, region.h, ui.theme.hairline);
}

}  // namespace attnscope
