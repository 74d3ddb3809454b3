#include "app/lessons/check.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/files/paths.hpp"
#include "app/lessons/lesson_model.hpp"
#include "app/lessons/lesson_numbers.hpp"
#include "app/lessons/model_numbers.hpp"
#include "app/lessons/step_checker.hpp"
#include "app/lessons/training_numbers.hpp"
#include "core/base/error.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/document/open.hpp"

namespace attnscope::lessons {
namespace {

void check_layers(const Lesson& lesson, const std::string& name, std::vector<std::string>& problems) {
  const std::vector<StepDocuments> documents = documents_of(lesson, name);
  const SharedPool pool;
  Pipeline shown(make_cpu_backend(pool)), held(make_cpu_backend(pool)), changed(make_cpu_backend(pool));
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Step& step = lesson.steps[i];
    try {
      const ResultPtr a = shown.run(documents[i].shown);
      const ResultPtr b = documents[i].held ? held.run(*documents[i].held) : nullptr;
      const LayerResult* const of_b = b ? &b->layer() : nullptr;
      StepChecker checker(name, step, problems);
      checker.check(a->layer(), of_b);
      if (!documents[i].reached) continue;
      const ResultPtr c = changed.run(*documents[i].reached);
      checker.check_reached(c->layer(), of_b);
    } catch (const Error& error) {
      problems.push_back(fmt::format("{}:{}: {}", name, step.line, error.what()));
    }
  }
}

/// A Document in a model, computed: what is read off the model, and the layer that is looked at.
struct InModel {
  ModelReadingPtr reading;
  ResultPtr layer;
};
InModel computed_in(ModelEngine& engine, Pipeline& pipeline, const Document& document, const Step& step) {
  engine.submit(document.within.read(), wants_of(step));
  engine.wait_idle();
  InModel made{engine.latest(), nullptr};
  if (!made.reading->error.empty()) throw Error(made.reading->error);
  if (!made.reading->layer_problem.empty()) throw Error(made.reading->layer_problem);
  made.layer = pipeline.run(made.reading->layer);
  return made;
}

void check_in_model(const Lesson& lesson, const std::filesystem::path& model,
                    const std::filesystem::path& path, std::vector<std::string>& problems) {
  const std::string name = path.filename().native();
  const std::vector<StepDocuments> documents =
      placed_in(open_whole_model(model), lesson, documents_of(lesson, name), path);
  const SharedPool pool;
  ModelEngine engine({}, pool);
  Pipeline pipeline(make_cpu_backend(pool));
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Step& step = lesson.steps[i];
    try {
      StepChecker checker(name, step, problems);
      const InModel shown = computed_in(engine, pipeline, documents[i].shown, step);
      checker.check(shown.layer->layer(), nullptr, shown.reading.get());
      if (!documents[i].reached) continue;
      const InModel reached = computed_in(engine, pipeline, *documents[i].reached, step);
      checker.check_reached(reached.layer->layer(), nullptr, reached.reading.get());
    } catch (const Error& error) {
      problems.push_back(fmt::format("{}:{}: {}", name, step.line, error.what()));
    }
  }
}

/// What is to be done, done as "by" says on the run that trains.
void do_in_lab(training::Lab& lab, const TrainedStep& step, const std::string& by) {
  const ReachedBy reached = reached_by(by);
  LabState state = state_of(step, {});
  if (reached.seed) state.seed = *reached.seed;
  if (reached.seed) lab.stand(stand_of(step, state));
  lab.wait();
  if (!reached.knobs.empty()) {
    const training::LabSight sight = lab.sight();
    lab.set_knobs(turned(sight.run()->knobs, *sight.recipe, reached.knobs));
  }
  if (reached.steps) lab.train(*reached.steps);
  lab.wait();
}

/// Trains every run of the lesson.
void check_training(const Lesson& lesson, const std::string& name, std::vector<std::string>& problems) {
  training::Lab lab;
  for (const Step& step : lesson.steps) {
    try {
      lab.stand(stand_of(step.trained, state_of(step.trained, {})));
      lab.wait();
      const training::LabSight shown = lab.sight();
      if (!shown.problem.empty()) throw Error(shown.problem);
      StepChecker checker(name, step, problems);
      checker.check(look_up_in_training(shown));
      if (step.done_by.empty()) continue;
      do_in_lab(lab, step.trained, step.done_by);
      const training::LabSight reached = lab.sight();
      checker.check_reached(look_up_in_training(reached));
    } catch (const Error& error) {
      problems.push_back(fmt::format("{}:{}: {}", name, step.line, error.what()));
    }
  }
}

/// Without the model: that every number has a name.
void check_names(const Lesson& lesson, const std::string& name, std::vector<std::string>& problems) {
  documents_of(lesson, name);
  const std::vector<KnownName> of_layer = known_names();
  for (const Step& step : lesson.steps)
    for (const Expression::Name& asked : names_in(step)) {
      const std::string_view plain = name_parts(asked.name).name;
      const bool is_known =
          is_model_name(plain) || std::ranges::any_of(of_layer, [&](const KnownName& known) {
            return known.call.substr(0, known.call.find('(')) == plain;
          });
      if (!is_known)
        problems.push_back(
            fmt::format("{}:{}: \"{}\" is no number of what is shown; \"attnscope lesson names\" "
                        "lists what there is.",
                        name, step.line, plain));
    }
}

}  // namespace

std::vector<std::string> check_lesson(const std::filesystem::path& path, bool* played, bool* trained) {
  std::vector<std::string> problems;
  const std::string name = path.filename().native();
  if (played != nullptr) *played = true;
  try {
    const Lesson lesson = read_lesson(path);
    if (trained != nullptr) *trained = lesson.of_training();
    if (lesson.of_training()) {
      check_training(lesson, name, problems);
    } else if (!lesson.of_model()) {
      check_layers(lesson, name, problems);
    } else if (const auto model = find_model(lesson.model, path, assets_directory())) {
      check_in_model(lesson, *model, path, problems);
    } else {
      check_names(lesson, name, problems);
      if (played != nullptr) *played = false;
    }
  } catch (const Error& error) {
    problems.emplace_back(error.what());
  }
  return problems;
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
- It makes them larger.
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
