// The window's background work, driven as by its frames but without a window, all at the same time and with
// one pool: under the thread sanitizer (threads_tests) this finds data races.
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/files/folder.hpp"
#include "app/pages/experiments/experiment_runs.hpp"
#include "app/results/many_texts.hpp"
#include "app/results/model_comparison.hpp"
#include "app/results/result_stats.hpp"
#include "app/results/tiles.hpp"
#include "app/session/autosave.hpp"
#include "app/session/opening.hpp"
#include "app/state/window_state.hpp"
#include "app/training/training_runs.hpp"
#include "app/workspace/comparison.hpp"
#include "app/workspace/letting_go.hpp"
#include "core/base/error.hpp"
#include "core/engine/live_engine.hpp"
#include "core/engine/one_at_a_time.hpp"
#include "core/files/document/session_file.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/samples.hpp"
#include "support/letters_gpt.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::workers_test {
namespace {

using namespace attnscope::test;
using namespace std::chrono_literals;

constexpr int pool_threads = 3;

/// Frames until it is done, as long as a slow machine may take.
void frames_until(const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + 120s;
  while (!done()) {
    REQUIRE(std::chrono::steady_clock::now() < end);
    std::this_thread::sleep_for(1ms);
  }
}

Document document_of(std::int64_t heads, std::int64_t tokens, std::uint64_t seed = 5) {
  samples::Random random(seed);
  Document document;
  document.layer().positions = Positions::None;
  document.input.change<Given>().query = random.tensor({1, heads, tokens, 4});
  document.input.change<Given>().key = random.tensor({1, heads, tokens, 4});
  document.input.change<Given>().value = random.tensor({1, heads, tokens, 4});
  document.layer().masking.causal = true;
  return document;
}
constexpr std::int64_t long_tokens = 2111;  // eight heads of this many squared are more than can be kept

/// A layer's engine and the machine's backends, as the window has them.
struct Computing {
  SharedPool pool{pool_threads};
  std::vector<BackendChoice> choices{{"CPU", one_at_a_time(make_cpu_backend(pool)), {}, nullptr}};
  Backends backends{choices, pool};
  std::atomic<int> wakes{0};
  LiveEngine engine{choices.front().backend, [this] { ++wakes; }};
  BackgroundErrors errors{pool};

  ResultPtr computed(const Document& document) {
    engine.submit(document);
    engine.wait_idle();
    const ResultPtr result = engine.latest();
    REQUIRE(result->error.empty());
    return result;
  }
};

/// The lab with two runs of a small task.
struct Training {
  std::atomic<int> wakes{0};
  TrainingRuns runs;
  LabState state;
  explicit Training(const SharedPool& pool) : runs([this] { ++wakes; }, pool) {
    state.task = "two-jobs";
    state.pace = LabPace::Run;
    state.steps_a_frame = 2;
    state.playing = true;
    runs.follow(state);
  }
  training::Recipe small() const {
    training::Recipe recipe = recipe_of(state);
    recipe.steps = 4;
    recipe.measured_sequences = 16;
    return recipe;
  }
};

}  // namespace

TEST_CASE("what is let go of is destroyed by another thread, and only when it was the last reference",
          "[workers]") {
  std::atomic<int> destroyed = 0;
  std::thread::id by;
  const auto make = [&] {
    return std::shared_ptr<const int>(new int(3), [&](const int* number) {
      delete number;
      by = std::this_thread::get_id();
      ++destroyed;
    });
  };
  LettingGo let_go;
  std::shared_ptr<const int> one = make();
  const std::shared_ptr<const int> other = make();
  let_go(std::exchange(one, nullptr));
  let_go(other);
  let_go(nullptr);
  let_go.wait();
  CHECK(destroyed == 1);
  CHECK(by != std::this_thread::get_id());
  CHECK(*other == 3);
}

