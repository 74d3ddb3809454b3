// app/pages/lessons: the page's entries in the palette, besides its actions.
#include "app/kit/ui/own_words.hpp"
#include "app/pages/lessons/facts.hpp"
#include "app/pages/lessons/step/acts.hpp"
#include "app/state/window_state.hpp"
#include "app/views/palette/entries.hpp"
#include "core/experiments/experiment.hpp"
#include "core/text/letters.hpp"

namespace attnscope {
namespace {

/// German search terms for lessons without a German text.
std::string german_words_of(const lessons::LessonEntry& entry) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> terms{
      {{"induction", "induktion"},
       {"entrop", "entropie"},
       {"sink", "senke"},
       {"temperature", "temperatur"},
       {"mask", "maske"},
       {"head", "kopf köpfe"},
       {"layer", "schicht"},
       {"weight", "gewicht"},
       {"position", "position stelle"},
       {"cache", "zwischenspeicher"},
       {"prun", "kürzen beschneiden"},
       {"picture", "bild"}}};
  const std::string said = search_form(entry.title + " " + entry.about + " " + entry.name);
  std::string words;
  for (const auto& [english, german] : terms)
    if (said.find(english) != std::string::npos) words += " " + std::string(german);
  return words;
}

}  // namespace

/// No page knows another one: the palette's row opens it.
void open_experiment_numbered(Scene& scene, std::int64_t number) {
  const auto all = experiments::all();
  if (number < 1 || number > std::ssize(all)) return;
  const std::string label = "experiment " + std::string(all[static_cast<std::size_t>(number - 1)].name);
  for (const PaletteEntry& entry : palette_entries(scene))
    if (entry.label == label) return entry.run(scene);
}

void add_lessons_to_palette(const Shown& shown, std::vector<PaletteEntry>& all) {
  if (shown.lesson == nullptr || shown.lesson->entries == nullptr || shown.lesson->courses == nullptr) return;
  for (const lessons::Course& course : *shown.lesson->courses) {
    if (!course.problem.empty()) continue;
    std::string chapters = course.about;
    for (const lessons::CourseChapter& chapter : course.chapters)
      chapters += " " + chapter.title + " " + chapter.keep;
    all.push_back({own(course.title), "course", "course hour class teach stunde kurs unterricht",
                   [name = course.name](Scene& now) { now.requests.course = CourseRequest{name}; }, false,
                   "course " + course.name, std::move(chapters)});
  }
  for (const lessons::LessonEntry& entry : *shown.lesson->entries)
    if (entry.problem.empty())
      all.push_back({own(entry.title), "lesson", entry.about,
                     [name = entry.name](Scene& now) {
                       now.view.mode = Mode::Lessons;
                       now.requests.lesson = LessonRequest{name, 0};
                     },
                     false, "lesson " + entry.name, german_words_of(entry)});
}

}  // namespace attnscope
