// app/pages/model: left of the heads: facts about the model, the changes inside it, what the grid shows, and
// the settings of the chosen layer.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/parts/choice_names.hpp"
#include "app/pages/model/parts/parts.hpp"
#include "core/document/enum_names.hpp"
#include "core/models/opened/block_tensors.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

std::string megabytes(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1e5) return fixed(size / 1e3, size < 1e4 ? 1 : 0) + " kB";
  return size < 1e9 ? fixed(size / 1e6, size < 1e7 ? 1 : 0) + " MB" : fixed(size / 1e9, 1) + " GB";
}

std::string position_words(const StackSpec& stack) {
  if (is_rotary(stack.positions())) {
    const auto turns = [](const LayerSpec& block) { return is_rotary(block.positions); };
    const LayerSpec& first = *std::ranges::find_if(stack.blocks, turns);
    const std::string base = grouped(static_cast<std::int64_t>(first.position_settings.rope_base));
    const auto turned = std::ranges::count_if(stack.blocks, turns);
    if (turned == std::ssize(stack.blocks)) return "RoPE, base " + base;
    return "RoPE in " + std::to_string(turned) + " of " + std::to_string(stack.blocks.size()) +
           " layers, base " + base;
  }
  if (stack.positions() == Positions::RelativeBuckets)
    return "relative, " + std::to_string(stack.blocks.front().position_settings.buckets) + " buckets";
  return std::string(enum_name(stack.positions()).words);
}

std::string sharing_words(const LayerSpec& attention) {
  if (attention.kv_heads == attention.heads) return "one per head";
  return std::to_string(attention.kv_heads) + " per layer, shared by " +
         std::to_string(attention.heads / std::max(1, attention.kv_heads));
}

struct ColourWords {
  std::string_view name;
  Tip tip;
};
constexpr std::array<ColourWords, 6> colour_words{
    {{head_colour_names[0], {"The patterns", {}, "Every head is the picture of its own weights.", {}}},
     {head_colour_names[1],
      {"Entropy ÷ ln n", {}, "How evenly a head spreads its weights: 0 one key, 1 all alike.", {}}},
     {head_colour_names[2], {"Previous token", {}, "The mean weight on the token before, on this text.", {}}},
     {head_colour_names[3],
      {"Induction", {}, "The mean weight on what followed the same token, on repeated random tokens.", {}}},
     {head_colour_names[4], {"First token", {}, "The mean weight on the first token, on this text.", {}}},
     {head_colour_names[5],
      {"Effect",
       "Δ logit",
       "How the logit of the likeliest token changes when the head alone is zeroed.",
       {}}}}};

void draw_colours(Column& c) {
  HeadColour& colour = model_state_of(c.scene.view).colour;
  const auto now = static_cast<std::size_t>(colour);
  if (c.scene.compact) {
    drop(c.ui(), "Colour by list", c.row(28), colour_words[now].name, colour_words[now].tip, [&] {
      for (std::size_t i = 0; i < colour_words.size(); ++i)
        if (menu_row(c.ui(), std::string(colour_words[i].name).c_str(), {}, i == now))
          colour = static_cast<HeadColour>(i);
    });
    return;
  }
  // Six choices are two rows of three on one background.
  const Box ground = c.row(52);
  c.ui().fill(ground, c.ui().theme.control, c.ui().px(6));
  for (std::size_t row = 0; row < 2; ++row) {
    std::array<std::string_view, 3> names;
    std::array<Tip, 3> tips;
    for (std::size_t i = 0; i < 3; ++i) {
      names[i] = colour_words[3 * row + i].name;
      tips[i] = colour_words[3 * row + i].tip;
    }
    const Box line{ground.x, ground.y + (row == 0 ? 0 : ground.h / 2), ground.w, ground.h / 2};
    const int chosen = now / 3 == row ? static_cast<int>(now % 3) : -1;
    if (const auto picked = segments(c.ui(), "Colour", line, names, chosen, tips, {.text_size = type::tick}))
      colour = static_cast<HeadColour>(3 * row + static_cast<std::size_t>(*picked));
  }
}