TEST_CASE("workers: a result's numbers, errors and differences are made while frames ask for them") {
  Computing computing;
  ShownResult shown;
  Comparison held;
  shown.show(computing.computed(document_of(4, 320)), computing.errors, computing.backends);
  held.expect(document_of(4, 320, 6), computing.engine, 0);
  std::string trouble;
  frames_until([&] { return held.take(computing.engine, computing.errors, computing.backends, 0, trouble); });
  CHECK(trouble.empty());
  ResultStats& stats = *shown.stats;
  stats.compare_with(held.result());
  REQUIRE(stats.can_compare());
  const Plane weights(Stage::Softmax), moved(Stage::Softmax, Plane::Kind::Difference),
      error(Stage::Softmax, Plane::Kind::Error);
  const auto ask = [&](std::int64_t head) {
    stats.begin_frame();
    for (const Plane plane : {weights, moved, error}) {
      stats.range(plane, 0, head);
      stats.histogram(plane, 0, head, {.low = 0, .high = 1, .bins = 20});
    }
    stats.weights(0, head);
    stats.kept(weights, 0, head, {.mass = 0.5f, .first = 0, .last = 320});
    return stats.moved(0, head);
  };
  for (int frame = 0; frame < 40; ++frame) ask(frame % 4);
  TotalVariationPtr variation;
  frames_until([&] {
    variation = ask(3);
    return variation && stats.tensor(error) && stats.tensor(moved) && !stats.is_computing();
  });
  CHECK(variation->mean > 0);
  computing.engine.submit(document_of(4, 320, 7));  // while the work on the old result still runs
  ask(1);
  shown.show(computing.computed(document_of(4, 320, 7)), computing.errors, computing.backends);
  held.swap(shown, computing.backends, 0);
  held.clear(computing.engine);
}

TEST_CASE("workers: tiles of A and B are made while their result is refined, training and a wall beside") {
  Computing computing;
  Training training(computing.pool);
  ShownResult a, b;
  training.runs.run_wall(training.small(), 2);
  computing.engine.submit(document_of(8, long_tokens));
  std::uint64_t seen = 0;
  const auto frame = [&] {
    training.runs.follow(training.state);
    const ResultPtr newest = computing.engine.latest_good();
    if (!newest) return;
    if (!a.result || newest->refinement != seen) {
      seen = newest->refinement;
      a.show(newest, computing.errors, computing.backends);
      b.show(newest, computing.errors, computing.backends);
    }
    for (const ShownResult* shown : {&a, &b}) {
      for (int level = 0; level < 4; ++level) shown->tiles->want(TilePlace{.head = 3, .level = level});
      shown->tiles->want(RowPlace{.head = 1, .query = 2000});
      shown->tiles->want(LinesPlace{.head = 2});
      shown->tiles->end_frame();
      shown->tiles->find(TilePlace{.head = 3});
    }
  };
  frames_until([&] {
    frame();
    return a.result && !computing.engine.busy() && !a.is_busy() && !b.is_busy() &&
           a.tiles->find(TilePlace{.head = 3, .level = 3}) && b.tiles->find(LinesPlace{.head = 2});
  });
  CHECK(a.tiles->take_error().empty());
  training.state.playing = false;
  training.runs.lab()->stop();
  training.runs.lab()->branch(0);
  training.runs.step_once();
  frames_until([&] {
    frame();
    return training.runs.wall().done() == 2;
  });
  training.runs.stop_wall();
  training.runs.wait();
  training.runs.follow(training.state);
  CHECK(training.runs.shown_lab().problem.empty());
  CHECK(training.wakes > 0);
}

