// app/pages/training: the task and its settings, the speed, changes during training, and the list of runs.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/pages/training/acts.hpp"
#include "app/pages/training/parts.hpp"
#include "app/training/run_words.hpp"
#include "core/document/enum_names.hpp"

namespace attnscope {
namespace {

/// Rows one below the other.
struct LabColumn {
  const TrainingPanels& panels;
  float x, y, width;

  const Ui& ui() const { return panels.ui(); }
  Box row(float high, float gap = 8) {
    const Box box{x, std::round(y), width, ui().px(high)};
    y += ui().px(high + gap);
    return box;
  }
  void title(std::string_view name, std::string_view note) {
    const Box box = row(22, 6);
    const float right = ui().text(box.right(), box.centre_y(), note,
                                  {type::tick, ui().theme.text3, Ink::Regular, Align::Right, box.w * 0.6f});
    ui().text(box.x, box.centre_y(), name,
              {type::label, ui().theme.text1, Ink::Semibold, Align::Left, box.w - right - ui().px(8)});
  }
  void end() {
    ui().horizontal(x, y, width, ui().theme.hairline);
    y += ui().px(12);
  }
  std::optional<std::int64_t> number(const char* label, std::string_view shown, std::int64_t value,
                                     const std::function<std::int64_t(int)>& next, const Tip& tip) {
    const Box box = row(26);
    ui().text(box.x, box.centre_y(), shown, {type::label, ui().theme.text2});
    return stepper(ui(), label, {box.right() - ui().px(108), box.y, ui().px(108), box.h}, value, next, tip);
  }
};

std::string_view position_words(Positions positions) {
  switch (positions) {
    case Positions::Learned: return "learned positions";
    case Positions::RopeHalf: return "RoPE";
    case Positions::Alibi: return "ALiBi";
    case Positions::Sinusoidal: return "sinusoidal positions";
    case Positions::None: return "no positions";
    default: return enum_name(positions).words;  // a network has none of them
  }
}

/// Lines of words whose columns stand below each other, as many as fit; words that do not count are dim.
struct SampleLine {
  const std::vector<std::string>& words;
  std::vector<std::uint8_t> counts;
};
void draw_sample_lines(LabColumn& c, std::span<const SampleLine> lines) {
  const Ui& ui = c.ui();
  std::vector<float> widths(lines[0].words.size());
  for (const SampleLine& line : lines)
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], ui.text_width(own(line.words[i]), type::tick, Ink::Semibold));
  if (const float widest = std::ranges::max(widths); widest < ui.px(16)) std::ranges::fill(widths, widest);
  for (const SampleLine& line : lines) {
    const Box row = c.row(17, 1);
    float x = row.x;
    for (std::size_t i = 0; i < widths.size() && x + widths[i] <= row.right(); ++i) {
      const bool counts = line.counts[i] != 0;
      if (!line.words[i].empty())
        ui.text(x + widths[i] / 2, row.centre_y(), own(line.words[i]),
                {type::tick, counts ? ui.theme.text1 : ui.theme.text3, counts ? Ink::Semibold : Ink::Regular,
                 Align::Centre});
      x += widths[i] + ui.px(4);
    }
  }
}

/// Two sequences that it trains on; where the answers are not the next tokens, one with its answers below.
void draw_samples(LabColumn& c) {
  const ProbeFacts* const facts = c.panels.scene.training->probes().facts();
  if (facts == nullptr || facts->samples.empty()) return;
  const training::TaskRow& task = *c.panels.lab.task;
  const std::string group(task.groups[static_cast<std::size_t>(task.goal_group)].name);
  const TaskSample &first = facts->samples.front(), &second = facts->samples.back();
  const Box head = c.row(18, 2);
  const float said = c.ui().text(head.right(), head.centre_y(), "what it trains on",
                                 {type::tick, c.ui().theme.text3, Ink::Regular, Align::Right, head.w / 2});
  c.ui().text(head.x, head.centre_y(), "Samples",
              {type::tick, c.ui().theme.text2, Ink::Medium, Align::Left, head.w - said - c.ui().px(8)});
  const bool next = first.says.empty();
  if (next) {
    for (const TaskSample* one : {&first, &second})
      draw_sample_lines(c, std::array{SampleLine{one->reads, one->counts}});
  } else {
    const std::vector<std::uint8_t> none(first.reads.size(), 0);
    draw_sample_lines(c, std::array{SampleLine{first.reads, none}, SampleLine{first.says, first.counts}});
  }
  c.y += c.ui().paragraph(c.x, c.y, c.width,
                          next ? "Bright: “" + inner(group) + "”, what accuracy counts."
                               : std::string("Above what it reads, below what it is to answer."),
                          {type::tick, c.ui().theme.text3}) +
         c.ui().px(6);
}

