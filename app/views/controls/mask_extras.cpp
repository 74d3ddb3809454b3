// app/views/controls: windows and sparse patterns, the heads they apply to, the value of masked scores, and
// masks that are wrong on purpose.
#include <algorithm>
#include <array>

#include "app/views/controls/column.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

constexpr int most = 1 << 20;  // tokens

/// "window left": the number of visible keys on that side, −1 = all.
void window_rows(Column& c) {
  Window& window = c.document().layer().masking.window;
  for (const bool left : {true, false}) {
    int& side = left ? window.left : window.right;
    const Tip tip = left ? Tip{"Window, left side", "key ≥ position − left",
                               "How far back a query sees, as in Longformer and Mistral. Hugging Face's "
                               "sliding_window W counts the query itself: it is left = W − 1."}
                         : Tip{"Window, right side", "key ≤ position + right",
                               "How far ahead a query sees; a causal mask sees nothing there."};
    c.whole_number(left ? "Window left" : "Window right", left ? "window left" : "window right", side,
                   {-1, most}, tip, side < 0 ? "open" : "");
  }
}

struct PatternChoice {
  const char* name;
  std::string_view formula, why;
};
constexpr std::array<PatternChoice, 5> patterns{{
    {"No pattern", "every key", "Full attention, apart from the masks above."},
    {"Strided", "(p − j) mod stride = 0",
     "Every stride-th key: half of the Sparse Transformer's pattern, which adds a local window."},
    {"Block + global", "same block, or one of the first g",
     "Block-diagonal plus global tokens; BigBird adds neighbouring blocks and random links."},
    {"LSH buckets", "hash(q) = hash(k)",
     "Only queries and keys in the same hash bucket meet; Reformer also ties Q and K."},
    {"2-D windows", "same window of the image",
     "Tokens as patches of an image, row by row: only those of one square window meet, as in Swin."},
}};

void lsh_rows(Column& c, Sparsity& s) {
  const auto even = [&](int step) { return std::int64_t{s.lsh_buckets} + 2 * step; };
  if (const auto n = c.number(
          "LSH buckets", "buckets", s.lsh_buckets, even,
          {"Buckets", "h = argmax [x·R, −x·R]", "More buckets make each smaller: fewer keys are seen."}))
    s.lsh_buckets = static_cast<int>(std::clamp<std::int64_t>((*n + 1) / 2 * 2, 2, 1024));
  c.whole_number("LSH rounds", "rounds", s.lsh_rounds, {1, 16},
                 {"Rounds", "seen when any round agrees",
                  "Each round hashes anew, so that near keys are missed less often."});
  c.seed("LSH seed", "seed", s.seed, {"Seed", "of the random rotations R", "Another seed, other buckets."});
}

void pattern_rows(Column& c) {
  Sparsity& s = c.document().layer().masking.sparsity;
  const PatternChoice& now = patterns[static_cast<std::size_t>(s.kind)];
  drop(c.ui(), "Pattern", c.row(28), now.name, {now.name, now.formula, now.why}, [&] {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const auto kind = static_cast<Sparsity::Kind>(i);
      if (menu_row(c.ui(), patterns[i].name, patterns[i].formula, kind == s.kind)) s.kind = kind;
    }
  });
  if (s.kind == Sparsity::Kind::Strided)
    c.whole_number("Stride", "stride", s.stride, {1, most},
                   {"Stride", "(p − j) mod stride = 0", "1 sees every key."});
  if (s.kind == Sparsity::Kind::BlocksGlobal) {
    c.whole_number("Block", "block", s.block, {1, most},
                   {"Block", "⌊p / block⌋ = ⌊j / block⌋", "Tokens per block."});
    c.whole_number("Globals", "global tokens", s.globals, {0, most},
                   {"Global tokens", "p < g or j < g", "The first tokens see all and are seen by all."});
  }
  if (s.kind == Sparsity::Kind::Windows) {
    c.whole_number(
        "Patches in a row", "patches in a row", s.grid, {1, most},
        {"Patches in a row", "row = ⌊p / n⌋, column = p mod n", "How wide the image is, in tokens."});
    c.whole_number("Side", "side of a window", s.side, {1, most},
                   {"Side", "side × side patches", "Tokens along an edge of a window."});
    c.whole_number(
        "Shift", "shifted by", s.shift, {0, most},
        {"Shift", "⌊(row − shift) / side⌋",
         "Every other layer of Swin shifts the windows by half their side, so that patches meet across "
         "edges."});
    s.shift = std::min(s.shift, s.side - 1);
  }
  if (s.kind == Sparsity::Kind::Lsh) lsh_rows(c, s);
}

