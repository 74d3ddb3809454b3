#include "app/lessons/check.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/files/paths.hpp"
#include "app/lessons/course.hpp"
#include "app/lessons/given_away.hpp"
#include "app/lessons/lesson_model.hpp"
#include "app/lessons/lesson_numbers.hpp"
#include "app/lessons/model_numbers.hpp"
#include "app/lessons/step_checker.hpp"
#include "app/lessons/training_numbers.hpp"
#include "core/base/error.hpp"
#include "core/edits/switches.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/document/open.hpp"

namespace attnscope::lessons {
namespace {

/// Whether the page has words of its own for the difference between the two sides.
bool differ_in_words(const Document& a, const Document& b) {
  const auto &x = a.layer(), &y = b.layer();
  const auto has_positions = [](const auto& layer) { return layer.positions != Positions::None; };
  const auto adds = [](const auto& layer) {
    return layer.block.attention_residual && layer.block.mlp_residual;
  };
  return edit::is_divided(a) != edit::is_divided(b) || x.masking.causal != y.masking.causal ||
         x.temperature != y.temperature || has_positions(x) != has_positions(y) || x.linear != y.linear ||
         x.block.kind != y.block.kind || (x.block.norm != y.block.norm && has_block(x.block)) ||
         adds(x) != adds(y) || x.block.mlp != y.block.mlp || (a.input.cached > 0) != (b.input.cached > 0);
}

/// Collects the findings about the steps of one lesson, from the first to the last.
class LessonCheck {
 public:
  LessonCheck(const Lesson& lesson, std::string name, CheckedLesson& found, const SeeStep& seer)
      : lesson_(lesson), name_(std::move(name)), found_(found), seer_(seer) {}

  const Lesson& lesson() const { return lesson_; }
  const std::string& name() const { return name_; }
  StepChecker checker(const Step& step) { return {name_, step, found_.problems}; }
  void add_problem(int line, std::string_view sentence) {
    found_.problems.push_back(fmt::format("{}:{}: {}", name_, line, sentence));
  }
  /// Takes the next step, which is computed: compares its question with what can be read on it and on the
  /// step before.
  void see(ShownStep step) {
    for (std::string& one : step.given_away(name_, before_ ? &*before_ : nullptr))
      found_.warnings.push_back(std::move(one));
    before_ = std::move(step);
  }
  /// Shows the step, which was checked, to the caller.
  void show(const Step& step, const StepChecker& checked, const LayerResult* layer) const {
    const auto at = static_cast<std::size_t>(&step - lesson_.steps.data());
    if (seer_) seer_({lesson_, at, checked.numbers(), layer});
  }
  void check_titles(const Step& step, const StepDocuments& documents) {
    if (!documents.held || !step.title_shown.empty() || !step.title_held.empty()) return;
    if (differ_in_words(documents.shown, *documents.held)) return;
    found_.warnings.push_back(fmt::format(
        "{}:{}: What is held has no title, and the page no word for how it differs: \"title\" and "
        "\"held title\" in \"look\" say it.",
        name_, step.held_place.line));
  }

