// The page of experiments: list, slider, plots, table, keys, the way into Explore, sessions; and every text
// of them is in the languages' tables.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/files/paths.hpp"
#include "app/kit/ui/words.hpp"
#include "app/pages/experiments/experiment_runs.hpp"
#include "app/pages/experiments/experiment_state.hpp"
#include "app/pages/experiments/words.hpp"
#include "app/session/session.hpp"
#include "robot/layout.hpp"
#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::experiments_view_test {
namespace {

using test::TemporaryDirectory;

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Bench : Robot {
  explicit Bench(int width = 1600, int height = 1000) : Robot({.width = width, .height = height}) {
    key(ImGuiKey_F9);
    settle();
  }
  const ExperimentState& state() { return experiment_of(app().view()); }
  void press(ImGuiKey pressed, int mods = 0) {
    key(pressed, mods);
    settle();
  }
  bool says(const std::string& words) {
    for (const PlacedText& text : texts_of(*this))
      if (text.text.find(words) != std::string::npos) return true;
    return false;
  }
  /// Whether a sentence has these words, also if it is wrapped.
  bool tells(const std::string& words) {
    std::string all;
    for (const PlacedText& text : texts_of(*this)) all += text.text + " ";
    return all.find(words) != std::string::npos;
  }
  std::string collides() {
    std::string all;
    for (const std::string& one : collisions(texts_of(*this))) all += one + "\n";
    return all;
  }
};

}  // namespace

TEST_CASE("experiments: every one of them has its words, in the order of the numbers",
          "[experiments][experiments_view]") {
  const auto rows = experiment_words();
  REQUIRE(rows.size() == experiments::all().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    INFO(rows[i].name);
    CHECK(rows[i].name == experiments::all()[i].name);
    if (i > 0) CHECK(rows[i].number > rows[i - 1].number);
    CHECK(rows[i].plots.size() == 4);
    for (const PlotRow& plot : rows[i].plots)
      for (const SeriesRow& series : plot.series)
        CHECK(series.quantity < experiments::all()[i].quantities.size());
    for (const QuantityColumn& column : rows[i].columns)
      CHECK(column.quantity < experiments::all()[i].quantities.size());
  }
}

TEST_CASE("experiments: columns and lines are told apart by their words, not by colour alone",
          "[experiments][experiments_view]") {
  for (const ExperimentWords& words : experiment_words()) {
    INFO(words.name);
    std::set<std::pair<std::string_view, std::string_view>> heads;
    for (const QuantityColumn& column : words.columns) CHECK(heads.insert({column.head, column.of}).second);
    std::set<SeriesHue> hues;
    for (const LegendEntry& entry : words.legend) CHECK(hues.insert(entry.hue).second);
    for (const PlotRow& plot : words.plots)
      for (const SeriesRow& series : plot.series)
        if (series.hue != SeriesHue::Formula && series.hue != SeriesHue::Baseline)
          CHECK(hues.contains(series.hue));
  }
  // The change of the output without a key is neither a weight nor a contribution.
  const ExperimentWords& contribution = words_of(*experiments::find("contribution"));
  for (const SeriesRow& series : contribution.plots[3].series)
    CHECK((series.hue != SeriesHue::A && series.hue != SeriesHue::B));
}

TEST_CASE("experiments: every bar has its name, in large windows and small ones",
          "[experiments][experiments_view]") {
  Bench bench;
  for (const char* name : {"masks", "positions"})
    for (const bool small : {false, true}) {
      bench.resize(small ? 1280 : 1600, small ? 720 : 1000);
      experiment_of(bench.app().view()).name = name;
      experiment_of(bench.app().view()).value.reset();
      bench.settle();
      const ExperimentWords& words = words_of(*experiments::find(name));
      const std::vector<PlacedText> texts = texts_of(bench);
      for (const double value : experiments::find(name)->values) {
        INFO(name << " " << words.value(value) << (small ? " small" : ""));
        CHECK(std::ranges::count(texts, words.value(value), &PlacedText::text) >= 4);  // one in each plot
      }
      CHECK(bench.collides() == "");
    }
}

