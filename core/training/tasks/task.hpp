// core/training/tasks: what there is to learn, as a table: data, a recipe that reaches the goal, the floor
// that no honest model gets below, and a control that fails for a reason. Measured in
// ../shared/reference/training.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/training/tasks/dice.hpp"
#include "core/training/tasks/recipe.hpp"

namespace attnscope::training {

inline constexpr std::size_t most_read_outs = 2;
inline constexpr std::int32_t ignored = -1;

/// What is known of a sequence that metrics are made of: rows whose answers count as a group, and keys that a
/// head of a kind should look at.
class Notes {
 public:
  struct Row {
    std::int32_t group, row, first, count;  // rivals: as keys of a Look
  };
  struct Look {
    std::int32_t score, query, first, count;
  };
  void clear() {
    rows_.clear();
    looks_.clear();
    keys_.clear();
  }
  /// The row's answer counts as right when its logit is the largest of all, or only larger than those of the
  /// rivals that follow with rival().
  void count_row(int group, int row) {
    rows_.push_back({group, row, static_cast<std::int32_t>(keys_.size()), 0});
  }
  void rival(std::int32_t token) {
    keys_.push_back(token);
    ++rows_.back().count;
  }
  /// A query that the score is about; its keys follow with key().
  void look(int score, int query) {
    looks_.push_back({score, query, static_cast<std::int32_t>(keys_.size()), 0});
  }
  void key(int key) {
    keys_.push_back(key);
    ++looks_.back().count;
  }
  std::span<const Row> rows() const { return rows_; }
  std::span<const Look> looks() const { return looks_; }
  std::span<const std::int32_t> keys(const Look& look) const { return part(look.first, look.count); }
  std::span<const std::int32_t> rivals(const Row& row) const { return part(row.first, row.count); }

 private:
  std::span<const std::int32_t> part(std::int32_t first, std::int32_t count) const {
    return std::span(keys_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }

  std::vector<Row> rows_;
  std::vector<Look> looks_;
  std::vector<std::int32_t> keys_;
};

/// One sequence to be written; targets begin as `ignored`, tokens and patches as 0.
struct Example {
  std::span<std::int32_t> tokens;                               // [length]; empty where patches come in
  std::span<float> patches;                                     // [length − 1][patch]
  std::array<std::span<std::int32_t>, most_read_outs> targets;  // [length] each that the network has
  Notes* notes = nullptr;                                       // null while training
  bool is_test = false;                                         // of data that is kept apart from training
};

class Maker {
 public:
  virtual ~Maker() = default;
  virtual void make(Dice&, Example&) const = 0;
  /// Names of the tokens, as a tokenizer has them; empty where patches come in.
  virtual std::vector<std::string> tokens() const = 0;
};

/// Rows of the evaluation whose answers are counted together.
struct Group {
  std::string_view name;
  int read_out = 0;
};
/// How much of their weight heads put on certain keys, mean over the queries that have such.
struct Score {
  std::string_view name;
  int group = -1;  // whose answers need those keys; -1 = the goal's
};
struct DataField {
  std::string_view name;
  double least, most;
};

struct TaskRow {
  std::string_view key;    // "induction"
  std::string_view about;  // one sentence
  std::vector<Group> groups;
  std::vector<Score> scores;
  std::vector<DataField> data;
  std::vector<std::string_view> classes;  // that a picture is of; empty where tokens come in
  int goal_group = 0;
  std::size_t group_of(const Score& score) const {
    return static_cast<std::size_t>(score.group < 0 ? goal_group : score.group);
  }
  double goal = 0.99;    // accuracy of the group
  int floor_group = -1;  // -1 = the task has no floor
  std::string_view floor_words;
  Recipe recipe;
  Recipe control;                            // fails
  std::string_view control_words;            // why
  double (*floor)(const Recipe&) = nullptr;  // loss of the group, nats
  /// Null, or fills in what follows from the data. Throws Error.
  void (*prepare)(Recipe&) = nullptr;
  /// Null, or throws Error where the network does not fit the data.
  void (*fits)(const Recipe&) = nullptr;
  std::unique_ptr<Maker> (*maker)(const Recipe&) = nullptr;
};

std::span<const TaskRow> tasks();
/// Null for others.
const TaskRow* find_task(std::string_view key);
/// A number of the recipe's data, which has all of its task's.
double data_of(const Recipe&, const std::string& name);
int whole_data_of(const Recipe&, const std::string& name);

/// Throws Error unless the two are equal; `what`: "the words of Millbrook".
void expect_field(std::string_view field, std::int64_t found, std::int64_t expected, std::string_view what);

/// "t3" and so on: names of tokens that mean nothing.
std::vector<std::string> numbered_tokens(int count);

}  // namespace attnscope::training
