// core/text: the grammar that hand-built embeddings use.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// The token with Unicode case folding, for comparisons ("The" and "the", "STRASSE" and "straße" become
/// equal).
std::string folded(std::string_view token);

/// English articles, pronouns, prepositions, conjunctions, auxiliaries and similar words, contracted or not
/// (it's, don't), and every token that begins with punctuation, such as "[pad]". All other tokens are content
/// words.
bool is_function_word(std::string_view token);

}  // namespace attnscope
