#include "core/text/function_words.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

namespace attnscope {
namespace {

constexpr std::string_view function_words[] = {
    "a",        "about",   "above",      "after",     "again",    "against",   "all",      "also",
    "although", "am",      "an",         "and",       "any",      "are",       "as",       "at",
    "be",       "because", "been",       "before",    "being",    "below",     "beneath",  "beside",
    "between",  "beyond",  "both",       "but",       "by",       "can",       "could",    "despite",
    "did",      "do",      "does",       "down",      "during",   "each",      "either",   "else",
    "every",    "few",     "for",        "from",      "had",      "has",       "have",     "he",
    "hence",    "her",     "hers",       "herself",   "him",      "himself",   "his",      "how",
    "i",        "if",      "in",         "inside",    "into",     "is",        "it",       "its",
    "itself",   "just",    "may",        "me",        "might",    "mine",      "more",     "most",
    "much",     "must",    "my",         "myself",    "near",     "neither",   "no",       "nor",
    "not",      "of",      "off",        "on",        "once",     "one",       "only",     "onto",
    "or",       "other",   "ought",      "our",       "ours",     "ourselves", "out",      "outside",
    "over",     "own",     "per",        "rather",    "same",     "shall",     "she",      "should",
    "since",    "so",      "some",       "such",      "than",     "that",      "the",      "their",
    "theirs",   "them",    "themselves", "then",      "there",    "these",     "they",     "this",
    "those",    "though",  "through",    "thus",      "to",       "too",       "toward",   "towards",
    "under",    "unless",  "until",      "up",        "upon",     "us",        "very",     "via",
    "was",      "we",      "were",       "what",      "whatever", "when",      "whenever", "where",
    "whether",  "which",   "while",      "who",       "whoever",  "whom",      "whose",    "why",
    "will",     "with",    "within",     "without",   "wo",       "would",     "yet",      "you",
    "your",     "yours",   "yourself",   "yourselves"};
static_assert(std::ranges::is_sorted(function_words));  // for the binary search

bool listed(std::string_view word) { return std::ranges::binary_search(function_words, word); }

bool begins_with_punctuation(std::string_view token) {
  utf8proc_int32_t character = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(token.data());
  if (utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(token.size()), &character) <= 0) return false;
  const utf8proc_category_t category = utf8proc_category(character);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

}  // namespace

std::string folded(std::string_view token) {
  utf8proc_uint8_t* bytes = nullptr;
  const auto* source = reinterpret_cast<const utf8proc_uint8_t*>(token.data());
  const auto size = static_cast<utf8proc_ssize_t>(token.size());
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_CASEFOLD | UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  const utf8proc_ssize_t length = utf8proc_map(source, size, &bytes, options);
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owner(bytes, &std::free);
  if (length < 0) return std::string(token);
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length)};
}

bool is_function_word(std::string_view token) {
  if (begins_with_punctuation(token)) return true;
  const std::string word = folded(token);
  if (listed(word)) return true;
  const std::size_t apostrophe = std::min(word.find('\''), word.find("\u2019"));
  if (apostrophe == std::string::npos) return false;
  const std::string_view stem = std::string_view(word).substr(0, apostrophe);               // it's, can't
  return listed(stem) || (stem.ends_with('n') && listed(stem.substr(0, stem.size() - 1)));  // don't, won't
}

}  // namespace attnscope
