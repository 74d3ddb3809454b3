// Data of one's own: a text file, character by character or word by word; the next one is the answer. The
// last tenth is measured on and never trained on.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"
#include "core/training/tasks/rows.hpp"

namespace attnscope::training {
namespace {

constexpr std::uint64_t most_text_bytes = 64 << 20;
constexpr std::size_t most_text_tokens = 65'536;

bool is_blank(std::string_view character) {
  return character == " " || character == "\n" || character == "\t" || character == "\r";
}

/// Characters, or words: runs of characters between blanks.
std::vector<std::string_view> pieces_of(std::string_view text, bool words) {
  std::vector<std::string_view> pieces;
  std::size_t word = std::string_view::npos;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = static_cast<std::size_t>(decode_at(text, at).length);
    const std::string_view character = text.substr(at, length);
    if (!words) {
      pieces.push_back(character);
    } else if (is_blank(character)) {
      if (word != std::string_view::npos) pieces.push_back(text.substr(word, at - word));
      word = std::string_view::npos;
    } else if (word == std::string_view::npos) {
      word = at;
    }
    at += length;
  }
  if (words && word != std::string_view::npos) pieces.push_back(text.substr(word));
  return pieces;
}

struct TokenText {
  std::vector<std::string> names;  // in the order of their bytes
  std::vector<std::int32_t> tokens;
};

TokenText token_text(const Recipe& recipe) {
  if (recipe.text.empty()) throw Error("text is missing; the task \"text\" needs the path of a text file.");
  if (recipe.unit != "characters" && recipe.unit != "words")
    throw Error(fmt::format("unit is \"{}\"; \"characters\" or \"words\" was expected.", recipe.unit));
  const std::string text = read_whole(recipe.text, most_text_bytes);
  const std::vector<std::string_view> pieces = pieces_of(text, recipe.unit == "words");
  std::map<std::string_view, std::int32_t> numbers;
  for (const std::string_view piece : pieces) numbers.try_emplace(piece, 0);
  if (numbers.size() > most_text_tokens)
    throw Error(fmt::format("\"{}\" has {} different {}; {} at most were expected.", recipe.text,
                            numbers.size(), recipe.unit, most_text_tokens));
  TokenText result;
  result.names.emplace_back("<unk>");  // for what the text does not have, when another text is read
  for (auto& [piece, number] : numbers) {
    number = static_cast<std::int32_t>(result.names.size());
    result.names.emplace_back(piece);
  }
  for (const std::string_view piece : pieces) result.tokens.push_back(numbers.find(piece)->second);
  return result;
}

class TextMaker final : public Maker {
 public:
  explicit TextMaker(const Recipe& recipe) : text_(token_text(recipe)) {
    constexpr int parts = 10;
    trained_ = std::ssize(text_.tokens) / parts * (parts - 1);
    const std::int64_t least = recipe.network.length + 1;
    if (std::ssize(text_.tokens) - trained_ < least)
      throw Error(fmt::format("\"{}\" has {} {}; {} at least were expected for sequences of {}.", recipe.text,
                              text_.tokens.size(), recipe.unit, least * parts, recipe.network.length));
  }

  void make(Dice& dice, Example& example) const override {
    const auto n = static_cast<std::int64_t>(example.tokens.size());
    const std::int64_t begin = example.is_test ? trained_ : 0,
                       end = example.is_test ? std::ssize(text_.tokens) : trained_;
    const std::int64_t first = begin + dice.below(static_cast<int>(end - begin - n));
    for (std::int64_t i = 0; i < n; ++i) {
      example.tokens[static_cast<std::size_t>(i)] = text_.tokens[static_cast<std::size_t>(first + i)];
      example.targets[0][static_cast<std::size_t>(i)] = text_.tokens[static_cast<std::size_t>(first + i + 1)];
      if (example.notes == nullptr) continue;
      example.notes->count_row(0, static_cast<int>(i));
      if (i == 0) continue;
      example.notes->look(0, static_cast<int>(i));
      example.notes->key(static_cast<int>(i) - 1);
    }
  }
  std::vector<std::string> tokens() const override { return text_.names; }

 private:
  TokenText text_;
  std::int64_t trained_ = 0;
};

}  // namespace

TaskRow text_task() {
  TaskRow row;
  row.key = "text";
  row.about = "A text of one's own: what comes next, character by character or word by word.";
  row.groups = {{"every row"}};
  row.scores = {{"previous"}};
  row.goal = 2;  // there is none: how well a text can be foretold is not known
  Recipe& recipe = row.recipe;
  recipe.task = row.key;
  recipe.steps = 2000;
  recipe.measure_every = 100;
  recipe.stops_at_goal = false;
  recipe.network.layers = 2;
  recipe.network.width = 64;
  recipe.network.heads = 4;
  recipe.network.inner = 256;
  recipe.network.vocabulary = 2;
  recipe.network.length = 64;
  recipe.network.positions = Positions::RopeHalf;
  recipe.network.causal = true;
  recipe.network.read_outs = {{2, false, false}};
  recipe.optimiser.rate = 2e-3;
  recipe.optimiser.warm_up = 100;
  row.control = recipe;
  row.control.network.positions = Positions::None;
  row.control.network.layers = 1;
  row.control_words =
      "Without positions and with one layer it is known what stood before, but not in which order.";
  row.prepare = [](Recipe& of) {
    const int tokens = static_cast<int>(token_text(of).names.size());
    of.network.vocabulary = tokens;
    if (!of.network.read_outs.empty()) of.network.read_outs[0].classes = tokens;
  };
  row.maker = [](const Recipe& of) -> std::unique_ptr<Maker> { return std::make_unique<TextMaker>(of); };
  return row;
}

}  // namespace attnscope::training
