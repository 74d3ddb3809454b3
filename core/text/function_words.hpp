// core/text: the little grammar that hand-built embeddings know.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// The token as comparisons see it: Unicode case folding ("The" and "the", "STRASSE" and "straße" are one).
std::string folded(std::string_view token);

/// English articles, pronouns, prepositions, conjunctions, auxiliaries and the like, contracted or not (it's,
/// don't), and every token that begins with punctuation, "[pad]" among them. All else counts as a content
/// word.
bool is_function_word(std::string_view token);

}  // namespace attnscope