TEST_CASE("experiments: a row that hides every key is NaN as PyTorch computes it",
          "[experiments][experiments_view]") {
  Bench bench;
  const auto nans_at = [&](double way) {
    experiment_of(bench.app().view()).name = "masks";
    experiment_of(bench.app().view()).value = way;
    bench.settle();
    return std::ranges::count(texts_of(bench), std::string("NaN"), &PlacedText::text);
  };
  // NaN in the table: −∞, diagonal, transposed and none in float32, the same and −1e9, + −1e9 in float16; and
  // as many in the plot.
  CHECK(nans_at(0) == 2 * (4 + 6));
  CHECK(bench.tells("makes the row NaN in both"));
  nans_at(1);
  CHECK(bench.tells("makes the row NaN in float16"));
  nans_at(3);
  CHECK(bench.tells("no score is −∞"));
}

TEST_CASE("experiments: what was not trained, and of which loss a gradient is, is said",
          "[experiments][experiments_view]") {
  const auto about = [](const char* name) { return words_of(*experiments::find(name)).about; };
  CHECK(about("grouped").find("without training") != std::string_view::npos);
  for (const char* name : {"scaling", "temperature"})
    CHECK(about(name).find("L = Σ g·α") != std::string_view::npos);
  CHECK(words_of(*experiments::find("positions")).plots[0].log);  // one point is at 2e-7
  Bench bench;
  experiment_of(bench.app().view()).name = "cost";
  experiment_of(bench.app().view()).value = 1024;
  bench.settle();
  CHECK(bench.tells("four matrices of n × n numbers"));
  experiment_of(bench.app().view()).name = "cache";
  bench.settle();
  CHECK((bench.says("Cost: ") && bench.says("Eviction: ")));
}

TEST_CASE("experiments: the tiles of an online softmax play to the last one",
          "[experiments][experiments_view]") {
  Bench bench;
  experiment_of(bench.app().view()).name = "cost";
  experiment_of(bench.app().view()).value = 256;  // four tiles
  bench.settle();
  CHECK(bench.tells("tile 4 of 4"));
  bench.click("Play");
  bench.frame();
  CHECK(bench.tells("tile 1 of 4"));
  CHECK(bench.app().wants_frame());
  bench.frame(60);  // a second
  CHECK(bench.tells("tile 2 of 4"));
  bench.click("The next tile");  // by hand: it stops
  bench.frame(120);
  CHECK(bench.tells("tile 3 of 4"));
  bench.click("Play");
  bench.frame(60);
  CHECK(bench.tells("tile 4 of 4"));
  CHECK(bench.state().tile_due == 0);
}

TEST_CASE("experiments: the list, the slider and the keys", "[experiments][experiments_view]") {
  Bench bench;
  CHECK(bench.app().view().mode == Mode::Experiments);
  CHECK(bench.state().name == "scaling");
  CHECK(bench.says("8.01"));  // σ of unscaled scores at the first value
  bench.press(ImGuiKey_RightArrow);
  CHECK(bench.state().value == 128);
  bench.press(ImGuiKey_LeftArrow);
  bench.press(ImGuiKey_LeftArrow);
  CHECK(bench.state().value == 32);
  const ImVec2 slider = bench.centre("experiment value");
  bench.click_at({slider.x + 4000, slider.y});  // outside: nothing
  bench.drag(slider, {slider.x + 1000, slider.y});
  bench.settle();
  CHECK(bench.state().value == 1024);
  CHECK(bench.says("32.0"));
  const ImVec2 plot = bench.centre("experiment plot 2");
  bench.drag(plot, {plot.x - 1000, plot.y});
  bench.settle();
  CHECK(bench.state().value == 1);
  bench.click("experiment row 3");
  bench.settle();
  CHECK(bench.state().value == 8);
  bench.press(ImGuiKey_DownArrow);
  CHECK(bench.state().name == experiment_words()[1].name);
  CHECK_FALSE(bench.state().value.has_value());
  bench.press(ImGuiKey_UpArrow);
  CHECK(bench.state().name == "scaling");
  CHECK(bench.state().value == 8);  // as it was left
  bench.click("experiment temperature");
  bench.settle();
  CHECK(bench.state().name == "temperature");
  const Document before = bench.document();
  bench.press(ImGuiKey_C);  // the table, not the mask
  CHECK(bench.document() == before);
  CHECK(std::string(ImGui::GetClipboardText()).find("effective_keys\t") != std::string::npos);
  bench.press(ImGuiKey_Escape);  // the message
  bench.press(ImGuiKey_Escape);
  CHECK(bench.app().view().mode == Mode::Explore);
}

