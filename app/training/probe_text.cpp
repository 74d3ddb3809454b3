#include "app/training/probe_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace attnscope {
namespace {

using training::Notes;

/// The number of "t12"; nothing for other names.
std::optional<int> number_of(std::string_view name) {
  if (name.size() < 2 || name.front() != 't') return std::nullopt;
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto [stopped, problem] = std::from_chars(name.data() + 1, end, number);
  return problem == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

bool begins_sequences(std::string_view name) { return name == "<bos>"; }

/// Tokens by their names, behind the token that begins the task's sequences where one does. Empty: one of
/// them is not among the names.
std::vector<std::int32_t> tokens_of(const std::vector<std::string>& names,
                                    std::span<const std::string_view> text, std::int32_t first) {
  std::vector<std::int32_t> tokens;
  if (begins_sequences(names[static_cast<std::size_t>(first)])) tokens.push_back(first);
  for (const std::string_view word : text) {
    const auto at = std::ranges::find(names, word);
    if (at == names.end()) return {};
    tokens.push_back(static_cast<std::int32_t>(at - names.begin()));
  }
  return tokens;
}

void name_rows(ProbeText& text, const std::vector<std::string>& names,
               const std::vector<std::string>& labels) {
  for (const std::int32_t token : text.tokens) {
    const auto at = static_cast<std::size_t>(token);
    text.labels.push_back(labels[at]);
    if (begins_sequences(names[at])) continue;
    if (!text.words.empty()) text.words += ' ';
    text.words += names[at];
  }
}

int score_named(const training::TaskRow& task, std::string_view name) {
  const auto at = std::ranges::find(task.scores, name, &training::Score::name);
  return at == task.scores.end() ? -1 : static_cast<int>(at - task.scores.begin());
}

/// Eight letters, all different, twice: each letter of the second round is known, and one sees from where.
ProbeText letters_twice(const training::Trainer& trainer, const std::vector<std::string>& names) {
  constexpr std::array<std::string_view, 8> letters{"t3", "t25", "t4", "t14", "t11", "t12", "t7", "t16"};
  constexpr auto period = static_cast<std::int64_t>(letters.size());
  const training::Recipe& recipe = trainer.recipe();
  ProbeText text;
  if (training::data_of(recipe, "least_period") > static_cast<double>(period) ||
      training::data_of(recipe, "most_period") < static_cast<double>(period) ||
      recipe.network.length <= 2 * period + 1)
    return text;
  std::vector<std::string_view> twice(letters.begin(), letters.end());
  twice.insert(twice.end(), letters.begin(), letters.end());
  text.tokens = tokens_of(names, twice, 0);
  if (text.tokens.empty()) return text;
  text.fold = period + 1;
  const int previous = score_named(trainer.task(), "previous"),
            induction = score_named(trainer.task(), "induction");
  for (std::int64_t row = 1; row <= 2 * period; ++row) {
    text.looks.push_back({previous, row, {row - 1}});
    if (row > period) text.looks.push_back({induction, row, {row - period + 1}});
  }
  return text;
}

/// The sentence in which "it" is the animal, since only an animal is tired.
ProbeText tired_animal(const training::Trainer& trainer, const std::vector<std::string>& names,
                       std::int32_t first) {
  constexpr std::array<std::string_view, 13> sentence{
      "the", "animal", "did", "not", "cross", "the", "street", "because", "it", "was", "too", "tired", "."};
  constexpr std::int64_t animal = 1, cross = 4, it = 8;
  ProbeText text;
  if (trainer.recipe().network.length <= std::ssize(sentence) + 1) return text;
  text.tokens = tokens_of(names, sentence, first);
  if (text.tokens.empty()) return text;
  const std::int64_t shift = std::ssize(text.tokens) - std::ssize(sentence);
  text.looks.push_back({score_named(trainer.task(), "it"), it + shift, {animal + shift}});
  text.looks.push_back({score_named(trainer.task(), "verb"), cross + shift, {animal + shift}});
  return text;
}

ProbeText own_text(const training::Trainer& trainer, const std::vector<std::string>& names,
                   std::int32_t first) {
  const std::string_view task = trainer.task().key;
  if (task == "small-induction" || task == "induction") return letters_twice(trainer, names);
  if (task == "reader" || task == "small-reader") return tired_animal(trainer, names, first);
  return {};
}

std::vector<ProbeText::Look> looks_of(const Notes& notes) {
  std::vector<ProbeText::Look> looks;
  for (const Notes::Look& look : notes.looks()) {
    const auto keys = notes.keys(look);
    looks.push_back({look.score, look.query, {keys.begin(), keys.end()}});
  }
  return looks;
}

/// The words of a read-out's answers.
class Answers {
 public:
  Answers(const training::Trainer& trainer, std::size_t read_out, const std::vector<std::string>& labels)
      : task_(trainer.task()),
        labels_(labels),
        are_tokens_(trainer.recipe().network.read_outs[read_out].classes == std::ssize(labels)) {}
  bool are_tokens() const { return are_tokens_; }
  std::string word(std::int32_t answer) const {
    const auto at = static_cast<std::size_t>(answer);
    if (are_tokens_) return labels_[at];
    return at < task_.classes.size() ? std::string(task_.classes[at]) : std::to_string(answer);
  }

 private:
  const training::TaskRow& task_;
  const std::vector<std::string>& labels_;
  bool are_tokens_;
};

/// The first two sequences of the first step.
std::vector<TaskSample> samples_of(const training::Trainer& trainer, const std::vector<std::string>& labels) {
  constexpr int count = 2;
  const training::Recipe& recipe = trainer.recipe();
  const auto goal = static_cast<std::size_t>(trainer.task().goal_group);
  const auto read_out = static_cast<std::size_t>(trainer.task().groups[goal].read_out);
  training::Batch batch(recipe.network, count, count);
  std::array<Notes, count> notes;
  for (int i = 0; i < count; ++i)
    batch.make(trainer.maker(), recipe.seed, training::DataStream::Training, static_cast<std::uint64_t>(i), i,
               &notes[static_cast<std::size_t>(i)]);
  batch.gather();
  const training::Targets targets = batch.targets(0, read_out);
  const Answers answers(trainer, read_out, labels);
  const int length = batch.length();
  bool next = answers.are_tokens() && !targets.rows.empty();
  for (std::size_t i = 0; i < targets.rows.size(); ++i) {
    const int row = targets.rows[i] % length;
    const std::int32_t* const tokens = batch.sequence(targets.rows[i] / length).tokens;
    next = next && (row + 1 == length || tokens[row + 1] == targets.classes[i]);
  }
  std::vector<TaskSample> samples(count);
  for (int s = 0; s < count; ++s) {
    TaskSample& sample = samples[static_cast<std::size_t>(s)];
    const std::int32_t* const tokens = batch.sequence(s).tokens;
    for (int row = 0; row < length; ++row)
      sample.reads.push_back(labels[static_cast<std::size_t>(tokens[row])]);
    sample.counts.resize(sample.reads.size());
    for (const Notes::Row& row : notes[static_cast<std::size_t>(s)].rows())
      if (const int at = row.row + (next ? 1 : 0); row.group == trainer.task().goal_group && at < length)
        sample.counts[static_cast<std::size_t>(at)] = 1;
    if (!next) sample.says.resize(sample.reads.size());
  }
  for (std::size_t i = 0; i < targets.rows.size() && !next; ++i)
    samples[static_cast<std::size_t>(targets.rows[i] / length)]
        .says[static_cast<std::size_t>(targets.rows[i] % length)] = answers.word(targets.classes[i]);
  return samples;
}

}  // namespace

const ProbeText::Look* ProbeText::look_of(int score, std::int64_t row) const {
  std::vector<const Look*> all;
  for (const Look& look : looks) {
    if (look.score != score || look.keys.empty()) continue;
    if (look.query == row) return &look;
    all.push_back(&look);
  }
  return all.empty() ? nullptr : all[(all.size() - 1) / 2];
}

std::string ProbeText::label(std::int64_t row) const {
  return row < rows() ? labels[static_cast<std::size_t>(row)] : std::to_string(row);
}

std::vector<std::string> token_labels(const std::vector<std::string>& names) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::vector<std::string> labels = names;
  int first = -1;
  bool numbered = true;
  for (const std::string& name : names) {
    if (begins_sequences(name)) continue;
    const std::optional<int> number = number_of(name);
    if (number && first < 0) first = *number;
    numbered = numbered && number && *number >= first && *number - first < std::ssize(letters);
  }
  for (std::string& label : labels) {
    if (begins_sequences(label))
      label = "·";
    else if (numbered)
      label = std::string(1, letters[static_cast<std::size_t>(*number_of(label) - first)]);
  }
  return labels;
}

ProbeFacts probe_facts(const training::Trainer& trainer) {
  ProbeFacts facts;
  const std::vector<std::string> names = trainer.maker().tokens();
  const training::Rows rows = trainer.evaluation().batch().sequence(0);
  facts.measured.looks = looks_of(trainer.evaluation().notes(0));
  if (rows.tokens == nullptr || names.empty()) return facts;
  const std::vector<std::string> labels = token_labels(names);
  facts.measured.tokens.assign(rows.tokens, rows.tokens + rows.length);
  name_rows(facts.measured, names, labels);
  facts.own = own_text(trainer, names, rows.tokens[0]);
  name_rows(facts.own, names, labels);
  facts.samples = samples_of(trainer, labels);
  return facts;
}

}  // namespace attnscope