void draw_task(LabColumn& c) {
  const TrainingPanels& panels = c.panels;
  const training::Recipe& recipe = panels.recipe();
  const training::NetworkSpec& network = recipe.network;
  c.title("Task", grouped(panels.lab.weights) + " parameters");
  drop(c.ui(), "Lab task", c.row(30), lab_task_name(panels.state().task),
       {"Task", {}, "What the model learns; every one takes seconds to a minute.", {}}, [&] {
         for (const training::TaskRow& row : training::tasks()) {
           if (row.key == "text") continue;  // learns a text file: only on the command line
           if (!menu_row(c.ui(), std::string(lab_task_name(row.key)).c_str(), {},
                         row.key == panels.state().task))
             continue;
           panels.state().task = row.key;
           panels.state().control = false;
           panels.state().batch = 0;
         }
       });
  const Box facts = c.row(18, 2);
  const std::string d_k = "dₖ " + std::to_string(network.d_k());
  std::string sizes = counted(network.layers, "layer × ", "layers × ") +
                      counted(network.heads, "head", "heads") + "   ·   d " + std::to_string(network.width);
  std::string positions(position_words(network.positions));
  // In languages with longer words than English the last size does not fit in the first line.
  if (c.ui().text_width(sizes + "   ·   " + d_k, type::tick) <= c.width)
    sizes += "   ·   " + d_k;
  else
    positions = d_k + "   ·   " + positions;
  const TextStyle style{type::tick, c.ui().theme.text2, Ink::Regular, Align::Left, c.width};
  if (const std::string all = sizes + "   ·   " + positions; c.ui().text_width(all, type::tick) <= c.width) {
    c.ui().text(facts.x, facts.centre_y(), all, style);
    c.y += c.ui().px(4);
  } else {
    c.ui().text(facts.x, facts.centre_y(), sizes, style);
    const Box more = c.row(18, 6);
    c.ui().text(more.x, more.centre_y(), positions, style);
  }
  c.y += c.ui().paragraph(c.x, c.y, c.width,
                          panels.state().control ? panels.lab.task->control_words : panels.lab.task->about,
                          {type::tick, c.ui().theme.text2}) +
         c.ui().px(6);
  draw_samples(c);
  if (!panels.lab.task->control_words.empty()) {
    bool& control = panels.state().control;
    if (toggle(c.ui(), "Lab control", "the control that fails", c.row(26, 4), control,
               {"Control", {}, "The same task with one thing taken away that it needs.", {}}))
      control = !control;
  }
  c.end();
}

