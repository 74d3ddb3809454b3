// tests: Documents for edits of numbers, and what an edit changed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/numbers.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/document/open.hpp"
#include "core/samples.hpp"

namespace attnscope::test {

inline Document sentence(Recipe recipe, std::vector<std::string> texts = {"The cat sat on the mat"}) {
  return edit::recipe(edit::texts({}, texts), recipe);
}

inline Document given_document() {
  samples::Random random(5);
  Document document = samples::given_document(random.tensor({2, 4, 3, 2}), random.tensor({2, 2, 5, 2}),
                                              random.tensor({2, 2, 5, 3}));
  document.input.change<Given>().past_key = random.tensor({2, 2, 1, 2});
  document.input.change<Given>().past_value = random.tensor({2, 2, 1, 3});
  return document;
}

inline ResultPtr computed(const Document& document) { return Pipeline(make_cpu_backend(1)).run(document); }

/// The numbers of every block that exists.
inline std::map<Editable, Tensor> all_numbers(const Document& document) {
  std::map<Editable, Tensor> found;
  for (std::size_t i = 0; i < editable_count; ++i) {
    const auto block = static_cast<Editable>(i);
    if (const TensorPtr numbers = numbers_of(document, block)) found.emplace(block, *numbers);
  }
  return found;
}

inline std::size_t differences(const Tensor& a, const Tensor& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.values().size(); ++i) count += a.values()[i] != b.values()[i];
  return count;
}

inline std::string refusal(const auto& edit) {
  try {
    edit();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

/// Whether all numbers are equal, and their recipes, too.
inline bool same_picture(const Document& a, const Document& b) { return to_json(a) == to_json(b); }

}  // namespace attnscope::test
