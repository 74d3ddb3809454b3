// app/state/teaching: which lesson asks before it shows what an experiment measures: the page of experiments
// leads there, the list of lessons back.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace attnscope {

/// The lesson about what an experiment shows.
struct LessonOfExperiment {
  std::int64_t experiment;  // its number
  std::string_view lesson;  // its file's name without extension
};
inline constexpr std::array<LessonOfExperiment, 15> lessons_of_experiments{{{1, "04-why-divide"},
                                                                            {2, "06-five-wrong-masks"},
                                                                            {3, "13-long-sequences"},
                                                                            {4, "13-long-sequences"},
                                                                            {5, "30-why-attention"},
                                                                            {6, "09-where-am-i"},
                                                                            {7, "30-why-attention"},
                                                                            {8, "14-generating-with-a-cache"},
                                                                            {9, "10-reading-a-matrix"},
                                                                            {10, "10-reading-a-matrix"},
                                                                            {11, "13-long-sequences"},
                                                                            {12, "08-what-entropy-tells"},
                                                                            {13, "07-many-heads"},
                                                                            {14, "08-what-entropy-tells"},
                                                                            {15, "09-where-am-i"}}};

}  // namespace attnscope