void draw_run(LabColumn& c) {
  const TrainingPanels& panels = c.panels;
  LabState& state = panels.state();
  const bool scrubbed = state.step && *state.step < panels.a->step;
  c.title("Run", scrubbed ? "looked back" : state.playing ? "training" : "paused");
  const Box row = c.row(34);
  const Box play{row.x, row.y, c.ui().px(56), row.h};
  const Box pace{play.right() + c.ui().px(8), row.y, row.right() - play.right() - c.ui().px(8), row.h};
  // While it trains no tip lies over the curves.
  const Tip tip = state.playing ? Tip() : Tip{"Train", {}, "Trains from the newest step on.", "Space"};
  if (button(c.ui(), "Train", play, tip, state.playing ? "❚❚" : "▶")) lab_play(panels.scene);
  constexpr std::array<std::string_view, 3> names{"Step", "Run", "Fast"};
  const std::array<Tip, 3> tips{Tip{"Step", {}, "One step, then it waits.", "S"},
                                Tip{"Run", {}, "Some steps between two pictures on the screen.", {}},
                                Tip{"Fast", {}, "As many steps as this machine can do.", {}}};
  if (const auto picked = segments(c.ui(), "Lab pace", pace, names, static_cast<int>(state.pace), tips))
    state.pace = static_cast<LabPace>(*picked);
  const Box at = c.row(20, 4);
  c.ui().text(at.x, at.centre_y(), "step", {type::label, c.ui().theme.text2});
  c.ui().text(at.right(), at.centre_y(), grouped(panels.step) + " of " + grouped(panels.recipe().steps),
              {type::label, c.ui().theme.query, Ink::Semibold, Align::Right});
  if (state.pace == LabPace::Run) {
    const auto steps = static_cast<float>(state.steps_a_frame);
    if (const auto moved =
            slider(c.ui(), "steps per frame", "steps per frame", std::to_string(state.steps_a_frame),
                   c.row(36, 4), steps,
                   {static_cast<float>(least_steps_a_frame), static_cast<float>(most_steps_a_frame),
                    static_cast<float>(usual_steps_a_frame), true},
                   state.steps_a_frame != usual_steps_a_frame,
                   {"Steps per frame", {}, "Slow enough to watch, or faster.", {}}))
      state.steps_a_frame =
          std::clamp(static_cast<int>(std::lround(*moved)), least_steps_a_frame, most_steps_a_frame);
  }
  if (state.pace == LabPace::Run &&
      toggle(c.ui(), "Lab slows", "slower while it turns", c.row(24, 4), state.slows,
             {"Slower while it turns",
              {},
              "Four times slower while accuracy or the score of a head changes by 0.05 or more from one "
              "measurement to the next.",
              {}}))
    state.slows = !state.slows;
  if (button(c.ui(), "Begin anew", c.row(28, 6),
             {"Begin anew", {}, "From step 0; the runs so far are removed.", {}}))
    lab_anew(panels.scene);
  c.end();
}

void draw_recipe(LabColumn& c) {
  const TrainingPanels& panels = c.panels;
  LabState& state = panels.state();
  c.title("Recipe", "begins anew");
  if (const auto seed = c.number(
          "lab seed", "seed", state.seed, [&](int by) { return std::max<std::int64_t>(0, state.seed + by); },
          {"Seed", {}, "Draws weights and data: the same seed gives the same run on this machine.", {}}))
    state.seed = std::max<std::int64_t>(0, *seed);
  const std::int64_t batch = panels.recipe().batch;
  if (const auto picked =
          c.number("lab batch", "batch", batch, [&](int by) { return by > 0 ? batch * 2 : batch / 2; },
                   {"Batch", {}, "Sequences in each step.", {}}))
    state.batch = std::clamp<std::int64_t>(*picked, 1, 1024);
  c.end();
}

/// The gradient that softmax passes on to the scores, at the shown step.
void draw_score_gradients(LabColumn& c) {
  const Ui& ui = c.ui();
  const training::LabRun* const run = c.panels.shown();
  const training::LabPoint* const point = run == nullptr ? nullptr : run->point_at(c.panels.step);
  if (point == nullptr) return;
  const training::ScoreGradients& of = point->metrics.score_gradients;
  const Box row = c.row(18, 4);
  const Ui::Touch touch = ui.touch("Lab score gradients", row, false);
  const std::string share = fixed(100 * of.vanished, 0) + " % < 1e−6";
  ui.text(row.x, row.centre_y(), "‖∂L/∂S‖", {type::tick, ui.theme.text2});
  ui.text(row.right(), row.centre_y(),
          own_number(c.panels.narrow ? share : tight(of.median) + "   ·   " + share),
          {type::tick, ui.theme.text1, Ink::Regular, Align::Right});
  tooltip(
      ui, touch.hovered, row,
      {"Score gradients",
       "median of ‖∂L/∂S‖ over rows",
       "How much gradient softmax passes on to a row of scores that sees two keys or more. A row that gets "
       "less than a millionth hardly learns any more where to look. In a model that has learned its task "
       "gradients are small as well.",
       {}});
}