void draw_order(Column& c) {
  GridOrder& order = model_state_of(c.scene.view).order;
  constexpr const auto& names = grid_order_names;
  drop(c.ui(), "Order of heads", choice_row(c, "order"), names[static_cast<std::size_t>(order)],
       {"Order", {}, "How heads stand; none of their numbers changes.", {}}, [&] {
         for (std::size_t i = 0; i < names.size(); ++i)
           if (menu_row(c.ui(), std::string(names[i]).c_str(), {}, i == static_cast<std::size_t>(order)))
             order = static_cast<GridOrder>(i);
       });
}

/// The settings of one layer; each edits the Document's model. While the model is shown without its changes
/// they show its own values and change nothing.
struct LayerKnobs {
  Column& c;
  const ModelSpec& spec;
  ModelHead head;
  const ModelContext& now;
  bool is_without;

  edit::BlockAt at() const { return {head.of, head.block}; }
  BlockChange change() const { return edit::change_of(now, at()); }
  void edit(const std::function<ModelContext(ModelContext)>& how) const {
    if (!is_without) change_within(c.scene, how);
  }

  void division() const {
    const LayerSpec& own = spec.stack(head.of).blocks[static_cast<std::size_t>(head.block)];
    const std::string formula = "S × " + fixed(change().scale.value_or(scale_of(own)), 4);
    if (toggle(c.ui(), "Divide by √dₖ", "Divide by √dₖ", c.row(28), edit::is_divided(now, at()),
               {"Divide by √dₖ",
                formula,
                "Without it the scores grow with dₖ and the softmax saturates: nearly all weight on one key.",
                {}}))
      edit([&](ModelContext within) { return edit::toggled_division(std::move(within), at()); });
  }

  void temperature() const {
    const auto value = static_cast<float>(change().temperature);
    const auto moved =
        slider(c.ui(), "temperature τ", "temperature τ", fixed(change().temperature, 2), c.row(38, 8), value,
               {.low = 0.1f, .high = 10, .rest = 1, .log = true}, value != 1,
               {"Temperature τ",
                "softmax(S / τ)",
                "Below 1 the weights are sharper, above 1 they are flatter.",
                {}});
    if (!moved) return;
    // Near 1 it snaps to 1; typed numbers may go beyond the slider's range.
    const double chosen =
        std::abs(std::log(*moved)) < 0.03f ? 1 : static_cast<double>(std::clamp(*moved, 0.01f, 100.f));
    edit([&](ModelContext within) { return edit::temperature(std::move(within), at(), chosen); });
  }

  /// Whether the layer's own switches gave it another mask than the model's, below those of this column.
  bool has_other_mask() const {
    const BlockChange block = change();
    return block.attention && block.attention->read().masking !=
                                  spec.stack(head.of).blocks[static_cast<std::size_t>(head.block)].masking;
  }

  void mask() const {
    if (head.of == AttentionOf::Cross) return;
    if (!spec.stack(head.of).causal()) return causal();
    const std::int64_t window = window_of(spec.stack(head.of).blocks[static_cast<std::size_t>(head.block)]);
    const std::string own = has_other_mask() ? "another mask"
                            : window > 0     ? "causal, window " + grouped(window)
                                             : "causal";
    const bool off = change().mask_off;
    const auto turn = [&](bool to) {
      edit([&](ModelContext within) { return edit::mask_off(std::move(within), at(), to); });
    };
    drop(c.ui(), "Layer mask", choice_row(c, "mask"), off ? "none" : own,
         {"Mask",
          {},
          "Without it every token sees those after it, which the model was never trained for.",
          {}},
         [&] {
           if (menu_row(c.ui(), own.c_str(), {}, !off)) turn(false);
           if (menu_row(c.ui(), "none", {}, off)) turn(true);
         });
  }

  void causal() const {
    const bool on = change().causal;
    const auto turn = [&](bool to) {
      edit([&](ModelContext within) { return edit::causal(std::move(within), at(), to); });
    };
    const std::string_view own = has_other_mask() ? "another mask" : "none";
    drop(c.ui(), "Layer mask", choice_row(c, "mask"), on ? "causal" : own,
         {"Mask", {}, "Causal: no token sees those after it, which the model was never trained for.", {}},
         [&] {
           if (menu_row(c.ui(), std::string(own).c_str(), {}, !on)) turn(false);
           if (menu_row(c.ui(), "causal", {}, on)) turn(true);
         });
  }