 private:
  const Lesson& lesson_;
  std::string name_;
  CheckedLesson& found_;
  const SeeStep& seer_;
  std::optional<ShownStep> before_;
};

void check_layers(LessonCheck& all) {
  const std::vector<StepDocuments> documents = documents_of(all.lesson(), all.name());
  const SharedPool pool;
  Pipeline shown(make_cpu_backend(pool)), held(make_cpu_backend(pool)), changed(make_cpu_backend(pool));
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Step& step = all.lesson().steps[i];
    const JsonPlace* place = nullptr;  // of the Document that is computed, if it is not the step's own
    try {
      const ResultPtr a = shown.run(documents[i].shown);
      place = &step.held_place;
      const ResultPtr b = documents[i].held ? held.run(*documents[i].held) : nullptr;
      place = nullptr;
      const LayerResult* const of_b = b ? &b->layer() : nullptr;
      StepChecker checker = all.checker(step);
      checker.check(a->layer(), of_b);
      all.show(step, checker, &a->layer());
      all.check_titles(step, documents[i]);
      all.see({step, checker.numbers(), a->layer().dimensions.keys, of_b != nullptr, {a, b}});
      if (!documents[i].reached) continue;
      place = &step.done_by_place;
      const ResultPtr c = changed.run(*documents[i].reached);
      checker.check_reached(c->layer(), of_b);
    } catch (const Error& error) {
      all.add_problem(place != nullptr ? place->line_of(error) : line_of_document(all.lesson(), i, error),
                      error.what());
    }
  }
}

/// A Document of a model, computed: the model's reading, and the layer that is looked at.
struct InModel {
  ModelReadingPtr reading;
  ResultPtr layer;
};
InModel computed_in(ModelEngine& engine, Pipeline& pipeline, const Document& document, const Step& step) {
  engine.submit(document.within.read(), wants_of(step, document.within.read()));
  engine.wait_idle();
  InModel made{engine.latest(), nullptr};
  if (!made.reading->error.empty()) throw Error(made.reading->error);
  if (!made.reading->layer_problem.empty()) throw Error(made.reading->layer_problem);
  made.layer = pipeline.run(made.reading->layer);
  return made;
}

void check_in_model(LessonCheck& all, const std::filesystem::path& model, const std::filesystem::path& path) {
  const Lesson& lesson = all.lesson();
  const std::vector<StepDocuments> documents =
      placed_in(open_whole_model(model), lesson, documents_of(lesson, all.name()), path);
  const SharedPool pool;
  ModelEngine engine({}, pool);
  Pipeline pipeline(make_cpu_backend(pool));
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Step& step = lesson.steps[i];
    bool is_reached = false;
    try {
      StepChecker checker = all.checker(step);
      const InModel shown = computed_in(engine, pipeline, documents[i].shown, step);
      const LayerResult& layer = shown.layer->layer();
      checker.check(layer, nullptr, shown.reading.get());
      all.show(step, checker, &layer);
      all.see({step, checker.numbers(), layer.dimensions.keys, false, {shown.reading, shown.layer}});
      if (!documents[i].reached) continue;
      is_reached = true;
      const InModel reached = computed_in(engine, pipeline, *documents[i].reached, step);
      checker.check_reached(reached.layer->layer(), nullptr, reached.reading.get());
    } catch (const Error& error) {
      all.add_problem(is_reached ? step.done_by_place.line_of(error) : line_of_document(lesson, i, error),
                      error.what());
    }
  }
}

/// Waits until nothing trains. Throws Cancelled after a stop; the lab then stops within a step of training.
void wait_for(const training::Lab& lab, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds between_looks{20};
  if (!stop.stop_possible()) return lab.wait();
  while (lab.is_busy()) {
    if (stop.stop_requested()) throw Cancelled();
    std::this_thread::sleep_for(between_looks);
  }
}

/// Does the step's task as "by" describes, on the run that trains.
void do_in_lab(training::Lab& lab, const TrainedStep& step, const std::string& by,
               const std::stop_token& stop) {
  const ReachedBy reached = reached_by(by);
  LabState state = state_of(step, {});
  if (reached.seed) state.seed = *reached.seed;
  if (reached.seed) lab.stand(stand_of(step, state));
  wait_for(lab, stop);
  if (!reached.knobs.empty()) {
    const training::ShownLab shown = lab.shown_lab();
    lab.set_knobs(turned(shown.run()->knobs, *shown.recipe, reached.knobs));
  }
  if (reached.steps) lab.train(*reached.steps);
  wait_for(lab, stop);
}