void draw_operate(LabColumn& c) {
  const TrainingPanels& panels = c.panels;
  training::Knobs knobs = panels.lab.run()->knobs;
  const training::Knobs before = knobs;
  c.title("Operate", "from the next step");
  const double recipes = panels.recipe().optimiser.rate;
  if (const auto moved = lab_rate_slider(c.ui(), c.row(36, 4), knobs.rate_factor * recipes, recipes))
    knobs.rate_factor = *moved / recipes;
  if (toggle(
          c.ui(), "Lab scaled", "Divide by √dₖ", c.row(26, 4), knobs.operation.scaled,
          {"Divide by √dₖ", "S ÷ √dₖ", "Entropy, accuracy and the score gradients show what it is for.", {}}))
    knobs.operation.scaled = !knobs.operation.scaled;
  draw_score_gradients(c);
  const Box mask = c.row(28, 6);
  c.ui().text(mask.x, mask.centre_y(), "Mask", {type::label, c.ui().theme.text2});
  constexpr std::array<std::string_view, 2> kinds{"Causal", "None"};
  const Box which{mask.right() - c.ui().px(150), mask.y, c.ui().px(150), mask.h};
  if (const auto picked = segments(c.ui(), "Lab mask", which, kinds, knobs.operation.causal ? 0 : 1))
    knobs.operation.causal = *picked == 0;
  Box chip = c.row(24, 4);
  c.ui().text(chip.x, chip.centre_y(), "Mute", {type::label, c.ui().theme.text2});
  chip.x += c.ui().px(44);
  const float wide = c.ui().px(42);
  for (std::int64_t head = 0; head < panels.heads(); ++head) {
    if (chip.x + wide > c.x + c.width) {
      chip.x = c.x + c.ui().px(44);
      chip.y += c.ui().px(28);
      c.y += c.ui().px(28);
    }
    const std::string name = lab_head_name(panels.recipe(), head);
    const Box at{chip.x, chip.y, wide, chip.h};
    const auto& muted = knobs.operation.muted;
    const bool is_muted =
        static_cast<std::size_t>(head) < muted.size() && muted[static_cast<std::size_t>(head)] != 0;
    const Ui::Touch touch = c.ui().touch(("Mute " + name).c_str(), at);
    const Rgba hue = c.ui().theme.head(head);
    badge(c.ui(), at, own(name), is_muted ? c.ui().theme.control : fade(hue, touch.hovered ? 0.5f : 0.3f),
          is_muted ? c.ui().theme.text3 : hue);
    if (is_muted)
      c.ui().horizontal(at.x + c.ui().px(4), at.centre_y(), at.w - c.ui().px(8), c.ui().theme.text2);
    if (touch.focused) c.ui().frame(at.grown(c.ui().px(2)), c.ui().theme.query, c.ui().px(2), c.ui().px(4));
    tooltip(c.ui(), touch.hovered, at, {"Mute", {}, "The head gives zeros from the next step on.", {}});
    if (touch.clicked) lab_mute(panels.scene, head);
    chip.x += wide + c.ui().px(4);
  }
  if (!(knobs == before)) panels.scene.training->lab()->set_knobs(knobs);
  const std::string words = "Branch from step " + grouped(panels.step);
  if (button(c.ui(), "Branch", c.row(34, 4),
             {"Branch", {}, "A run of its own from here, to change one thing in; both curves stay.", "B"},
             words))
    lab_branch(panels.scene);
  c.end();
}

/// "from step 300 · no mask": each of these is translated by itself.
std::string run_words(const TrainingPanels& panels, const training::LabRun& run) {
  std::string words =
      run.parent < 0 ? "seed " + std::to_string(panels.recipe().seed) : "from step " + grouped(run.branch);
  const training::Operation& now = run.knobs.operation;
  if (!now.scaled) words += " · not divided by √dₖ";
  if (now.causal != panels.recipe().network.causal) words += now.causal ? " · causal" : " · no mask";
  const auto muted = std::ranges::count(now.muted, std::uint8_t{1});
  if (muted > 0) words += " · " + std::to_string(muted) + " muted";
  if (run.knobs.rate_factor != 1) words += " · rate × " + tight(run.knobs.rate_factor);
  return words;
}