TEST_CASE("workers: a model is compared with another while both run and what is shown changes") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters");
  const OpenedModelPtr model = open_whole_model(directory / "letters");
  const SharedPool pool(pool_threads);
  std::atomic<int> wakes{0};
  ModelEngine engine([&] { ++wakes; }, pool);
  ModelComparison comparison([&] { ++wakes; }, pool);
  const auto of_text = [&](const std::string& text) {
    Document document;
    ModelContext& within = document.within.change();
    within.model = model;
    within.input.text = text;
    return document;
  };
  const Document held = of_text("abcab dabc");
  comparison.hold(&held, 0, nullptr);
  const auto follow = [&] { comparison.follow({engine.latest_good(), true, 0}); };
  for (const char* text : {"ab", "abc", "abcd", "abcd eab"}) {
    engine.submit(of_text(text).within.read());
    for (int frame = 0; frame < 5; ++frame) {
      follow();
      engine.running_task();
      std::this_thread::sleep_for(1ms);
    }
  }
  comparison.cancel();
  follow();
  comparison.go_on();
  engine.wait_idle();
  frames_until([&] {
    follow();
    return comparison.is_settled() && comparison.held()->difference;
  });
  CHECK(comparison.held()->difference->is_complete);
  CHECK(comparison.held()->difference->error.empty());
  CHECK(wakes > 0);
  comparison.expect(of_text("cab"), 0);
  std::string trouble;
  frames_until([&] { return comparison.take_layer(trouble).has_value(); });
  CHECK(trouble.empty());
}

TEST_CASE("workers: experiments are measured while others are chosen") {
  std::atomic<int> wakes{0};
  ExperimentRuns runs([&] { ++wakes; });
  const std::span<const experiments::Experiment> all = experiments::all();
  for (std::size_t i = 0; i < 2 * all.size(); ++i) {
    const experiments::Experiment& experiment = all[i % all.size()];
    for (std::size_t frame = 0; frame < 3; ++frame) {
      runs.follow(&experiment, frame % experiment.values.size());
      std::this_thread::sleep_for(2ms);
    }
  }
  frames_until([&] {
    runs.follow(&all[0], 0);
    return runs.shown_experiment().known() > 0 && runs.shown_experiment().look;
  });
  CHECK(runs.shown_experiment().problem.empty());
  runs.follow(nullptr, 0);
}

TEST_CASE("workers: texts of a file run through a model while they are asked for again and stopped") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters");
  const OpenedModelPtr model = open_whole_model(directory / "letters");
  std::ofstream(directory / "texts") << "abc\nab dc\ncab\nabcd\nbad\n";
  const SharedPool pool(pool_threads);
  ManyTexts texts;
  const auto frame = [&] {
    texts.begin_frame();
    return std::tuple(texts.is_running(), texts.done(), texts.total(), texts.problem());
  };
  constexpr std::array kinds{ManyTextsKind::Scores, ManyTextsKind::Similarity, ManyTextsKind::Effects};
  for (std::size_t i = 0; i < 6; ++i) {
    texts.begin({model, directory / "texts", kinds[i % kinds.size()]}, pool);
    for (int k = 0; k < 3; ++k) frame();
    if (i % 3 == 2) texts.stop();
  }
  texts.begin({model, directory / "texts", ManyTextsKind::Scores}, pool);
  frames_until([&] { return !std::get<0>(frame()); });
  REQUIRE(texts.problem() == "");
  REQUIRE(texts.reading() != nullptr);
  CHECK(texts.reading()->list.texts.size() == 5);
}

TEST_CASE("workers: sessions are kept and opened, and folders read, while more is asked for") {
  const TemporaryDirectory directory;
  Autosave autosave(directory / "state");
  Autosave::State state{document_of(2, 40), "{}", std::nullopt};
  for (std::uint64_t i = 0; i < 20; ++i) {
    state.document = document_of(2, 40, i);
    autosave.write(state);
    CHECK(autosave.trouble().empty());
  }
  autosave.wait();
  write_letters_gpt(directory / "letters");
  const ViewState view;
  for (const std::filesystem::path& path : {autosave.file(), directory / "letters", directory / "none"}) {
    const Opening let_go(path, {}, view);
    Opening opening(path, {}, view);
    frames_until([&] {
      opening.share();
      return opening.is_ready();
    });
    if (path == directory / "none") {
      CHECK_THROWS_AS(opening.take(), Error);
    } else {
      opening.take();
    }
  }
  FolderReader reader;
  FolderReading reading;
  for (int i = 0; i < 20; ++i) {
    reading = reader.read(directory.path());
    reading.count();
  }
  REQUIRE(reading.wait(120s));
  CHECK(reading.folder().entries.size() == 2);
}

}  // namespace attnscope::workers_test