/// Trains every run of the lesson.
void check_training(LessonCheck& all, const std::stop_token& stop) {
  training::Lab lab;
  for (const Step& step : all.lesson().steps) {
    int line = step.line;
    try {
      lab.stand(stand_of(step.trained, state_of(step.trained, {})));
      wait_for(lab, stop);
      const training::ShownLab shown = lab.shown_lab();
      if (!shown.problem.empty()) throw Error(shown.problem);
      StepChecker checker = all.checker(step);
      checker.check(look_up_in_training(shown));
      all.show(step, checker, nullptr);
      all.see({step, checker.numbers(), 0, false, {}});
      if (step.done_by.empty()) continue;
      line = step.done_by_place.line;
      do_in_lab(lab, step.trained, step.done_by, stop);
      const training::ShownLab reached = lab.shown_lab();
      checker.check_reached(look_up_in_training(reached));
    } catch (const Error& error) {
      all.add_problem(line, error.what());
    }
  }
}

/// Without the model, checks only that all names of numbers are known.
void check_names(LessonCheck& all) {
  documents_of(all.lesson(), all.name());
  const std::vector<KnownName> of_layer = known_names();
  for (const Step& step : all.lesson().steps)
    for (const Expression::Name& asked : names_in(step)) {
      const std::string_view plain = name_parts(asked.name).name;
      const bool is_known =
          is_model_name(plain) || std::ranges::any_of(of_layer, [&](const KnownName& known) {
            return known.call.substr(0, known.call.find('(')) == plain;
          });
      if (!is_known)
        all.add_problem(asked.line, fmt::format("\"{}\" is no number of what is shown; \"attnscope lesson "
                                                "names\" lists what there is.",
                                                plain));
    }
}

}  // namespace

CheckedLesson check_lesson(const std::filesystem::path& path, const SeeStep& see,
                           const std::stop_token& stop) {
  CheckedLesson found;
  const std::string name = path.filename().native();
  try {
    if (is_course(path)) {
      const Course course = read_course(path, assets_directory() / "lessons");
      found.course = fmt::format("a course of {} chapters, {} stops and {} minutes", course.chapters.size(),
                                 course.stops.size(), course.minutes());
      return found;
    }
    const Lesson lesson = read_lesson(path);
    found.warnings = silent_choices(lesson, name);
    LessonCheck all(lesson, name, found, see);
    found.trained = lesson.of_training();
    if (lesson.of_training()) {
      check_training(all, stop);
    } else if (!lesson.of_model()) {
      check_layers(all);
    } else if (const auto model = find_model(lesson.model, path, assets_directory())) {
      check_in_model(all, *model, path);
    } else {
      check_names(all);
      found.played = false;
    }
  } catch (const Error& error) {
    found.problems.emplace_back(error.what());
  }
  return found;
}

std::string lesson_skeleton(const Document& document) {
  return fmt::format(R"x(---
lesson: A lesson of my own
number: 1
minutes: 5
---

```start
{}
```

# What is asked

## The first step

Words, with **strong** ones, a formula $softmax(QKᵀ/√dₖ)V$ and a number that is computed: the largest weight of
[query 1](query 1) is {{largest(1):.2f}}.

```look
stage: weights
head: 0
cell: 1, 0
show: scaling
```

```notes
What only the speaker reads.
```

## Take the division away

```set
{{"scale": 1.0}}
```

Scores are not divided by √dₖ any more: the row's entropy is {{entropy(1):.2f}} nats, and uniform attention would have
{{ln(allowed(1)):.2f}}.

```look
stage: weights
cell: 1, 0
show: scaling
cover: no
```

```ask choose
What does dividing do to the gaps between scores?
- It makes them larger. | √dₖ is above 1: what is divided by it gets smaller, and so do the gaps.
* It makes them smaller.
answer: Smaller gaps are smaller ratios of weights.
```

```done
divided
Divide by √dₖ again.
by: {{"scale": "1/sqrt(d_k)"}}
```
)x",
                     to_json(document));
}

}  // namespace attnscope::lessons