/// The heads that causal mask, window and pattern apply to.
void heads_row(Column& c) {
  std::vector<int>& heads = c.document().layer().masking.heads;
  const int head = static_cast<int>(c.scene.selection.head);
  const bool here = std::find(heads.begin(), heads.end(), head) != heads.end();
  constexpr std::array<std::string_view, 2> names{"All heads", "This head"};
  const std::array<Tip, 2> tips{
      Tip{"All heads", {}, "Causal, window and pattern hold in every head."},
      Tip{"This head", {}, "They hold in the chosen head only: the others see everything but padding."}};
  const int now = heads.empty() ? 0 : here && heads.size() == 1 ? 1 : -1;
  if (const auto chosen = c.choice("Mask for", "holds for", names, now, tips)) {
    heads.clear();
    if (*chosen == 1) heads.push_back(head);
  }
  if (now >= 0) return;
  std::string list;
  for (std::size_t i = 0; i < heads.size(); ++i) list += (i == 0 ? "" : ", ") + std::to_string(heads[i]);
  c.remark((heads.size() > 1 ? "holds for heads " : "holds for head ") + own(list));
}

void hidden_row(Column& c) {
  Masking& mask = c.document().layer().masking;
  const std::array<Tip, 4> tips{
      Tip{"\u2212∞", "exp(\u2212∞) = 0",
          "Nothing of the score is left. A row with no key is 0 / 0: what stands in it is a choice under "
          "Softmax."},
      Tip{"\u22121e9", "exp(\u22121e9 \u2212 max) = 0, unless all are",
          "Common in code: a fully masked row attends uniformly to its masked keys."},
      Tip{"\u22121e9 added", "score + (\u22121e9)",
          "As code that adds its mask has it: NaN stays NaN, and float32 keeps of the score multiples of 64 "
          "alone, so that a row with no key is even all the same."},
      Tip{"finfo.min", "\u22123.4e38, in float16 \u221265504",
          "The least finite number, as torch.finfo(dtype).min in Hugging Face's code: nothing is left of the "
          "score, and a row with no key is even over all keys."}};
  c.pick("Hidden score", "hidden =", mask.hidden, tips);
  const bool billion =
      mask.hidden == Masking::Hidden::MinusBillion || mask.hidden == Masking::Hidden::AddedMinusBillion;
  if (billion && c.document().precision == Precision::Float16)
    c.remark("Stored as float16, \u22121e9 is \u2212∞.");
}

struct Mistake {
  const char* name;
  std::string_view formula, breaks;
};
constexpr std::array<Mistake, 5> mistakes{{
    {"No mistake", "as it should be", ""},
    {"Diagonal hidden", "key < query",
     "< instead of ≤: no token sees itself, and the first sees nothing at all."},
    {"After the softmax", "A ∘ allowed",
     "Zeroed after the softmax: rows no longer sum to 1, and hidden scores still lower the other weights."},
    {"Transposed", "query ≤ key",
     "Rows and columns swapped: under a causal mask each query sees only itself and later tokens."},
    {"Wrong axis", "padding hides rows",
     "Padding hides queries instead of keys: real tokens still look at [pad]."},
}};

/// The remark on the setting without which a mistake has no effect; else empty.
std::string_view needed(const Masking& mask) {
  const bool lopsided = mask.causal || mask.window.left != mask.window.right;
  if (mask.mistake == MaskMistake::Transposed && !lopsided) return "Turn the causal mask on to see it.";
  if (mask.mistake == MaskMistake::WrongAxis && !mask.padding) return "Turn the padding mask on to see it.";
  return {};
}

void mistake_rows(Column& c) {
  Masking& mask = c.document().layer().masking;
  const Mistake& now = mistakes[static_cast<std::size_t>(mask.mistake)];
  drop(c.ui(), "Mistake", c.row(28), mask.mistake == MaskMistake::None ? "Mistakes …" : now.name,
       {"Mistakes", now.formula, "Common mask bugs, to see what they break."}, [&] {
         for (std::size_t i = 0; i < mistakes.size(); ++i) {
           const auto which = static_cast<MaskMistake>(i);
           if (menu_row(c.ui(), mistakes[i].name, mistakes[i].formula, which == mask.mistake))
             mask.mistake = which;
         }
       });
  if (mask.mistake == MaskMistake::None || now.breaks.empty()) return;
  c.remark(now.breaks, true);
  if (const std::string_view missing = needed(mask); !missing.empty()) c.remark(missing);
}

void hand_row(Column& c) {
  if (button(
          c.ui(), is_hidden_by_hand(c.scene) ? "Show cell" : "Hide cell", c.row(28),
          {"Hide the chosen cell", "M_ij = \u2212∞",
           "Painted, in this head only; pressed again, it shows the cell. The other cells stay as they are.",
           "M"}))
    toggle_hidden_cell(c.scene);
}

}  // namespace

void mask_extras(Column& c) {
  window_rows(c);
  if (knows_scores(c.document())) pattern_rows(c);
  heads_row(c);
  hidden_row(c);
  if (!knows_scores(c.document())) return;
  mistake_rows(c);
  hand_row(c);
}

}  // namespace attnscope
