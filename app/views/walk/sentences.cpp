// app/views/walk: every move in one sentence.
#include <algorithm>

#include "app/number_format.hpp"
#include "app/views/walk/card.hpp"
#include "core/stages/run_stage.hpp"

namespace attnscope::walk {
namespace {

std::string quoted(const std::string& label) { return "“" + label + "”"; }

/// The first move is made for one row, the second for the others.
std::string one_or_all(const std::string& one, const std::string& all, int move, int moves) {
  return move < moves ? one : all;
}

/// The rows or keys that a move adds: "“The”", "“The” and “cat”", "“The” … “mat”".
std::string added(const View& v, std::int64_t count, int move, int moves, bool keys) {
  const auto end_of = [&](int m) { return (count * m + moves - 1) / moves; };
  const std::int64_t first = end_of(move - 1), last = end_of(move) - 1;
  const auto label = [&](std::int64_t i) {
    return quoted(keys ? key_label(v.result(), v.b, i) : query_label(v.result(), v.b, i));
  };
  if (last <= first) return label(first);
  return label(first) + (last == first + 1 ? " and " : " … ") + label(last);
}

std::string softmax_sentence(const View& v, int move) {
  switch (softmax_moves(v.document())[static_cast<std::size_t>(move - 1)]) {
    case SoftmaxMove::Shift:
      return v.document().softmax == SoftmaxKind::Stable
                 ? "Each row's largest value is subtracted: exp cannot overflow."
                 : "Each entry is divided by the temperature.";
    case SoftmaxMove::Exponential: return "exp of each entry: all positive, differences become ratios.";
    case SoftmaxMove::Sum: return "Each row is summed.";
    case SoftmaxMove::Divide: return "Each entry is divided by its row sum: rows sum to 1.";
    case SoftmaxMove::Hide: break;
  }
  return "The mistake: hidden weights become 0 only now, and rows no longer sum to 1.";
}

std::string linear_sentence(const Document& document, int move) {
  const bool turned = is_rotary(document.positions);
  switch (static_cast<LinearMove>(move - 1)) {
    case LinearMove::Product:
      return turned ? "No softmax: φ(q) and φ(k) are rotated by their positions; the product may be negative."
                    : "No softmax: φ(q)·φ(k) is positive.";
    case LinearMove::Hide: return "Products with masked keys are set to 0.";
    case LinearMove::Sum:
      return turned ? "The sum of each row is taken over the products that are not rotated." : "Each row is summed.";
    case LinearMove::Divide: break;
  }
  return turned ? "Each entry is divided by that sum." : "Each entry is divided by its row sum: rows sum to 1.";
}

std::string surgery_sentence(const View& v) {
  if (!is_operated(v.document(), v.h)) return "This head keeps its own pattern.";
  switch (v.document().surgery[static_cast<std::size_t>(v.h)].kind) {
    case HeadSurgery::Kind::Mute: return "This head is muted (zero-ablated): its weights are 0.";
    case HeadSurgery::Kind::Frozen: return "A frozen pattern replaces this head's own.";
    default: return "Another pattern replaces this head's own.";
  }
}

std::string mask_sentence(const View& v, const std::string& query, int move, int moves) {
  if (v.scene.stats.rule().after_softmax()) return "The mistake: nothing is masked before the softmax.";
  const std::string value = v.scene.stats.rule().hidden_value() < -1e30 ? "−∞" : "−1e9";
  const bool biased = static_cast<bool>(v.result().trace[Stage::Bias]);
  const std::string bias = biased ? "The position bias is added, and keys" : "Keys";
  return one_or_all(bias + " that " + query + " may not see get " + value + ".",
                    "The same for every other row.", move, moves);
}

std::string vector_sentence(const View& v, Stage stage, int move, int moves) {
  const std::string query = quoted(query_label(v.result(), v.b, v.cell.query));
  const std::string key = quoted(key_label(v.result(), v.b, v.cell.key));
  const bool given = static_cast<bool>(v.document().input.given);
  switch (stage) {
    case Stage::Position:
      return move < moves || moves == 1 ? "Each token has its embedding vector."
                                        : "The position vector is added to each.";
    case Stage::Memory: return "The second text gives keys and values.";
    case Stage::Query:
      if (given) return "Queries are given.";
      return one_or_all("The query of " + query + ": its vector times W_Q.",
                        "The same W_Q for all other tokens.", move, moves);
    case Stage::Key:
      if (given) return "Keys are given.";
      return one_or_all("The key of " + key + ": its vector times W_K.", "The same W_K for all other tokens.",
                        move, moves);
    case Stage::Value:
      if (given) return "Values are given.";
      return one_or_all("The value of " + key + ": its vector times W_V.",
                        "The same W_V for all other tokens.", move, moves);
    case Stage::RotateQuery:
      return one_or_all("The query of " + query + " is rotated by the angles of its position.",
                        "The same for every other query.", move, moves);
    default:
      return one_or_all("The key of " + key + " is rotated by the angles of its position.",
                        "The same for every other key.", move, moves);
  }
}

std::string scale_sentence(const View& v, const std::string& query, int move, int moves) {
  switch (v.document().scaling.kind) {
    case Scaling::Kind::Off: return "Scaling is off: nothing changes.";
    case Scaling::Kind::Factor:
      return one_or_all("The row of " + query + " times the chosen factor.", "The same for every other row.",
                        move, moves);
    case Scaling::Kind::InverseSqrtDk: break;
  }
  return one_or_all("The row of " + query + " is divided by √dₖ: the spread shrinks.",
                    "The same for every other row.", move, moves);
}

std::string plane_sentence(const View& v, Stage stage, int move, int moves) {
  const std::string query = quoted(query_label(v.result(), v.b, v.cell.query));
  switch (stage) {
    case Stage::Score:
      return added(v, v.result().dimensions.queries, move, moves, false) +
             " against every key: one dot product a cell.";
    case Stage::Scale: return scale_sentence(v, query, move, moves);
    case Stage::Cap:
      return one_or_all("The row of " + query + " is soft-capped to (−c, c).",
                        "The same for every other row.", move, moves);
    case Stage::Bias:
      return one_or_all("The position bias of the row of " + query + ", by distance.",
                        "The same for every other row.", move, moves);
    case Stage::Mask: return mask_sentence(v, query, move, moves);
    case Stage::Softmax: return softmax_sentence(v, move);
    case Stage::Linear: return linear_sentence(v.document(), move);
    case Stage::Surgery: return surgery_sentence(v);
    default: break;
  }
  return one_or_all(
      "Dropout: some weights of " + query + " become 0, the others are multiplied by 1 / (1 − r).",
      "The same for every other row.", move, moves);
}

/// "Queries", "Scores", and "Softmax" for the weights while they come about.
std::string title_of(const View& v, Stage stage) {
  if (stage == Stage::Softmax) return "Softmax";
  const bool plane = stage >= Stage::Score && stage <= Stage::Drop;
  return std::string(plane ? words(v.document(), stage).name : info(stage).name);
}

}  // namespace

MoveWords words_of(const View& v) {
  const std::optional<Stage> stage = v.current();
  if (!stage) return {"The whole walk", "Space makes one short move, PageDown a whole stage."};
  const int move = v.made(*stage), moves = v.script.moves_of(*stage);
  const std::string title = title_of(v, *stage);
  if (*stage < Stage::Bucket) return {title, vector_sentence(v, *stage, move, moves)};
  if (*stage == Stage::Mix) {
    const std::string keys = added(v, v.result().dimensions.keys, move, moves, true);
    return {title,
            keys + (keys.find("” ") == std::string::npos ? " hands" : " hand") + " on: value times weight."};
  }
  if (*stage == Stage::Output) {
    const bool own = move < moves;
    if (moves == 1) return {title, "The head output times W_O."};
    return {title, own ? "This head's contribution: its output times its rows of W_O."
                       : "The contributions of all heads are summed."};
  }
  return {title, plane_sentence(v, *stage, move, moves)};
}

}  // namespace attnscope::walk