TEST_CASE("experiments: the state of the chosen value opens, or a sentence says that it is still computed",
          "[experiments][experiments_view]") {
  Bench bench;
  bench.key(ImGuiKey_RightArrow);  // nothing waits for the state of 128
  bench.key(ImGuiKey_Enter);
  const bool waits = bench.app().message().find("still being computed") != std::string::npos;
  bench.settle();
  REQUIRE(bench.state().value == 128);
  CHECK(waits == (bench.app().view().mode != Mode::Explore));
  if (waits) bench.press(ImGuiKey_Escape), bench.press(ImGuiKey_Enter);
  REQUIRE(bench.app().view().mode == Mode::Explore);
  const Document measured = experiments::find("scaling")->states(128).a;
  CHECK(*bench.document().input.given().query == *measured.input.given().query);
}

TEST_CASE("experiments: the state opens in Explore, with the change as B",
          "[experiments][experiments_view]") {
  Bench bench;
  bench.press(ImGuiKey_RightArrow);
  bench.click("Open this state in Explore");
  bench.settle();
  CHECK(bench.app().view().mode == Mode::Explore);
  const Document measured = experiments::find("scaling")->states(128).a;
  CHECK(bench.document().title == "Why √dₖ");
  CHECK(*bench.document().input.given().query == *measured.input.given().query);
  CHECK(*bench.document().input.given().key == *measured.input.given().key);
  CHECK(bench.document().layer() == measured.layer());
  REQUIRE(bench.app().held().held_result().has_value());
  CHECK(bench.app().held().held_result()->result->document.layer().scaling.kind == Scaling::Kind::Off);
  bench.press(ImGuiKey_F9);
  CHECK(bench.state().value == 128);
  bench.press(ImGuiKey_Enter);
  CHECK(bench.app().view().mode == Mode::Explore);
}

TEST_CASE("experiments: a click leads to the lesson that asks what one shows",
          "[experiments][experiments_view]") {
  for (const int width : {1280, 1600}) {
    Bench bench(width, width * 5 / 8);
    std::size_t led = 0;
    for (const ExperimentWords& words : experiment_words()) {
      INFO(words.title << " at " << width);
      bench.press(ImGuiKey_F9);
      experiment_of(bench.app().view()).name = words.name;
      bench.settle();
      CHECK(bench.collides() == "");
      if (bench.items().find("Lesson of the experiment") == nullptr) continue;
      ++led;
      bench.click("Lesson of the experiment");
      bench.settle();
      CHECK(bench.app().view().mode == Mode::Lessons);
      REQUIRE(bench.app().lessons().open());
      bench.press(ImGuiKey_Escape);
    }
    CHECK(led == experiment_words().size());
  }
}

TEST_CASE("experiments: a session keeps which and where", "[experiments][experiments_view]") {
  const TemporaryDirectory directory;
  {
    Bench bench;
    bench.click("experiment dilution");
    bench.press(ImGuiKey_RightArrow);
    bench.app().files().saving.save(directory / "kept.json");
  }
  Robot again({.width = 1600, .height = 1000, .file = directory / "kept.json"});
  CHECK(again.app().view().mode == Mode::Experiments);
  CHECK(experiment_of(again.app().view()).name == "dilution");
  CHECK(experiment_of(again.app().view()).value == 3000);
}