  void parts() const {
    const BlockChange block = change();
    if (toggle(c.ui(), "Layer attention", "attention", c.row(28, 4), !block.attention_off,
               {"Attention",
                "x + 0",
                "Off: the attention of this layer adds nothing to the residual stream.",
                {}}))
      edit([&](ModelContext within) {
        return edit::attention_off(std::move(within), at(), !block.attention_off);
      });
    if (head.of == AttentionOf::Cross) return;
    if (toggle(c.ui(), "Layer MLP", "MLP", c.row(28), !block.mlp_off,
               {"MLP", "x + 0", "Off: the MLP of this layer adds nothing to the residual stream.", {}}))
      edit([&](ModelContext within) { return edit::mlp_off(std::move(within), at(), !block.mlp_off); });
  }

  void set_head(std::optional<HeadChange::Kind> kind) const {
    edit([&](ModelContext within) {
      const int number = static_cast<int>(head.head);
      if (!kind) return edit::restored_head(std::move(within), at(), number);
      return edit::put(std::move(within),
                       HeadChange{.of = head.of, .block = head.block, .head = number, .kind = *kind});
    });
  }

  void one_head() const {
    using Kind = HeadChange::Kind;
    const HeadChange* const found = change_of_head(now.changes, head);
    const std::string name = "head " + std::to_string(head.head);
    constexpr std::array<std::string_view, 3> outputs{"keep", "zero", "mean"};
    constexpr std::array<Tip, 3> tips{{{"As it is", {}, "The head adds what it adds.", {}},
                                       {"Zero ablation", "A′ = 0", "The head adds nothing.", {}},
                                       {"Mean ablation",
                                        "A′ = mean over the tokens",
                                        "The head adds the same to every token of this text.",
                                        {}}}};
    const int chosen = found == nullptr            ? 0
                       : found->kind == Kind::Zero ? 1
                       : found->kind == Kind::Mean ? 2
                                                   : -1;
    if (const auto picked = segments(c.ui(), "Head", choice_row(c, name), outputs, chosen, tips,
                                     {.text_size = c.scene.compact ? type::tick : type::label}))
      set_head(*picked == 0 ? std::nullopt : std::optional(*picked == 1 ? Kind::Zero : Kind::Mean));
    const bool replaced = found != nullptr && chosen == -1;
    drop(c.ui(), "Head pattern", choice_row(c, "pattern"), replaced ? pattern_name(found->kind) : "its own",
         {"Another pattern",
          {},
          "The head keeps its values and mixes them with these weights instead of its own.",
          {}},
         [&] {
           if (menu_row(c.ui(), "its own", {}, !replaced) && replaced) set_head(std::nullopt);
           for (const Kind kind : {Kind::Uniform, Kind::PreviousToken, Kind::Identity, Kind::FirstToken})
             if (menu_row(c.ui(), std::string(pattern_name(kind)).c_str(), {},
                          replaced && found->kind == kind))
               set_head(kind);
         });
  }

  static std::string_view pattern_name(HeadChange::Kind kind) {
    switch (kind) {
      case HeadChange::Kind::Uniform: return "uniform weights";
      case HeadChange::Kind::PreviousToken: return "previous token";
      case HeadChange::Kind::Identity: return "same token";
      case HeadChange::Kind::FirstToken: return "first token";
      case HeadChange::Kind::Frozen: return "pattern frozen";
      case HeadChange::Kind::Replaced: return "output replaced";
      case HeadChange::Kind::Zero:
      case HeadChange::Kind::Mean: break;
    }
    return "its own";
  }
};

}  // namespace

