#include "core/tokenizers/text/regex.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/text/utf8.hpp"
#include "core/tokenizers/text/oniguruma.hpp"

namespace attnscope::tokenizers {
namespace {

constexpr std::uint32_t match_limit = 10'000'000;

std::string message_of_pcre2(int error) {
  PCRE2_UCHAR text[200];
  if (pcre2_get_error_message(error, text, sizeof text) < 0) return fmt::format("error {}", error);
  return reinterpret_cast<const char*>(text);
}

pcre2_code* compile(const std::string& expression, int& error, std::size_t& at) {
  const std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context*)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_bsr(context.get(), PCRE2_BSR_UNICODE);
  return pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(),
                       PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &at,
                       context.get());
}

/// Whether PCRE2's JIT (10.42) may match differently from its interpreter: it does for atomic groups and
/// empty alternatives.
bool needs_interpreter(std::string_view expression) {
  constexpr std::string_view signs[] = {"(?>", "|)", "(|", ":|", "||"};
  return std::ranges::any_of(signs,
                             [&](std::string_view sign) { return expression.find(sign) != sign.npos; });
}

bool is_script(std::string_view name) {
  int error = 0;
  std::size_t at = 0;
  pcre2_code* code = compile(fmt::format("\\p{{sc:{}}}", name), error, at);
  pcre2_code_free(code);
  return code != nullptr;
}

}  // namespace

struct Regex::Compiled {
  template <auto free_it>
  struct FreeWith {
    template <class T>
    void operator()(T* it) const {
      free_it(it);
    }
  };
  using Code = std::unique_ptr<pcre2_code, FreeWith<pcre2_code_free>>;
  using MatchContext = std::unique_ptr<pcre2_match_context, FreeWith<pcre2_match_context_free>>;
  using MatchData = std::unique_ptr<pcre2_match_data, FreeWith<pcre2_match_data_free>>;

  Code code;
  MatchContext context;
  bool is_native = false;  // compiled by the JIT
};

Regex::Regex(std::string expression) : expression_(std::move(expression)) {
  const std::string translated = from_oniguruma(expression_, is_script);
  int error = 0;
  std::size_t at = 0;
  auto compiled = std::make_shared<Compiled>();
  compiled->code.reset(compile(translated, error, at));
  if (compiled->code == nullptr) {
    throw Error(fmt::format("The expression {} is not supported: {} at byte {}.", in_quotes(expression_),
                            message_of_pcre2(error), at));
  }
  compiled->context.reset(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(compiled->context.get(), match_limit);
  compiled->is_native =
      !needs_interpreter(translated) && pcre2_jit_compile(compiled->code.get(), PCRE2_JIT_COMPLETE) == 0;
  compiled_ = std::move(compiled);
}

void Regex::find_all(std::string_view text, std::vector<Range>& found) const {
  const Compiled& compiled = *compiled_;
  const Compiled::MatchData data(pcre2_match_data_create(1, nullptr));
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  const PCRE2_SIZE* place = pcre2_get_ovector_pointer(data.get());
  std::optional<std::size_t> last_end;
  for (std::size_t from = 0; !text.empty() && from <= text.size();) {
    // The caller has checked the UTF-8; checking again for each match would be quadratic.
    int count = compiled.is_native ? pcre2_jit_match(compiled.code.get(), subject, text.size(), from, 0,
                                                     data.get(), compiled.context.get())
                                   : PCRE2_ERROR_JIT_STACKLIMIT;
    if (count == PCRE2_ERROR_JIT_STACKLIMIT) {
      count = pcre2_match(compiled.code.get(), subject, text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                          data.get(), compiled.context.get());
    }
    if (count == PCRE2_ERROR_NOMATCH) return;
    if (count < 0) {
      throw Error(fmt::format("The expression {} gave up at byte {} of the text: {}.", in_quotes(expression_),
                              from, message_of_pcre2(count)));
    }
    const Range match{place[0], std::max(place[0], place[1])};  // \K could swap the two
    if (match.begin < from) return;                             // so could a look-behind with \K
    // As in the tokenizers library: an empty match right behind another match is skipped.
    if (match.size() == 0 && last_end == match.end) {
      from += from < text.size() ? character_size(text[from]) : 1;
      continue;
    }
    found.push_back(match);
    from = match.end;
    last_end = from;
  }
}

void find_all(const Pattern& pattern, std::string_view text, std::vector<Range>& found) {
  if (const Regex* regex = std::get_if<Regex>(&pattern)) return regex->find_all(text, found);
  const std::string& wanted = std::get<std::string>(pattern);
  for (std::size_t at = text.find(wanted); at != text.npos; at = text.find(wanted, at + wanted.size())) {
    found.push_back({at, at + wanted.size()});
  }
}

}  // namespace attnscope::tokenizers
