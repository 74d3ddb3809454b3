#include "core/tokenizers/text/unicode_forms.hpp"

#include <algorithm>
#include <vector>

#include <utf8proc.h>

#include "core/base/error.hpp"

namespace attnscope::tokenizers {
namespace {

/// A character of the new text; it consumes `takes` characters of the old one, or none if it is inserted.
struct FormCharacter {
  char32_t value;
  int takes;
  int combining_class;
};

int combining_class(char32_t character) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(character))->combining_class;
}

/// The decomposition in canonical order.
std::vector<FormCharacter> decomposed(std::string_view text, bool compatibility) {
  std::vector<FormCharacter> made;
  made.reserve(text.size());
  const auto options = static_cast<utf8proc_option_t>(compatibility ? UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT
                                                                    : UTF8PROC_DECOMPOSE);
  for (std::size_t at = 0; at < text.size(); at += character_size(text[at])) {
    const char32_t character = character_at(text, at);
    if (character < 0x80) {
      made.push_back({character, 1, 0});
      continue;
    }
    utf8proc_int32_t parts[64];
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(character), parts, 64, options, nullptr);
    if (count < 0 || count > 64) throw Error("A character has no Unicode decomposition.");
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
      const auto part = static_cast<char32_t>(parts[i]);
      made.push_back({part, i == 0 ? 1 : 0, combining_class(part)});
    }
  }
  for (auto begin = made.begin(); begin != made.end();) {
    if (begin->combining_class == 0) {
      ++begin;
      continue;
    }
    const auto end =
        std::find_if(begin, made.end(), [](const FormCharacter& one) { return one.combining_class == 0; });
    std::stable_sort(begin, end, [](const FormCharacter& a, const FormCharacter& b) {
      return a.combining_class < b.combining_class;
    });
    begin = end;
  }
  return made;
}

/// The composition of two characters; 0 if there is none.
char32_t composed_pair(char32_t first, char32_t second) {
  if (second < 0x300) return 0;  // no second character of a composition is below
  utf8proc_int32_t pair[3] = {static_cast<utf8proc_int32_t>(first), static_cast<utf8proc_int32_t>(second), 0};
  const utf8proc_ssize_t length =
      utf8proc_normalize_utf32(pair, 2, static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  return length == 1 ? static_cast<char32_t>(pair[0]) : 0;
}

/// Composes in place (Unicode 15, D117).
void compose(std::vector<FormCharacter>& text) {
  std::size_t size = 0, starter = 0;
  bool has_starter = false;
  for (const FormCharacter& next : text) {
    const bool is_blocked =
        !has_starter || (size > starter + 1 && text[size - 1].combining_class >= next.combining_class);
    const char32_t made = is_blocked ? 0 : composed_pair(text[starter].value, next.value);
    if (made != 0) {
      text[starter].value = made;
      text[starter].takes += next.takes;
      continue;
    }
    if (next.combining_class == 0) {
      starter = size;
      has_starter = true;
    }
    text[size++] = next;
  }
  text.resize(size);
}

}  // namespace

void to_form(AlignedText& text, UnicodeForm form) {
  const bool composes = form == UnicodeForm::nfc || form == UnicodeForm::nfkc;
  const bool compatibility = form == UnicodeForm::nfkc || form == UnicodeForm::nfkd;
  // ASCII is unchanged in every form; in NFC so is Latin below the combining marks, which begin with the byte
  // 0xCC.
  const unsigned char limit = form == UnicodeForm::nfc ? 0xCC : 0x80;
  if (std::all_of(text.text().begin(), text.text().end(),
                  [&](char byte) { return static_cast<unsigned char>(byte) < limit; })) {
    return;
  }
  std::vector<FormCharacter> made = decomposed(text.text(), compatibility);
  if (composes) compose(made);
  Rewriter rewriter(text);
  for (const FormCharacter& one : made) {
    if (one.takes == 0 || rewriter.at_end()) {
      rewriter.insert(one.value);
    } else {
      rewriter.replace(one.value);
      for (int more = 1; more < one.takes && !rewriter.at_end(); ++more) rewriter.skip();
    }
  }
  text = rewriter.finish();
}

}  // namespace attnscope::tokenizers
