// The pictures of the training page: letters beside the heads, one row in words, samples, the phase change,
// what was learned with its baseline; slower while a score moves, and the model opens at its best head.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/shell/app.hpp"
#include "app/training/lab_state.hpp"
#include "app/training/phase_change.hpp"
#include "app/training/probe_text.hpp"
#include "app/training/training_runs.hpp"
#include "app/training/verdicts.hpp"
#include "core/training/trainer.hpp"
#include "robot/layout.hpp"
#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::lab_picture_test {
namespace {

using test::click;
using test::TemporaryDirectory;

struct Desk : Robot {
  explicit Desk(const std::string& task, int width = 1600, int height = 1000)
      : Robot({.width = width, .height = height}) {
    lab_of(app().view()).task = task;
    key(ImGuiKey_F10);
    settle();
  }
  LabState& state() { return lab_of(app().view()); }
  const training::ShownLab& lab() { return app().training().shown_lab(); }
  const training::LabRun& run() { return *lab().run(); }
  const LabProbes& probes() { return app().training().probes(); }
  /// Of the heads' pane, at the right.
  std::size_t beside_heads(const std::string& words) {
    const std::vector<PlacedText> texts = texts_of(*this);
    return static_cast<std::size_t>(std::ranges::count_if(texts, [&](const PlacedText& text) {
      return text.text == words && text.x0 > 0.6f * static_cast<float>(width());
    }));
  }
  bool says(const std::string& words) { return shows(*this, words); }
  void train(std::int64_t steps) {
    state().pace = LabPace::Run;
    state().steps_a_frame = 25;
    state().playing = true;
    for (int i = 0; i < 20'000 && run().step < steps; ++i) frame();
    state().playing = false;
    settle();
  }
  void check_layout() {
    for (const std::string& one : collisions(texts_of(*this))) FAIL_CHECK(one);
  }
};

/// A run of one head with one score whose accuracy is this, measured every 10 steps.
training::LabRun run_of(const std::vector<double>& accuracy) {
  training::LabRun run;
  for (const double one : accuracy) {
    training::LabPoint point;
    point.metrics.step = 10 * std::ssize(run.points);
    point.metrics.groups = {{0, one, 1}, {0, 0, 1}};
    point.metrics.scores = {{0.5}, {0.5}};
    point.metrics.even_scores = {0.1, 0.1};
    run.points.push_back(std::make_shared<const training::LabPoint>(std::move(point)));
  }
  run.step = 10 * (std::ssize(run.points) - 1);
  return run;
}

const training::TaskRow& two_jobs() { return *training::find_task("two-jobs"); }

}  // namespace

TEST_CASE("lab: rows and columns of the probe have their letters, and a row its sentence", "[lab]") {
  for (const bool small : {false, true}) {
    CAPTURE(small);
    Desk desk("small-induction", small ? 1280 : 1600, small ? 720 : 1000);
    // Four heads, two axes, two rounds.
    for (const char* letter : {"c", "y", "d", "n", "k", "l", "g", "p"}) {
      CAPTURE(letter);
      CHECK(desk.beside_heads(letter) == 16);
    }
    CHECK(desk.says("17 tokens"));
    CHECK(desk.says("Row n, its second time"));
    CHECK(desk.says("Most there"));
    desk.check_layout();
  }
}

TEST_CASE("lab: with its letters the page has room in German and twice as large", "[lab]") {
  {
    Desk german("small-induction");
    german.app().view().language = "de";
    german.train(50);
    CHECK(german.says("Zeile n, zum zweiten Mal"));
    CHECK(german.beside_heads("n") == 16);
    german.check_layout();
  }
  Desk desk("small-induction", 3840, 2160);
  desk.app().view().scale = 2;
  desk.settle();
  CHECK(desk.beside_heads("n") == 16);
  desk.check_layout();
}

TEST_CASE("lab: the probe is what the kept weights do with it, also in a branch without a mask", "[lab]") {
  Desk desk("small-induction");
  desk.train(50);
  desk.state().step = 25;
  desk.settle();
  click(desk, "Branch");
  click(desk, "Lab mask: None");
  desk.train(50);
  const ProbeFacts* const facts = desk.probes().facts();
  REQUIRE(facts != nullptr);
  REQUIRE(facts->own.rows() == 17);
  training::Trainer trainer(*desk.lab().recipe);
  for (const training::LabRunPtr& run : desk.lab().runs) {
    const auto measured = run->moment_at(50);
    REQUIRE((measured && measured->snapshot));
    const auto probed = desk.probes().moment_at(*run, 50);
    REQUIRE(probed);
    CHECK(probed->step == 50);
    trainer.restore(*measured->snapshot);
    const training::Probe again = trainer.probe(facts->own.tokens);
    REQUIRE(probed->probe.weights.shape() == again.weights.shape());
    CHECK(probed->probe.weights.matrix(1, 0) == again.weights.matrix(1, 0));
    CHECK((probed->probe.weights.matrix(0, 0)(0, 1) > 0) == (run->parent >= 0));
  }
}

TEST_CASE("lab: samples are the first sequences of the first step, bright what accuracy counts", "[lab]") {
  Desk desk("small-induction");
  const ProbeFacts* const facts = desk.probes().facts();
  REQUIRE((facts != nullptr && facts->samples.size() == 2));
  const TaskSample& first = facts->samples.front();
  CHECK(first.says.empty());  // the answers are the next tokens
  CHECK(first.reads.front() == "·");
  std::size_t bright = 0;
  for (std::size_t i = 1; i < first.reads.size(); ++i) {
    if (first.counts[i] == 0) continue;
    ++bright;
    // It was there before.
    CHECK(std::find(first.reads.begin(), first.reads.begin() + static_cast<std::ptrdiff_t>(i),
                    first.reads[i]) != first.reads.begin() + static_cast<std::ptrdiff_t>(i));
  }
  CHECK(bright > 20);
  CHECK(desk.says("Samples"));
}

TEST_CASE("lab: answers that are not the next tokens stand below a sample", "[lab]") {
  Desk desk("reverse");
  const ProbeFacts* const answers = desk.probes().facts();
  REQUIRE((answers != nullptr && answers->samples.size() == 2));
  std::vector<std::string> turned = answers->samples.front().reads;
  std::ranges::reverse(turned);
  CHECK(answers->samples.front().says == turned);
}

TEST_CASE("lab: the Reader's probe is the sentence in which it is the animal", "[lab]") {
  Desk desk("small-reader");
  const ProbeFacts* const facts = desk.probes().facts();
  REQUIRE(facts != nullptr);
  const ProbeText::Look* const look = facts->own.look_of(0);
  REQUIRE(look != nullptr);
  CHECK(facts->own.label(look->query) == "it");
  CHECK(facts->own.label(look->keys.front()) == "animal");
  CHECK(desk.says("The Reader, small"));
  CHECK(desk.says("Row it"));
  desk.check_layout();
}

TEST_CASE("lab: a cell under the mouse is told in words, and a click draws its head alone", "[lab]") {
  Desk desk("small-induction");
  // Copies of the window are without what the mouse does: the sentence's pixels change.
  const std::vector<PlacedText> texts = texts_of(desk);
  const auto sentence = std::ranges::find_if(
      texts, [](const PlacedText& text) { return text.text.starts_with("Row n, its second time"); });
  REQUIRE(sentence != texts.end());
  const auto letters = [&] {
    const Image window = desk.pixels();
    std::vector<Rgba> found;
    for (int y = static_cast<int>(sentence->y0); y <= static_cast<int>(sentence->y1); ++y)
      for (int x = static_cast<int>(sentence->x0); x <= static_cast<int>(sentence->x1); ++x)
        found.push_back(window.at(x, y));
    return found;
  };
  const std::vector<Rgba> before = letters();
  desk.move(desk.centre("Lab head L0H1"));
  desk.frame(2);
  CHECK(letters() != before);
  desk.leave();
  desk.frame(2);
  CHECK(letters() == before);
  click(desk, "Lab head L0H1");
  CHECK(desk.state().head == 1);
  CHECK_FALSE(desk.has("Lab head L0H0"));
  CHECK(desk.beside_heads("n") == 4);
  desk.check_layout();
  click(desk, "Lab head L0H1");
  CHECK(desk.state().head == -1);
  CHECK(desk.has("Lab head L0H0"));
}

TEST_CASE("lab: a phase change is a rise after a plateau, much faster than before", "[lab]") {
  const auto found = phase_change(two_jobs(), run_of({0.05, 0.06, 0.08, 0.1, 0.7, 0.9, 0.95}), 600);
  REQUIRE(found);
  CHECK(*found == PhaseChange{30, 40, 0.1, 0.7});
  CHECK_FALSE(phase_change(two_jobs(), run_of({0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6}), 600));     // even
  CHECK_FALSE(phase_change(two_jobs(), run_of({0.05, 0.8, 0.9, 0.92, 0.95, 0.97}), 600));      // no plateau
  CHECK_FALSE(phase_change(two_jobs(), run_of({0.05, 0.05, 0.06, 0.06, 0.2, 0.25}), 600));     // too little
  CHECK_FALSE(phase_change(two_jobs(), run_of({0.05, 0.06, 0.08, 0.1, 0.7, 0.9, 0.95}), 50));  // too long
  CHECK_FALSE(phase_change(two_jobs(), training::LabRun(), 600));
  CHECK(is_moving(two_jobs(), run_of({0.1, 0.2})));
  CHECK_FALSE(is_moving(two_jobs(), run_of({0.1, 0.12})));
  CHECK_FALSE(is_moving(two_jobs(), run_of({0.1})));
}

TEST_CASE("lab: the phase change is marked, and what was learned is said with its baseline", "[lab]") {
  Desk desk("small-induction");
  CHECK_FALSE(desk.says("phase change"));
  CHECK(desk.says("No head for “induction” yet"));
  desk.train(300);
  const auto found = phase_change(*desk.lab().task, desk.run(), desk.lab().recipe->steps);
  REQUIRE(found);
  CHECK(desk.says("phase change"));
  const std::string steps = grouped(found->from) + " … " + grouped(found->to);
  CHECK(desk.says(steps));
  CHECK(desk.says("formed, " + steps));
  const training::LabPoint& point = *desk.run().points.back();
  const auto best = best_head(*desk.lab().task, point);
  REQUIRE(best);
  CHECK(desk.lab().task->scores[static_cast<std::size_t>(best->score)].name == "induction");
  const auto score = static_cast<std::size_t>(best->score);
  CHECK(desk.says(fixed(point.metrics.scores[score][static_cast<std::size_t>(best->head)], 2) +
                  " of its weight; even weights give " + fixed(point.metrics.even_scores[score], 2)));
  desk.check_layout();
  // An earlier step has its own numbers.
  desk.state().step = 100;
  desk.settle();
  CHECK(desk.says("step 100: repeats " + fixed(desk.run().point_at(100)->metrics.groups[0].loss, 2)));
  CHECK(desk.says("No head for “induction” yet"));
  desk.check_layout();
}

TEST_CASE("lab: a branch that reads its answers is told beside its pictures", "[lab]") {
  Desk desk("small-induction");
  desk.train(100);
  desk.state().step = 100;
  desk.settle();
  click(desk, "Branch");
  click(desk, "Lab mask: None");
  desk.train(250);
  REQUIRE(desk.run().points.back()->metrics.groups[1].loss < 0.9 * *desk.lab().floor);
  CHECK(desk.says("Run B leaks"));
  CHECK(desk.says("below the floor of " + fixed(*desk.lab().floor, 3)));
  CHECK(desk.beside_heads("n") == 16);
  desk.check_layout();
}

TEST_CASE("lab: where the strip of time has no room, the column says what was learned", "[lab]") {
  Desk desk("two-jobs", 1280, 720);
  desk.train(300);
  desk.state().scroll = 4000;
  desk.settle();
  CHECK(desk.says("of its weight"));
}

TEST_CASE("lab: it goes slower while a score moves, unless that is switched off", "[lab]") {
  Desk desk("two-jobs");
  for (std::int64_t step = 25; step < 500 && !is_moving(*desk.lab().task, desk.run()); step += 25)
    desk.train(step);
  REQUIRE(is_moving(*desk.lab().task, desk.run()));
  REQUIRE(desk.run().step % 25 < 5);  // the next measurement is far
  const auto steps_in_eight_frames = [&] {
    const std::int64_t before = desk.run().step;
    desk.state().steps_a_frame = 1;
    desk.state().playing = true;
    for (int i = 0; i < 8; ++i) {
      desk.app().training().wait();
      desk.frame();
    }
    desk.state().playing = false;
    desk.settle();
    return desk.run().step - before;
  };
  CHECK(steps_in_eight_frames() == 2);
  click(desk, "Lab slows");
  CHECK_FALSE(desk.state().slows);
  CHECK(steps_in_eight_frames() == 8);
}

TEST_CASE("lab: a model opens at the head that learned most, on what it was shown on", "[lab]") {
  const TemporaryDirectory folder;
  Desk desk("small-induction");
  desk.train(300);
  const auto best = best_head(*desk.lab().task, *desk.run().points.back());
  REQUIRE(best);
  const ProbeText text = desk.probes().facts()->own;
  const ProbeText::Look look = *text.look_of(best->score);
  desk.state().models = folder.path();
  desk.state().scroll = 4000;
  desk.settle();
  click(desk, "Open as a model");
  desk.settle();
  REQUIRE(desk.app().view().mode == Mode::Model);
  const ModelContext& within = desk.document().within.read();
  REQUIRE(within);
  CHECK(within.block == best->head / 2);
  CHECK(desk.app().selection().head == best->head % 2);
  CHECK(within.input.text == text.words);
  const Cell cell = desk.app().selection().cell;
  CHECK(cell.query - cell.key == look.query - look.keys.front());
}

}  // namespace attnscope::lab_picture_test
