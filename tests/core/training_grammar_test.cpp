// Millbrook: what its rows promise: agreement, links that point where they say, repeats that repeat, and
// costs that are what its choices cost.
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/training/tasks/grammar.hpp"
#include "core/training/tasks/task.hpp"

namespace attnscope::training::grammar_test {
namespace {

std::string word(Word number) { return lexicon().words[static_cast<std::size_t>(number)]; }

}  // namespace

TEST_CASE("the lexicon has every word once, and is as large as the recipes say", "[training]") {
  const Lexicon& lex = lexicon();
  CHECK(lex.number.size() == lex.words.size());
  CHECK(find_task("reader")->recipe.network.vocabulary == static_cast<int>(lex.words.size()));
  CHECK(lex.words.size() > 240);
  CHECK(lex.words.size() < 260);
}

TEST_CASE("rows of Millbrook are what their notes say", "[training]") {
  MillbrookRow row;
  std::map<std::string, int> seen;
  int attractors = 0, other_copies = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    Dice dice(1, 7, i);
    row.write(dice, {}, 49);
    REQUIRE(row.words().size() >= 49);
    REQUIRE(row.costs().size() == row.words().size());
    REQUIRE(word(row.words()[0]) == "<bos>");
    const auto at = [&](int place) { return word(row.words()[static_cast<std::size_t>(place)]); };
    for (const double cost : row.costs()) REQUIRE((cost >= 0 && cost < 20));
    for (const Link& link : row.links()) {
      REQUIRE(link.to < link.at);
      REQUIRE(link.to > 0);
      if (link.kind == LinkKind::Bank) {
        CHECK(at(link.at) == "bank");
        CHECK((at(link.to) == "river" || at(link.to) == "cash" || at(link.to) == "money"));
      }
      if (link.kind == LinkKind::It) {
        CHECK(at(link.at) == "it");
        const std::set<std::string> tired{"tired", "hungry", "old", "young"};
        const std::set<std::string> ways{"street", "river", "bridge", "road"};
        CHECK(tired.contains(at(link.at + 3)) != ways.contains(at(link.to)));
      }
      if (at(link.at) == "they" || at(link.at) == "their")
        CHECK((at(link.to).ends_with("s") || at(link.to).ends_with("men") || at(link.to) == "they"));
      ++seen[at(link.at)];
    }
    for (const Agreement& verb : row.agreements()) {
      CHECK(at(verb.at) != word(verb.wrong));
      attractors += verb.attractor ? 1 : 0;
    }
    for (const int repeat : row.repeats()) {
      bool before = false;
      for (int j = 1; j < repeat; ++j) before = before || at(j) == at(repeat);
      CHECK(before);
      ++other_copies;
    }
    for (std::size_t j = 0; j + 1 < row.words().size(); ++j) {
      if (word(row.words()[j]) == "a")
        CHECK(std::string("aeiou").find(word(row.words()[j + 1])[0]) == std::string::npos);
      if (word(row.words()[j]) == "an")
        CHECK(std::string("aeiou").find(word(row.words()[j + 1])[0]) != std::string::npos);
    }
  }
  CHECK(attractors > 500);
  CHECK(other_copies > 3000);
  for (const char* common :
       {"he", "she", "it", "they", "his", "bank", "was", "are", "did", "cross", "said", "helped"}) {
    INFO(common);
    CHECK(seen[common] > 20);
  }
}

TEST_CASE("a row's words cost what its choices cost", "[training]") {
  // Of all first words behind <bos> the cost is −ln of how often they come, as far as one document can begin
  // with them.
  MillbrookRow row;
  std::map<std::string, int> first;
  std::map<std::string, double> cost;
  constexpr int rows = 20'000;
  double sum = 0, entropy = 0;
  for (std::uint64_t i = 0; i < rows; ++i) {
    Dice dice(2, 7, i);
    row.write(dice, {}, 2);
    const std::string name = word(row.words()[1]);
    ++first[name];
    cost[name] = row.costs()[1];
    sum += row.costs()[1];
  }
  for (const auto& [name, count] : first) entropy -= count * std::log(static_cast<double>(count) / rows);
  // Several kinds of documents begin with "the": what the choice between them costs is paid there and then.
  CHECK(sum / rows >= entropy / rows - 0.02);
  CHECK(std::abs(cost["first"] + std::log(static_cast<double>(first["first"]) / rows)) < 0.1);
}

}  // namespace attnscope::training::grammar_test
