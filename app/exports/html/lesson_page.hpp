// app/exports/html: a lesson, or some of its steps, as one HTML file: text, picture, question, lid and
// reveal, with the step's weights as matrices to point at. The page's frame is assets/html/lesson.html.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/exports/html/page_data.hpp"
#include "app/kit/ui/words.hpp"
#include "app/lessons/told_step.hpp"

namespace attnscope {

/// The picture of a step as the bytes of PNG files.
struct HtmlLessonPicture {
  std::string light, dark;  // dark empty: only paper shows it, and paper is light
};

struct HtmlLessonStep {
  std::int64_t number = 0;      // of the step in its lesson, from 1
  ToldStep told, revealed;      // before and after the reveal; equal if the step asks nothing
  HtmlLessonPicture picture;    // as told
  HtmlLessonPicture answer;     // as revealed; empty if nothing is covered
  std::vector<HtmlPage> sides;  // of revealed.sides
};

struct HtmlLesson {
  std::string title, about;
  std::int64_t number = 0;     // of the lesson; 0: none
  std::int64_t steps_all = 0;  // of the lesson, of which some may be left out
  std::string language;        // of the lesson's own words
  std::vector<HtmlLessonStep> steps;
  std::string session;  // its JSON
};

/// The file's bytes, in the language of `words`, whose code is `language`. Revealed contents are packed, so
/// that they cannot be read in the file, nor in the alt texts. Throws Error if the page in `assets`/html
/// cannot be read, and Cancelled.
std::string html_lesson_file(const HtmlLesson&, const Words& words, std::string_view language,
                             const std::filesystem::path& assets, const std::stop_token& stop = {},
                             const std::function<void(double)>& share = {});

/// Prose as HTML.
std::string html_prose(const ToldProse&, const Words&);

}  // namespace attnscope