void model_section(Column& c) {
  const OpenedModel& opened = *c.scene.model->within.model;
  const ModelSpec& spec = opened.model->spec;
  const ModelHead head = chosen_head(c.scene);
  const LayerSpec& attention = spec.stack(head.of).blocks.front();
  if (c.begin({.which = Section::Model,
               .label = "Model",
               .note = c.scene.compact ? opened.storage : "open, mapped",
               .opens = model_state_of(c.scene.view).screen == ModelScreen::Heads ? Opens::WhenWide
                                                                                  : Opens::OnDemand})) {
    const Box name = c.row(22, 6);
    c.ui().text(name.x, name.centre_y(), own(opened.name),
                {type::label, c.ui().theme.text1, Ink::Medium, Align::Left, name.w});
    c.fact("Model file", "file", own(opened.storage) + " · " + megabytes(opened.bytes),
           {"File",
            own(opened.path.string()),
            "How most of its weights are stored, and how large they are. They lie in "
            "the map of the file and are widened to float32 where they are multiplied.",
            {}});
    c.fact("Model heads", "heads", opened.heads_words(), {"Heads", {}, "Layers, and the heads of each.", {}});
    c.fact("Model keys", "keys, values", sharing_words(attention),
           {"Keys and values", {}, "Heads that share keys and values stand together in the grid.", {}});
    c.fact("Model width", "width", "d " + grouped(spec.d_model) + " · dₖ " + grouped(attention.d_k),
           {"Width", {}, "Of the residual stream, and of a head's queries and keys.", {}});
    c.fact("Model positions", "positions", position_words(spec.stack(head.of)),
           {"Positions", {}, "How attention knows the order of the tokens.", {}});
    if (spec.image) {
      const ImageSpec& image = *spec.image;
      c.fact(
          "Model picture", "picture",
          grouped(image.width) + " × " + grouped(image.height) + ", patch " + grouped(image.patch),
          {"Picture", {}, "The pixels that it takes, and the side of a patch: each patch is a token.", {}});
    } else if (spec.vocabulary > 0)
      c.fact("Model vocabulary", "vocabulary", grouped(spec.vocabulary),
             {"Vocabulary", {}, "Tokens that it knows.", {}});
    if (opened.trained)
      c.fact("Model trained", "trained here",
             "seed " + own(opened.trained->seed) + " · step " + own(opened.trained->steps),
             {"Trained here",
              own(opened.trained->task),
              "AttnScope trained it on data that were made up for the task. It knows nothing else.",
              {}});
  }
  c.end();
}

void colours_section(Column& c) {
  ModelState& state = model_state_of(c.scene.view);
  if (c.begin({.which = Section::Colours, .label = "Colour by", .note = "live", .opens = Opens::Always})) {
    draw_colours(c);
    constexpr std::array<std::string_view, 2> names{"α", "‖α·v·W_O‖"};
    constexpr std::array<Tip, 2> tips{
        {{"Weight", "α", "How much of a key's value goes into the row.", {}},
         {"Contribution",
          "‖α·v·W_O‖",
          "How much the key adds through this head: a large weight on a small value adds little.",
          {}}}};
    if (const auto picked =
            segments(c.ui(), "Value", choice_row(c, "value"), names, static_cast<int>(state.value), tips))
      state.value = static_cast<CellValue>(*picked);
    draw_order(c);
    if (toggle(
            c.ui(), "token dims heads", "token dims heads", c.row(28), state.token_dims,
            {"A token dims the heads",
             {},
             "While the mouse is on a token above, each head is as bright as the most it gives that token.",
             {}}))
      state.token_dims = !state.token_dims;
  }
  c.end();
}

void layer_section(Column& c) {
  const ModelSpec& spec = c.scene.model->within.model->model->spec;
  const ModelHead head = chosen_head(c.scene);
  const std::string name = layer_name(spec, head.of, head.block);
  if (c.begin({.which = Section::Layer,
               .label = name.c_str(),
               .note = c.scene.compact ? "inside" : "acts inside the model",
               .opens = Opens::Always})) {
    const bool is_without = shown_run(c.scene) != c.scene.model->run;
    ModelContext now = c.document().within.read();
    if (is_without) now = edit::without_changes(std::move(now));
    const LayerKnobs knobs{c, spec, head, now, is_without};
    knobs.division();
    knobs.temperature();
    knobs.mask();
    knobs.parts();
    knobs.one_head();
  }
  c.end();
}

}  // namespace attnscope
