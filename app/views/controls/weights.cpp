// app/views/controls: the origin of the projections, and the number and width of their heads.
#include <algorithm>

#include "app/kit/ui/number_format.hpp"
#include "app/state/window_state.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/editing/weight_map.hpp"
#include "app/views/parts/refusal.hpp"
#include "core/document/known.hpp"
#include "core/document/layer_sizes.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"

namespace attnscope {
namespace {

/// The initialiser of all four blocks; the weight editor has that of one block.
void initialiser_row(Column& c) {
  Document& document = c.document();
  const Initialiser now = document.layer().weights.initialiser;
  const InitialiserWords& shown = initialisers[static_cast<std::size_t>(now)];
  drop(c.ui(), "Initialiser", c.row(28), std::string(shown.name) + " · " + std::string(shown.formula),
       {"Initialiser", shown.formula, "How W_Q, W_K, W_V and W_O are drawn from the seed."}, [&] {
         for (std::size_t i = 0; i < initialisers.size(); ++i) {
           const auto kind = static_cast<Initialiser>(i);
           if (menu_row(c.ui(), initialisers[i].name, initialisers[i].formula, kind == now))
             document = edit::initialiser(std::move(document), kind);
         }
       });
}

/// If weights or token vectors were edited by hand: the button that resets them.
void edited_row(Column& c) {
  const Document& document = c.document();
  const Weights w = document.layer().weights;
  const bool edited = (w.recipe == Recipe::Given && w.made_by != Recipe::Given) ||
                      document.input.from_text().edited || document.input.from_text().edited_memory;
  if (!edited) return;
  if (button(c.ui(), "Reset to the seed", c.row(28),
             {"Again", "same seed, same bits", "Discards every edit by hand in weights and token vectors.",
              "Home"}))
    draw_weights_again(c.scene);
}

void recipe_rows(Column& c) {
  Document& document = c.document();
  const Weights w = document.layer().weights;
  const std::string_view shown = w.recipe == Recipe::HandBuilt    ? "Built by hand · eight kinds"
                                 : w.recipe == Recipe::Random     ? "Random"
                                 : w.made_by == Recipe::HandBuilt ? "Built by hand, then edited"
                                 : w.made_by == Recipe::Random    ? "Random, then edited"
                                                                  : "Given numbers";
  const std::string why =
      "Hand-built: one known pattern per head. Random: a layer at initialisation. " + std::string(built_gain);
  drop(c.ui(), "Weights source", c.row(28), shown, {"Weights", "Q = X·W_Q   K = X·W_K   V = X·W_V", why},
       [&] {
         if (menu_row(c.ui(), "Built by hand", "eight kinds of head", w.recipe == Recipe::HandBuilt))
           document = edit::recipe(document, Recipe::HandBuilt);
         if (menu_row(c.ui(), "Random", initialisers[static_cast<std::size_t>(w.initialiser)].name,
                      w.recipe == Recipe::Random))
           document = edit::recipe(document, Recipe::Random);
       });
  const auto next = [&](int step) { return static_cast<std::int64_t>(w.seed) + step; };
  if (const auto seed = c.number(
          "Seed", "seed", static_cast<std::int64_t>(w.seed), next,
          {"Seed", "same seed, same bits", "Token vectors, random weights and noise all come from it."})) {
    document = edit::seed(document, static_cast<std::uint64_t>(std::max<std::int64_t>(0, *seed)));
  }
  if (w.recipe == Recipe::HandBuilt) {
    if (const auto noise = slider(
            c.ui(), "Noise", "noise", fixed(static_cast<double>(w.noise), 2), c.row(36, 4), w.noise,
            {0, 1, 0.1f}, false,
            {"Noise", "W + noise · N(0, 1) / √d_model", "Gaussian noise added to the hand-built weights."})) {
      document = edit::noise(document, std::clamp(*noise, 0.f, 10.f));
    }
  } else if (w.recipe == Recipe::Random) {
    initialiser_row(c);
    if (toggle(c.ui(), "Biases", "biases", c.row(28), w.biases,
               {"Biases", "y = x·W + b", "Adds small random biases to Q, K, V and the output."})) {
      document = edit::biases(document, !w.biases);
    }
  }
}

void qk_norm_row(Column& c) {
  constexpr std::array<Tip, 4> tips{
      Tip{"No QK-norm", "S = Q·Kᵀ", "Scores grow with the lengths of queries and keys."},
      Tip{"RMSNorm of Q and K", "γ ∘ q / √(mean q² + ε)",
          "As in Qwen3 and Gemma 3: each head's q and k have the length √dₖ before γ, so scores stay "
          "bounded."},
      Tip{"LayerNorm of Q and K", "γ ∘ (q − mean) / √(var + ε)",
          "As in ViT-22B, where it keeps attention from saturating in training."},
      Tip{"RMSNorm over all heads", "γ ∘ q / √(mean over heads and q² + ε)",
          "As in OLMo 2: one number of a token divides the queries of all heads, so their lengths still "
          "differ."}};
  Document& document = c.document();
  QkNorm::Kind kind = document.layer().qk_norm.kind;
  if (c.pick("QK-norm", "QK-norm", kind, tips)) document = edit::qk_norm(std::move(document), kind);
}

/// Latent attention: the widths of the latents that queries, keys and values are computed from.
void latent_rows(Column& c) {
  Document& document = c.document();
  const Latent now = document.layer().latent;
  const Weights& weights = document.layer().weights;
  const bool made = weights.recipe != Recipe::Given || weights.made_by != Recipe::Given;
  if (document.input.is_given() || (!made && now.width == 0)) return;  // its matrices cannot be drawn
  const int d_k = key_width(document);
  if (toggle(c.ui(), "Latent attention", "latent attention", c.row(28, 4), now.width > 0,
             {"Multi-head latent attention", "[c, k_R] = X·W_DKV   K = [k_R, c·W_K]   V = c·W_V",
              "As in DeepSeek-V2: all heads' keys and values are made of one narrow vector, which is all "
              "that a cache keeps. Rotary positions turn the key k_R, which all heads share."})) {
    const int width = std::max(1, document.layer().d_model / 4), shared = std::max(0, d_k / 4 * 2);
    Latent chosen;
    if (now.width == 0) chosen = {.width = width, .shared = std::min(shared, d_k - 1)};
    document = edit::latent(std::move(document), chosen);
    return;
  }
  if (now.width == 0) return;
  const int widest = widest_head(document);
  Latent next = now;
  bool is_changed = c.whole_number(
      "Latent width", "width of c", next.width, {1, widest},
      {"Width of c", "X·W_DKV, d_c + d_R columns", "Numbers per token that keys and values are made of."});
  is_changed |= c.whole_number(
      "Shared key", "shared key d_R", next.shared, {0, std::max(0, d_k - 1)},
      {"Shared key d_R", "the first d_R of dₖ dimensions",
       "They come from the token itself and are the same in every head; rotary positions turn only these."});
  is_changed |= c.whole_number(
      "Query latent", "query latent", next.query_width, {0, widest},
      {"Latent of queries", "Q = norm(X·W_DQ)·W_Q", "0: queries are made of the token vectors themselves."});
  is_changed |= c.turn("Norm of latents", "norm of latents", next.normed,
                       {"RMSNorm of the latents", "γ ∘ c / √(mean c² + ε)",
                        "c and the latent of queries, each by itself; the shared key is not normed."},
                       8);
  if (is_changed) document = edit::latent(std::move(document), next);
}

/// Keys that belong to no token, which can take weight from the tokens.
void added_key_rows(Column& c) {
  Document& document = c.document();
  const Weights w = document.layer().weights;
  if (!document.input.is_given()) {
    if (!has_latent(document))  // else queries are computed from another vector than keys and values
      c.turn("Fused QKV", "fused QKV", document.layer().weights.fused,
             {"Fused QKV", "[Q K V] = X·[W_Q W_K W_V]",
              "One product instead of three, as fast code does it. The numbers stay the same."});
    // Given weights include a learned key or cannot have one.
    const bool can_learn = w.recipe != Recipe::Given || w[Parameter::BiasK];
    if (can_learn &&
        toggle(c.ui(), "Learned key", "learned key", c.row(28, 4), w[Parameter::BiasK] != nullptr,
               {"Learned key", "K = [K; k₀]   V = [V; v₀]",
                "One more key and value that every query sees, as bias_k and bias_v in PyTorch."})) {
      document = edit::bias_k(std::move(document), !w[Parameter::BiasK]);
    }
    block_row(c);
  }
  if (!knows_scores(document)) {
    c.remark("A file of weights has no keys to add to.");
    return;
  }
  if (toggle(c.ui(), "Zero key", "zero key", c.row(28), document.layer().add_zero_attn,
             {"Zero key", "K = [K; 0]   V = [V; 0]",
              "Score 0, value 0: a place for unneeded weight (add_zero_attn)."})) {
    document = edit::add_zero_attn(std::move(document), !document.layer().add_zero_attn);
  }
  qk_norm_row(c);
  latent_rows(c);
}

/// The next divisor of `whole` above or below `now`; `now` if there is none.
std::int64_t next_divisor(std::int64_t whole, std::int64_t now, int step) {
  for (std::int64_t n = now + step; n >= 1 && n <= whole; n += step) {
    if (whole % n == 0) return n;
  }
  return now;
}

int small(std::int64_t number) { return static_cast<int>(std::clamp<std::int64_t>(number, -1, 1 << 20)); }

/// For a number while it is typed: the sentence that says why it cannot be used, or empty.
std::function<std::string(std::int64_t)> why_not(const Document& document, LayerNumber what, int least = -1) {
  return [&document, what, least](std::int64_t typed) {
    return why_unfit(document, what, std::max(least, small(typed)));
  };
}

/// The formula of the width of a head.
std::string_view head_width_formula(const Document& document) {
  return document.layer().d_k > 0 ? "W_Q [d_model, heads · dₖ]" : "dₖ = d_model / heads";
}

/// dₖ: a setting of its own, or d_model / heads; then a change of dₖ changes d_model, and a quotient that is
/// no whole number is shown with its decimals.
void head_width_row(Column& c) {
  Document& document = c.document();
  const bool is_free = document.layer().d_k > 0;
  const std::int64_t heads = document.layer().heads, width = document.layer().d_model;
  if (heads < 1) return;
  const std::int64_t d_k = key_width(document);
  const std::int64_t widest = is_free ? widest_head(document) : widest_model(document) / heads;
  const auto next = [&](int step) {
    return step > 0 ? std::min(d_k * 2, std::max(d_k, widest)) : std::max<std::int64_t>(d_k / 2, 1);
  };
  const std::string odd =
      is_free || width % heads == 0 ? "" : fixed(static_cast<double>(width) / static_cast<double>(heads), 2);
  const std::string why =
      std::string(
          "How many numbers a head's query and key have, and what the scores are divided by the root of. ") +
      (is_free ? "It does not follow from d_model here." : "A change here makes d_model = heads × dₖ.");
  const bool wrong =
      !odd.empty() || is_refused(c.scene, is_free ? LayerNumber::KeyWidth : LayerNumber::Width);
  const auto unfit = [&](std::int64_t typed) {
    return is_free ? why_unfit(document, LayerNumber::KeyWidth, std::max(1, small(typed)))
                   : why_unfit(document, LayerNumber::Width, small(std::int64_t{small(typed)} * heads));
  };
  const auto n =
      c.number("d_k", "dₖ", d_k, next, {"d_k", head_width_formula(document), why}, odd, wrong, unfit);
  if (!n) return;
  document = is_free ? edit::d_k(document, std::max(1, small(*n)))
                     : edit::d_model(document, small(std::int64_t{small(*n)} * heads));
}

void head_rows(Column& c) {
  Document& document = c.document();
  const auto heads = [&](int step) {
    return document.layer().d_k > 0 ? std::int64_t{std::max(1, document.layer().heads + step)}
                                    : next_divisor(document.layer().d_model, document.layer().heads, step);
  };
  if (const auto n =
          c.number("Head count", "count", document.layer().heads, heads,
                   {"Heads", head_width_formula(document),
                    "Each head projects the whole vector to its own dₖ dimensions.", "["},
                   {}, is_refused(c.scene, LayerNumber::Heads), why_not(document, LayerNumber::Heads)))
    document = edit::heads(document, small(*n));
  const auto width = [&](int step) {
    return std::int64_t{step > 0 ? std::min(document.layer().d_model * 2, 4096)
                                 : std::max(document.layer().d_model / 2, 1)};
  };
  if (const auto n = c.number("d_model", "d_model", document.layer().d_model, width,
                              {"d_model", head_width_formula(document), "Width of the token vectors X."}, {},
                              is_refused(c.scene, LayerNumber::Width), why_not(document, LayerNumber::Width)))
    document = edit::d_model(document, small(*n));
  head_width_row(c);
}

void head_extras(Column& c) {
  Document& document = c.document();
  const int kv_heads = key_value_heads(document), d_v = value_width(document);
  if (toggle(c.ui(), "Free d_k", "free dₖ", c.row(28, 4), document.layer().d_k > 0,
             {"Free dₖ", "W_Q [d_model, heads · dₖ]",
              "Heads as wide as you like, as in Gemma or Qwen3: dₖ need not be d_model / heads."})) {
    document =
        edit::d_k(std::move(document), document.layer().d_k > 0 ? 0 : std::max(1, key_width(document)));
  }
  const auto kv_next = [&](int step) { return next_divisor(document.layer().heads, kv_heads, step); };
  if (const auto n = c.number("KV heads", "kv heads", kv_heads, kv_next,
                              {"Heads of keys and values", "head h reads K, V of head h · kv heads / heads",
                               "Grouped-query attention: several heads of queries share keys and values; "
                               "with 1 it is multi-query. The KV cache shrinks with them."},
                              {}, is_refused(c.scene, LayerNumber::KeyHeads),
                              why_not(document, LayerNumber::KeyHeads, 1)))
    document = edit::kv_heads(std::move(document), std::max(1, small(*n)));
  const auto v_next = [&](int step) { return std::int64_t{d_v} + step; };
  if (const auto n = c.number("d_v", "width of values d_v", d_v, v_next,
                              {"d_v", "V [keys, d_v], output = C [heads · d_v]·W_O",
                               "Values need not be as wide as queries and keys."},
                              {}, is_refused(c.scene, LayerNumber::ValueWidth),
                              why_not(document, LayerNumber::ValueWidth, 1)))
    document = edit::d_v(std::move(document), std::max(1, small(*n)));
}

}  // namespace

void weights_section(Column& c) {
  const Document& document = c.document();
  const Weights w = document.layer().weights;
  const bool given = document.input.is_given();
  if (c.begin({.which = Section::Weights,
               .label = "Weights",
               .note = given && has_output_weights(document) ? "W_O"
                       : given                               ? "none"
                       : w.recipe != Recipe::Given           ? "seed " + std::to_string(w.seed)
                       : w.made_by != Recipe::Given          ? "edited"
                                                             : "given",
               .opens = given ? Opens::OnDemand : Opens::WhenWide,
               .has_extras = !given && !document.input.is_vectors(),
               .extras_used = w.fused || w[Parameter::BiasK] || document.layer().add_zero_attn ||
                              document.layer().qk_norm.kind != QkNorm::Kind::None || has_latent(document) ||
                              has_block(document.layer().block)})) {
    if (!given && !document.input.is_vectors()) {
      recipe_rows(c);
      edited_row(c);
    }
    if (given || document.input.is_vectors() || c.extras(Section::Weights)) added_key_rows(c);
  }
  c.end();
}

void heads_section(Column& c) {
  const Document& document = c.document();
  const Dimensions& d = c.scene.result.dimensions;
  const bool given = document.input.is_given();
  if (c.begin({.which = Section::Heads,
               .label = "Heads",
               .note = !knows_scores(document)         ? grouped(d.heads)
                       : given                         ? grouped(d.heads) + " × " + grouped(d.d_k)
                       : !c.scene.view.refusal.empty() ? std::string()
                                                       : "dₖ " + grouped(d.d_k),
               .has_extras = !given,
               .extras_used = document.layer().kv_heads != 0 || document.layer().d_k != 0 ||
                              document.layer().d_v != 0})) {
    if (given) {
      const Box row = c.row(20);
      c.ui().text(row.x, row.centre_y(), "fixed by the given tensors", {type::label, c.ui().theme.text3});
    } else {
      head_rows(c);
      if (c.extras(Section::Heads)) head_extras(c);
    }
  }
  c.end();
}

}  // namespace attnscope
