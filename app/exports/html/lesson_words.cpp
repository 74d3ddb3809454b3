#include "app/exports/html/lesson_words.hpp"

#include <fmt/format.h>

#include "app/kit/ui/own_words.hpp"

namespace attnscope {
namespace {

std::string lesson_said(const Words& words, std::string_view text) {
  std::string room;
  return plain(words.translated(text, room));
}

}  // namespace

HtmlLessonTexts html_lesson_texts(const Words& words) {
  const auto say = [&](std::string_view text) { return lesson_said(words, text); };
  return {{"one_file", say("one file, no network")},
          {"colours_name", say("Colours of the page")},
          {"light", say("light")},
          {"dark", say("dark")},
          {"steps_name", say("Steps of the lesson")},
          {"next", say("Next step")},
          {"back", say("Step before")},
          {"predict", say("Predict")},
          {"expect", say("what do you expect?")},
          {"chosen", say("chosen, not yet revealed")},
          {"revealed", say("revealed")},
          {"reveal", say("Reveal")},
          {"guess", say("your guess")},
          {"think", say("Think of it, then reveal.")},
          {"right", say("right")},
          {"wrong", say("not this one")},
          {"lid", say("covered until it is revealed")},
          {"task", say("To be done in AttnScope: open this file there.")},
          {"code", say("This step in code")},
          {"line", say("line")},
          {"gives", say("what it gives")},
          {"keys", say("Arrow keys go from step to step, digits choose, R reveals.")},
          {"how_title", say("How it was made")},
          {"inside_title", say("Inside this file")},
          {"inside", say("The session is inside, too: open this file in AttnScope and go on.")},
          {"old", say("This browser cannot unpack what is revealed.")}};
}

std::string html_lesson_made(const Words& words, std::string_view version) {
  return lesson_said(words, fmt::format("Made with AttnScope {}.", own(version)));
}

std::string html_step_alt(const Words& words, std::string_view title, bool covered) {
  std::string text = lesson_said(words, fmt::format("Picture of the step “{}”.", own(title)));
  if (covered) text.append(" ").append(lesson_said(words, "What is asked is covered."));
  return text;
}

std::string html_step_place(const Words& words, std::int64_t step, std::int64_t of) {
  return lesson_said(words, "step " + std::to_string(step) + " of " + std::to_string(of));
}

}  // namespace attnscope