TEST_CASE("experiments: nothing runs out of the mode, and idle costs nothing",
          "[experiments][experiments_view]") {
  Bench bench;
  CHECK_FALSE(bench.app().wants_frame());
  bench.frame(2);
  CHECK(bench.app().textures().painted() == 0);
  bench.press(ImGuiKey_F2);
  CHECK_FALSE(bench.app().wants_frame());
}

TEST_CASE("experiments: what is measured can be left for another", "[experiments][experiments_view]") {
  ExperimentRuns runs({});
  const auto all = experiments::all();
  for (int round = 0; round < 3; ++round)
    for (const experiments::Experiment& experiment : all) {
      runs.follow(&experiment, experiment.rest);
      runs.follow(&experiment, 0);
    }
  runs.follow(&all.front(), 2);
  for (int i = 0; i < 1000 && !runs.is_settled(); ++i) {
    runs.wait();
    runs.follow(&all.front(), 2);
  }
  REQUIRE(runs.is_settled());
  CHECK(runs.shown_experiment().known() == all.front().values.size());
  CHECK(runs.shown_experiment().look_point == 2);
  runs.follow(nullptr, 0);
  CHECK(runs.is_settled());
}

namespace {

/// Collects every text that is drawn while it lives and is not in the language's table.
class Untranslated {
 public:
  Untranslated(Words& words, const std::string& language) : words_(words), german_(language == "de") {
    const std::string file = german_ ? "de.txt" : "english.txt";
    table_ = file_text(std::filesystem::path(ATTNSCOPE_ASSETS) / "languages" / file);
    words_.watch = [this](std::string_view key, bool) {
      const std::string line = "\n< " + std::string(key) + (german_ ? "\n> " : "\n");
      if (table_.find(line) == std::string::npos && key != "AttnScope") missing.insert(std::string(key));
    };
  }
  ~Untranslated() { words_.watch = {}; }
  Untranslated(const Untranslated&) = delete;
  Untranslated& operator=(const Untranslated&) = delete;

  std::set<std::string> missing;

 private:
  Words& words_;
  bool german_;
  std::string table_;
};

}  // namespace

// Measuring takes seconds and is kept, so one window runs all experiments.
TEST_CASE("experiments: every text is in the languages, none stands in another's way, each opens in Explore",
          "[experiments][experiments_view][words]") {
  Bench bench;
  const auto show = [&](const ExperimentWords& words, double value) {
    experiment_of(bench.app().view()).name = words.name;
    experiment_of(bench.app().view()).value = value;
    bench.settle();
  };
  for (const std::string language : {"en", "de"}) {
    bench.app().view().language = language;
    bench.frame(2);
    const Untranslated texts(bench.app().words(), language);
    for (const bool small : {false, true}) {
      bench.resize(small ? 1280 : 1600, small ? 720 : 1000);
      for (const ExperimentWords& words : experiment_words()) {
        const std::vector<double>& values = experiments::find(words.name)->values;
        for (std::size_t point = 0; point < values.size(); ++point) {
          const bool looked_at = point == 0 || point == 2 || point + 1 == values.size();
          if (small && !looked_at) continue;
          INFO(words.name << " " << point << " " << language << (small ? " small" : ""));
          show(words, values[point]);
          if (looked_at) CHECK(bench.collides() == "");
        }
      }
    }
    for (const std::string& key : texts.missing) UNSCOPED_INFO(language << "|" << key);
    CHECK(texts.missing.empty());
  }
  bench.app().view().language = "en";
  for (const ExperimentWords& words : experiment_words()) {
    INFO(words.name);
    bench.app().view().mode = Mode::Experiments;
    experiment_of(bench.app().view()).name = words.name;
    experiment_of(bench.app().view()).value.reset();
    bench.settle();
    bench.press(ImGuiKey_Enter);
    CHECK(bench.app().view().mode == Mode::Explore);
    CHECK(bench.app().view().refusal == "");
    CHECK(bench.document().title == words.title);
  }
}

}  // namespace attnscope::experiments_view_test
