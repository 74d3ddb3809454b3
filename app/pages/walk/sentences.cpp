// app/pages/walk: every move in one sentence.
#include <algorithm>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/pages/walk/card.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope::walk {
namespace {

std::string quoted(const std::string& label) { return "“" + own(label) + "”"; }

/// `one` for a move on the chosen row, `all` for the last of several moves, on the other rows.
std::string one_or_all(const std::string& one, const std::string& all, int move, int moves) {
  return move < moves || moves == 1 ? one : all;
}

std::int64_t rows_made(std::int64_t count, int move, int moves) { return (count * move + moves - 1) / moves; }

/// The rows that a move adds: "“The”", "“The” and “cat”", "“The” … “mat”".
std::string added(const View& v, std::int64_t count, int move, int moves) {
  const std::int64_t first = rows_made(count, move - 1, moves), last = rows_made(count, move, moves) - 1;
  const auto label = [&](std::int64_t i) { return quoted(query_label(v.result(), v.b, i)); };
  if (last <= first) return label(first);
  return label(first) + (last == first + 1 ? " and " : " … ") + label(last);
}

/// The keys of a move of the mix: [first, last).
struct KeyRange {
  std::int64_t first, last;
};
KeyRange keys_of_move(const View& v, int move, int moves) {
  const std::int64_t count = v.result().dimensions.keys;
  const auto end_of = [&](int m) { return (count * m + moves - 1) / moves; };
  return {end_of(move - 1), end_of(move)};
}

/// "“sat” and “mat”", "“sat” … “mat”": the first and the last of several keys in their order.
std::string several(const View& v, const std::vector<std::int64_t>& keys) {
  const auto label = [&](std::int64_t key) { return quoted(key_label(v.result(), v.b, key)); };
  return label(keys.front()) + (keys.size() == 2 ? " and " : " … ") + label(keys.back());
}

/// Whether the chosen query sees any key.
bool sees_any(const View& v) {
  for (std::int64_t key = 0; key < v.result().dimensions.keys; ++key)
    if (!v.scene.is_masked(v.b, v.h, v.cell.query, key)) return true;
  return false;
}
bool sees_all(const View& v) {
  for (std::int64_t key = 0; key < v.result().dimensions.keys; ++key)
    if (v.scene.is_masked(v.b, v.h, v.cell.query, key)) return false;
  return true;
}

bool is_muted(const View& v) {
  const std::vector<Intervention>& intervention = v.document().layer().interventions;
  return has_intervention(v.document(), v.h) &&
         intervention[static_cast<std::size_t>(v.h)].kind == Intervention::Kind::Mute;
}

std::string query_of(const View& v) { return quoted(query_label(v.result(), v.b, v.cell.query)); }

/// Why keys whose weight is 0 add nothing to the mix of the chosen query.
std::string nothing_added(const View& v, const std::vector<std::int64_t>& keys) {
  const bool is_one = keys.size() == 1;
  const std::string one = quoted(key_label(v.result(), v.b, keys.front()));
  const auto all = [&](auto holds) { return std::all_of(keys.begin(), keys.end(), holds); };
  const auto row = [&](Stage stage) { return matrix_of(v.result(), stage, v.b, v.h).row(v.cell.query); };
  if (all([&](std::int64_t key) { return v.scene.is_masked(v.b, v.h, v.cell.query, key); }))
    return is_one ? one + " is masked: weight 0, nothing is added."
                  : several(v, keys) + " are masked: weight 0, nothing is added.";
  if (v.document().layer().dropout.rate > 0 &&
      all([&](std::int64_t key) { return row(Stage::Intervention)(key) != 0; }))
    return is_one ? one + " is dropped: weight 0, nothing is added."
                  : several(v, keys) + " are dropped: weight 0, nothing is added.";
  return is_one ? one + " has weight 0: nothing is added."
                : several(v, keys) + " have weight 0: nothing is added.";
}

std::string mix_sentence(const View& v, int move, int moves) {
  if (is_muted(v)) return "This head is muted: all its weights are 0, nothing is added.";
  const auto weights = matrix_of(v.result(), Stage::Drop, v.b, v.h).row(v.cell.query);
  const KeyRange range = keys_of_move(v, move, moves);
  std::vector<std::int64_t> adding, idle;
  for (std::int64_t key = range.first; key < range.last; ++key)
    (weights(key) != 0 ? adding : idle).push_back(key);
  if (adding.empty()) return nothing_added(v, idle);
  const std::string to = query_of(v);
  const std::string handed =
      adding.size() == 1 ? quoted(key_label(v.result(), v.b, adding.front())) + " hands its value to " + to +
                               ": value times weight."
                         : several(v, adding) + " hand their values to " + to + ": value times weight.";
  return handed + (idle.empty() ? "" : "  " + nothing_added(v, idle));
}

/// Why a row of weights does not sum to 1: NaN, or no key to see; else empty.
std::string broken_row(const View& v, Stage weights) {
  const auto row = matrix_of(v.result(), weights, v.b, v.h).row(v.cell.query);
  if (row.hasNaN()) return query_of(v) + " gets NaN: its exponentials overflowed or all underflowed.";
  if (!sees_any(v) && row.isZero(0)) return query_of(v) + " may see no key: its row stays 0.";
  return {};
}

std::string softmax_sentence(const View& v, int move) {
  const Document& document = v.document();
  switch (softmax_moves(document)[static_cast<std::size_t>(move - 1)]) {
    case SoftmaxMove::Shift:
      if (document.layer().softmax != SoftmaxKind::Stable) return "Each entry is divided by the temperature.";
      return document.layer().temperature == 1
                 ? "Each row's largest value is subtracted: exp cannot overflow."
                 : "Each row's largest value is subtracted, then all are divided by the temperature.";
    case SoftmaxMove::Exponential:
      return sees_all(v) || v.scene.stats.rule().after_softmax()
                 ? "exp of each entry: all positive, differences become ratios."
                 : "exp of each entry: masked keys become 0, all others are positive.";
    case SoftmaxMove::Sum:
      return has_sinks(document.layer()) ? "Each row is summed, with exp of its head's sink."
                                         : "Each row is summed.";
    case SoftmaxMove::Divide:
      if (const std::string broken = broken_row(v, Stage::Softmax); !broken.empty()) return broken;
      return has_sinks(document.layer())
                 ? "Each entry is divided by that sum: what the sink takes is missing to 1."
                 : "Each entry is divided by its row sum: rows sum to 1.";
    case SoftmaxMove::Hide: break;
  }
  return "The mistake: masked weights become 0 only now, and rows no longer sum to 1.";
}

std::string linear_sentence(const View& v, int move) {
  const bool rotated = is_rotary(v.document().layer().positions);
  switch (static_cast<LinearMove>(move - 1)) {
    case LinearMove::Product:
      return rotated
                 ? "No softmax: φ(q) and φ(k) are rotated by their positions; the product may be negative."
                 : "No softmax: φ(q)·φ(k) is positive.";
    case LinearMove::Hide:
      return sees_all(v) ? query_of(v) + " may see every key: nothing is masked in its row."
                         : "Products with masked keys are set to 0.";
    case LinearMove::Sum:
      return rotated ? "The sum of each row is taken over the products that are not rotated."
                     : "Each row is summed.";
    case LinearMove::Divide: break;
  }
  if (const std::string broken = broken_row(v, Stage::Linear); !broken.empty()) return broken;
  return rotated ? "Each entry is divided by that sum."
                 : "Each entry is divided by its row sum: rows sum to 1.";
}

std::string intervention_sentence(const View& v) {
  if (!has_intervention(v.document(), v.h)) return "This head keeps its own pattern.";
  switch (v.document().layer().interventions[static_cast<std::size_t>(v.h)].kind) {
    case Intervention::Kind::Mute: return "This head is muted (zero-ablated): its weights are 0.";
    case Intervention::Kind::Frozen: return "A frozen pattern replaces this head's own.";
    default: return "Another pattern replaces this head's own.";
  }
}

std::string mask_sentence(const View& v, const std::string& query, int move, int moves) {
  if (v.scene.stats.rule().after_softmax()) return "The mistake: nothing is masked before the softmax.";
  const Masking::Hidden hidden = v.document().layer().masking.hidden;
  const std::string value = hidden == Masking::Hidden::MinusInfinity ? "−∞"
                            : hidden == Masking::Hidden::LeastFinite ? own("finfo.min")
                                                                     : "−1e9";
  const bool biased = static_cast<bool>(v.result().trace[Stage::Bias]);
  if (sees_all(v)) {
    const std::string none = query + " may see every key: nothing is masked in its row.";
    return one_or_all(biased ? "The position bias is added.  " + none : none,
                      "Every other row: keys that it may not see get " + value + ".", move, moves);
  }
  const std::string bias = biased ? "The position bias is added, and keys" : "Keys";
  return one_or_all(bias + " that " + query + " may not see get " + value + ".",
                    "The same for every other row.", move, moves);
}

std::string drop_sentence(const View& v, const std::string& query, int move, int moves) {
  if (move == moves && moves > 1) return "The same for every other row.";
  if (is_muted(v)) return "Dropout finds only zeros: this head is muted.";
  const auto before = matrix_of(v.result(), Stage::Intervention, v.b, v.h).row(v.cell.query);
  const auto after = matrix_of(v.result(), Stage::Drop, v.b, v.h).row(v.cell.query);
  std::int64_t dropped = 0, there = 0;
  for (Eigen::Index key = 0; key < before.size(); ++key) {
    there += before(key) != 0;
    dropped += before(key) != 0 && after(key) == 0;
  }
  return "Dropout: " + grouped(dropped) + " of " + grouped(there) + " weights of " + query +
         " become 0, the others are multiplied by 1 / (1 − r).";
}

/// "Heads 0 … 3 share these keys." where queries are grouped; empty else.
std::string shared_note(const View& v, std::string_view what) {
  const Dimensions& d = v.result().dimensions;
  const std::int64_t group = d.heads / d.kv_heads, first = v.kv * group;
  if (group < 2) return {};
  return "  Heads " + grouped(first) + " … " + grouped(first + group - 1) + " share these " +
         std::string(what) + ".";
}

/// A key without a token (bias_k or zero key) has no input vector that a weight matrix multiplies.
std::string added_key_sentence(const View& v, const std::string& key, std::string_view what) {
  const Dimensions& d = v.result().dimensions;
  const bool learned = v.document().layer().weights[Parameter::BiasK] && v.cell.key == d.token_keys();
  return key + " belongs to no token: its " + std::string(what) +
         (learned ? " is learned." : " is all zeros.");
}

/// How a query, a key or a value is computed, for the chosen one and for the others.
std::string projection_sentence(const View& v, Stage stage, int move, int moves) {
  const bool of_key = stage == Stage::Key;
  const std::string key = quoted(key_label(v.result(), v.b, v.cell.key));
  const bool extra = v.cell.key >= v.result().dimensions.token_keys();
  const bool latent = static_cast<bool>(v.result().trace[Stage::Latent]);
  if (stage == Stage::Query)
    return one_or_all(v.result().trace[Stage::QueryLatent]
                          ? "The query of " + query_of(v) + ": its latent times W_Q."
                          : "The query of " + query_of(v) + ": its vector times W_Q.",
                      "The same W_Q for all other tokens.", move, moves);
  const std::string shared = shared_note(v, of_key ? "keys" : "values");
  if (move == moves && moves > 1)
    return (of_key ? "The same W_K for all other tokens." : "The same W_V for all other tokens.") + shared;
  if (extra) return added_key_sentence(v, key, of_key ? "key" : "value");
  if (latent && of_key && shared_key_width(v.document()) > 0)
    return "The key of " + key + ": the key that all heads share, then c times W_K." + shared;
  if (latent)
    return (of_key ? "The key of " + key + ": its latent times W_K."
                   : "The value of " + key + ": its latent times W_V.") +
           shared;
  return (of_key ? "The key of " + key + ": its vector times W_K."
                 : "The value of " + key + ": its vector times W_V.") +
         shared;
}

std::string rotation_sentence(const View& v, bool asks, int move, int moves) {
  const bool extra = !asks && v.cell.key >= v.result().dimensions.token_keys();
  const std::string label = asks ? query_of(v) : quoted(key_label(v.result(), v.b, v.cell.key));
  const std::string of = (asks ? "The query of " : "The key of ") + label;
  const bool scaled = v.document().layer().position_settings.rope_scaling != RopeScaling::None;
  const std::string one = extra    ? label + " has no position: it is not rotated."
                          : scaled ? of + " is rotated by the scaled angles of its position."
                                   : of + " is rotated by the angles of its position.";
  return one_or_all(one, asks ? "The same for every other query." : "The same for every other key.", move,
                    moves);
}

std::string norm_sentence(const View& v, bool asks, int move, int moves) {
  const bool extra = !asks && v.cell.key >= v.result().dimensions.token_keys();
  const std::string label = asks ? query_of(v) : quoted(key_label(v.result(), v.b, v.cell.key));
  if (extra && (move < moves || moves == 1)) return label + " belongs to no token: it is not normed.";
  const std::string of = (asks ? "The query of " : "The key of ") + label;
  const bool centred = v.document().layer().qk_norm.kind == QkNorm::Kind::Layer;
  return one_or_all(of + (centred ? ", minus its mean, is divided by its deviation and multiplied with γ."
                                  : " is divided by its root mean square and multiplied with γ."),
                    asks ? "The same for every other query." : "The same for every other key.", move, moves);
}

/// The narrow vector that all heads' projections read.
std::string latent_sentence(const View& v, bool asks, int move, int moves) {
  const bool extra = !asks && v.cell.key >= v.result().dimensions.token_keys();
  const std::string label = asks ? query_of(v) : quoted(key_label(v.result(), v.b, v.cell.key));
  if (move == moves && moves > 1)
    return asks ? "The same W_DQ for all other tokens."
                : "The same W_DKV for all other tokens: a cache keeps these alone.";
  if (extra) return label + " belongs to no token: it has no latent.";
  const std::string of = "The latent of " + label;
  if (!v.document().layer().latent.normed)
    return of + (asks ? ": its vector times W_DQ." : ": its vector times W_DKV.");
  return of + (asks ? ": its vector times W_DQ, normed." : ": its vector times W_DKV, c normed.");
}

std::string vector_sentence(const View& v, Stage stage, int move, int moves) {
  const bool given = v.document().input.is_given();
  switch (stage) {
    case Stage::Position:
      return move < moves || moves == 1 ? "Each token has its embedding vector."
                                        : "The position vector is added to each.";
    case Stage::Memory:
      return v.document().input.is_vectors() ? "Other vectors give keys and values."
                                             : "The second text gives keys and values.";
    case Stage::Query: return given ? "Queries are given." : projection_sentence(v, stage, move, moves);
    case Stage::Key: return given ? "Keys are given." : projection_sentence(v, stage, move, moves);
    case Stage::Value: return given ? "Values are given." : projection_sentence(v, stage, move, moves);
    case Stage::AttentionNorm: return block_sentence(v, stage, move, moves);
    case Stage::QueryLatent: return latent_sentence(v, true, move, moves);
    case Stage::Latent: return latent_sentence(v, false, move, moves);
    case Stage::NormQuery: return norm_sentence(v, true, move, moves);
    case Stage::NormKey: return norm_sentence(v, false, move, moves);
    case Stage::RotateQuery: return rotation_sentence(v, true, move, moves);
    default: return rotation_sentence(v, false, move, moves);
  }
}

std::string scale_sentence(const View& v, const std::string& query, int move, int moves) {
  switch (v.document().layer().scaling.kind) {
    case Scaling::Kind::Off: return "Scaling is off: nothing changes.";
    case Scaling::Kind::Factor:
      return one_or_all("The row of " + query + " times the chosen factor.", "The same for every other row.",
                        move, moves);
    case Scaling::Kind::InverseSqrtDk: break;
  }
  const std::int64_t d_k = v.result().dimensions.d_k, width = scale_width(v.document(), d_k);
  if (width != d_k)
    return one_or_all("The row of " + query + " is divided by √" + std::to_string(width) + ": " +
                          std::to_string(width / d_k) + " terms of dₖ numbers add up.",
                      "The same for every other row.", move, moves);
  if (d_k == 1) return "dₖ is 1, and so is its root: nothing changes.";
  return one_or_all("The row of " + query + " is divided by √dₖ: the spread shrinks.",
                    "The same for every other row.", move, moves);
}

/// The formula is that of the chosen cell, whichever rows are added.
std::string score_sentence(const View& v, int move, int moves) {
  const std::int64_t rows = v.result().dimensions.queries;
  const bool has_formula =
      v.cell.query >= rows_made(rows, move - 1, moves) && v.cell.query < rows_made(rows, move, moves);
  return added(v, rows, move, moves) + " against every key: one dot product a cell." +
         (has_formula ? std::string() : " The formula is that of " + query_of(v) + ".");
}

std::string plane_sentence(const View& v, Stage stage, int move, int moves) {
  const std::string query = query_of(v);
  switch (stage) {
    case Stage::Score: return score_sentence(v, move, moves);
    case Stage::Scale: return scale_sentence(v, query, move, moves);
    case Stage::Cap:
      return one_or_all("The row of " + query + " is soft-capped to (−c, c).",
                        "The same for every other row.", move, moves);
    case Stage::Bias:
      return one_or_all("The position bias of the row of " + query + ", " +
                            inner(position_facts(v.document().layer().positions).bias_by) + ".",
                        "The same for every other row.", move, moves);
    case Stage::Mask: return mask_sentence(v, query, move, moves);
    case Stage::Softmax: return softmax_sentence(v, move);
    case Stage::Linear: return linear_sentence(v, move);
    case Stage::Intervention: return intervention_sentence(v);
    default: break;
  }
  return drop_sentence(v, query, move, moves);
}

std::string output_sentence(const View& v, int move, int moves) {
  if (moves == 1) return "The head output times W_O.";
  if (move < moves)
    return is_muted(v) ? "This head is muted: its contribution to the output is 0."
                       : "This head's contribution: its output times its rows of W_O.";
  return v.document().layer().weights[Parameter::BOutput]
             ? "The contributions of all heads and the bias are summed."
             : "The contributions of all heads are summed.";
}

/// "Queries", "Scores", and "Softmax" for the weights while they come about.
std::string title_of(const View& v, Stage stage) {
  if (stage == Stage::Softmax) return "Softmax";
  return std::string(holds_plane(stage) ? words(v.document(), stage).name : info(stage).name);
}

}  // namespace

MoveWords words_of(const View& v) {
  const std::optional<Stage> stage = v.current();
  if (!stage) return {"The whole walk", "Space makes one short move, PageDown a whole stage."};
  const int move = v.made(*stage), moves = v.script.moves_of(*stage);
  const std::string title = title_of(v, *stage);
  if (is_before_scores(*stage)) return {title, vector_sentence(v, *stage, move, moves)};
  if (*stage == Stage::Mix) return {title, mix_sentence(v, move, moves)};
  if (*stage == Stage::Concat) {
    const HeadBlock block = block_of(v);
    return {title, "The outputs of all heads stand side by side: this head's are columns " +
                       grouped(block.first) + " … " + grouped(block.first + block.count - 1) + "."};
  }
  if (*stage == Stage::Output) return {title, output_sentence(v, move, moves)};
  if (is_after_attention(*stage)) return {title, block_sentence(v, *stage, move, moves)};
  return {title, plane_sentence(v, *stage, move, moves)};
}

}  // namespace attnscope::walk