void draw_runs(LabColumn& c) {
  const TrainingPanels& panels = c.panels;
  c.title("Runs", panels.lab.runs.size() > 1 ? "all stay" : "");
  const auto goal = static_cast<std::size_t>(panels.lab.task->goal_group);
  for (const training::LabRunPtr& run : panels.lab.runs) {
    const Box row = c.row(44, 4);
    const bool active = run->number == panels.lab.active;
    const std::string name(1, static_cast<char>('A' + run->number));
    const Ui::Touch touch = c.ui().touch(("Run " + name).c_str(), row);
    if (active || touch.hovered)
      c.ui().fill(row, active ? c.ui().theme.control : c.ui().theme.raised, c.ui().px(4));
    if (active) c.ui().fill({row.x, row.y, c.ui().px(2), row.h}, c.ui().theme.query);
    if (touch.focused) c.ui().frame(row, c.ui().theme.query, c.ui().px(2), c.ui().px(4));
    const Rgba colour = run.get() == panels.b   ? c.ui().theme.b
                        : run.get() == panels.a ? c.ui().theme.text1
                                                : c.ui().theme.text3;
    const float y = row.y + c.ui().px(14);
    c.ui().fill({row.x + c.ui().px(10), y - c.ui().px(1), c.ui().px(14), c.ui().px(3)}, colour, c.ui().px(1));
    c.ui().text(row.x + c.ui().px(32), y, own(name), {type::label, colour, Ink::Semibold});
    if (!run->points.empty())
      c.ui().text(row.right() - c.ui().px(8), y,
                  "acc " + fixed(run->points.back()->metrics.groups[goal].accuracy, 3),
                  {type::tick, c.ui().theme.text1, Ink::Medium, Align::Right});
    c.ui().text(row.x + c.ui().px(32), row.y + c.ui().px(32), run_words(panels, *run),
                {type::tick, c.ui().theme.text2, Ink::Regular, Align::Left, row.w - c.ui().px(40)});
    if (touch.clicked && !active) {
      panels.state().playing = false;
      panels.scene.training->lab()->choose(run->number);
    }
  }
  const Box row = c.row(28, 8);
  const float half = std::floor((row.w - c.ui().px(8)) / 2);
  if (button(c.ui(), "Open as a model", {row.x, row.y, half, row.h},
             {"Open as a model",
              {},
              "The active run as it is now, in Model mode: every head, the stream, what it predicts.",
              {}},
             "Open model"))
    lab_open_model(panels.scene);
  if (button(c.ui(), "Save the log", {row.x + half + c.ui().px(8), row.y, row.w - half - c.ui().px(8), row.h},
             {"Save the log", {}, "Every measurement as CSV.", {}}, "Log as CSV"))
    lab_save_log(panels.scene);
  if (!panels.lab.problem.empty())
    c.y += c.ui().paragraph(c.x, c.y, c.width, own(panels.lab.problem), {type::tick, c.ui().theme.error}) +
           c.ui().px(8);
}

/// What was learned, where the strip of time has no room for it.
void draw_learned(LabColumn& c) {
  const TrainingPanels& panels = c.panels;
  if (panels.has_verdicts) return;
  for (const LabVerdict& one : verdicts(c.ui(), panels.judged())) {
    const Box card{c.x, c.y, c.width, verdict_height(c.ui(), one, c.width)};
    draw_verdict(c.ui(), one, card);
    c.y += card.h + c.ui().px(8);
  }
}

}  // namespace

void draw_lab_controls(const TrainingPanels& panels, const Box& box) {
  const Ui& ui = panels.ui();
  ImGui::SetCursorScreenPos(box.min());
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(8));
  ImGui::BeginChild("lab controls", {box.w, box.h}, ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoBackground);
  keep_scroll(ui, panels.state().scroll);
  const float pad = ui.px(panels.narrow ? 12 : 16);
  LabColumn column{panels, box.x + pad, ImGui::GetCursorScreenPos().y + ui.px(10), box.w - 2 * pad};
  draw_task(column);
  draw_run(column);
  draw_recipe(column);
  draw_operate(column);
  draw_runs(column);
  if (std::size_t& due = panels.state().runs_due; due > 0 && panels.lab.runs.size() >= due)
    due = 0, panels.state().scroll += std::max(0.f, column.y - box.bottom()) / ui.scale();
  draw_learned(column);
  ImGui::SetCursorScreenPos({box.x, column.y});
  ImGui::Dummy({1, ui.px(4)});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace attnscope
