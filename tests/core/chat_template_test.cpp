// Chats as text by the model's template. The goldens are results of transformers 5.24 and Jinja for templates
// like those of known models: tests/goldens/make_chat_goldens.py.
#include "core/tokenizers/chat/chat_template.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/models/opened/user_chat.hpp"
#include "core/tokenizers/chat/jinja_source.hpp"
#include "core/tokenizers/read/chat_format.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::chat_template_test {
namespace {

using namespace attnscope::tokenizers;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using nlohmann::json;
using test::message_of;

json goldens() {
  std::ifstream file(std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/chat/goldens.json");
  return json::parse(file);
}

ChatFormat format_of(const std::string& source) {
  return {.templates = {{"default", source, "chat_template.jinja"}},
          .special_tokens = {{"bos_token", "<s>"}}};
}
RenderedChat rendered(const std::string& source, std::vector<ChatMessage> messages = {{"user", "Hi"}}) {
  const ChatFormat format = format_of(source);
  return render_chat(format, format.of(""), {.messages = std::move(messages), .today = {2024, 2, 29}});
}
std::string refusal(const std::string& source, std::vector<ChatMessage> messages = {{"user", "Hi"}}) {
  const std::string message = message_of<Error>([&] { rendered(source, std::move(messages)); });
  CHECK(test::is_sentence(message));
  return message;
}
}  // namespace

TEST_CASE("a chat is the text that transformers makes of it", "[tokenizers][chat]") {
  const json all = goldens();
  const auto day = day_from(all["date"].get<std::string>());
  REQUIRE(day);
  int compared = 0, raised = 0;
  for (const auto& [name, golden] : all["templates"].items()) {
    ChatFormat format{.templates = {{"default", golden["source"], name}}};
    for (const auto& [token, text] : golden["special_tokens"].items())
      format.special_tokens.emplace_back(token, text);
    for (const json& one : golden["rendered"]) {
      const auto chat = one["chat"].get<std::string>();
      CAPTURE(name, chat);
      const ChatRequest request{.messages = read_chat(all["chats"][chat].dump(), "goldens.json"),
                                .add_generation_prompt = one["add_generation_prompt"],
                                .today = *day};
      if (one.contains("raises")) {
        const std::string message = message_of<Error>([&] { render_chat(format, format.of(""), request); });
        CHECK_THAT(message, StartsWith(name + ": the chat template refuses this chat: ") &&
                                ContainsSubstring(one["raises"].get<std::string>()));
        ++raised;
      } else {
        const RenderedChat made = render_chat(format, format.of(""), request);
        CHECK(made.text == one["text"].get<std::string>());
        const bool asks = name == "Llama 3" || (name == "Granite" && chat != "with a system");
        CHECK(made.asks_date == asks);
        ++compared;
      }
    }
  }
  CHECK(compared == 156);
  CHECK(raised == 12);
}

TEST_CASE("a chat says which of its messages the template changes", "[tokenizers][chat]") {
  const std::string source =
      "{% for m in messages %}{% if m.role != 'tool' %}{{ m.content.strip().replace('x', 'y') }}"
      "{% endif %}{% endfor %}{# a tool's are left out #}";
  CHECK(rendered(source, {{"user", " a "}, {"tool", "b"}, {"assistant", "c"}, {"user", "x"}}).changed ==
        std::vector<std::size_t>{1, 3});
  const std::string of_two =
      "{% for m in messages %}{% if m.role == 'user' or m.role == 'assistant' %}{{ m.content }}{% endif %}{% "
      "endfor %}";
  CHECK(rendered(of_two, {{"user", "a"}, {"assistant", "b"}}).text == "ab");
  CHECK(refusal(of_two, {{"user", "a"}, {"critic", "b"}}) ==
        "chat_template.jinja: the chat template refuses this chat: it does not know the role \"critic\" of "
        "message 2.");
}

TEST_CASE("a template that cannot be rendered is refused with file and reason", "[tokenizers][chat]") {
  const std::string unreadable = "chat_template.jinja: the chat template cannot be read: ",
                    failing = "chat_template.jinja: the chat template cannot be rendered: ";
  CHECK(refusal("{{ messages") == unreadable + "A tag does not end: \"{{ messages\".");
  CHECK(refusal("{# no end") == unreadable + "A comment, {#, does not end.");
  CHECK(refusal("{{ ')' + (1] }}") == unreadable + "A bracket ] does not fit.");
  CHECK(refusal("{{ 'a }}") == unreadable + "A string does not end.");
  CHECK(refusal("{{ '\\N{DASH}' }}") == unreadable + "A string has the escape \\N, which is not supported.");
  CHECK(refusal("{{ " + std::string(200, '(') + " }}") == unreadable + "Brackets nest more than 100 deep.");
  CHECK_THAT(refusal(std::string(40'000, 'x')), StartsWith(unreadable + "It has 40000 bytes"));
  CHECK_THAT(refusal("{% if %}"), StartsWith(failing));
  CHECK_THAT(refusal("{% endif %}"), StartsWith(failing + "Unexpected endif"));
  CHECK_THAT(refusal("{% for m in messages %}"), StartsWith(failing + "Unterminated for"));
  CHECK_THAT(refusal("{{ messages[0].content.unheard() }}"), StartsWith(failing + "Unknown method: unheard"));
  CHECK(refusal("{{ messages | unheard }}") ==
        failing + "It calls the filter unheard, which is not known here.");
  CHECK(refusal("{{ messages[5] }}") == failing + "It asks for a place that a list or a text does not have.");
  CHECK(refusal("{{ raise_exception('No ' + messages[0].role) }}") ==
        "chat_template.jinja: the chat template refuses this chat: No user.");
  // Jinja raises an error, too.
  CHECK_THAT(refusal("{{ pad_token + messages[0].content }}"),
             StartsWith(failing + "it writes something that is not"));
  CHECK(rendered("{{ bos_token + messages[0].content }}", {{"user", "None"}}).text == "<s>None");
  // Python strips more than ASCII white space.
  for (const char* source :
       {"{{ messages[0].content | trim }}{# user #}", "{{ messages[0].content.strip() }}{# user #}"}) {
    const RenderedChat made = rendered(source, {{"user", "\x1c\u00a0a\u200b \u3000"}});
    CHECK(made.text == "a\u200b");
    CHECK(made.changed.empty());
  }
  CHECK(rendered("{{ messages[0].content }}", {{"user", "\u00a0a"}}).text == "\u00a0a");
  CHECK_THAT(refusal("a", {}), StartsWith("A chat needs one message"));
  CHECK_THAT(refusal("a", {{"user", "\xff"}}), ContainsSubstring("not valid UTF-8 at byte 0"));
}

TEST_CASE("values of a template are Python's", "[tokenizers][chat]") {
  const auto text = [](const std::string& source) {
    return rendered(source + "{# user assistant #}", {{"user", "Hé"}, {"assistant", "b"}}).text;
  };
  CHECK(text("{{ 'a' and 'b' }}{{ '' or 'c' }}{{ '' and 'd' }}{{ 0 or '' }}{{ messages and 1 }}") == "bc1");
  CHECK(text("{% set x = tools or 'none' %}{{ x }}{{ {} or 'empty' }}{{ [''] and 'full' }}") ==
        "noneemptyfull");
  CHECK(text("{{ tools is defined }}{{ tools is none }}{{ x is none }}{{ x is defined }}{{ '' is false }}") ==
        "TrueTrueFalseFalseFalse");
  CHECK(text("{{ tools }}|{{ x }}|{{ pad_token ~ 'a' }}|{{ x == none }}") == "None||a|False");
  CHECK(
      text("{{ messages[0].content | length }}{{ messages[0].content[1] }}{{ messages[0].content[::-1] }}") ==
      "2ééH");
  CHECK(text("{{ '' in [''] }}{{ 1 == true }}{{ [0] == [0] }}{{ (0 - 7) // 2 }}{{ (0 - 7) % 3 }}") ==
        "TrueTrueTrue-42");
  CHECK(text("{{ 'a' ~ 1 + 'b' ~ 2 }}{{ 1 < 2 < 2 }}{{ 'A b'.title() }}{{ 'aBC' | capitalize }}") ==
        "a1b2FalseA BAbc");
  CHECK(text("{{ messages | selectattr('name') | list | length }}{{ messages | map(attribute='role') | "
             "join('-') }}") == "0user-assistant");
  CHECK(text("{{ {'a': [1, true, none, 'é\n'], 'b': {}} | tojson(indent=1) }}{{ [] | tojson(indent=1) }}") ==
        "{\n \"a\": [\n  1,\n  true,\n  null,\n  \"é\\n\"\n ],\n \"b\": {}\n}[]");
  CHECK(text("{ {%- if true %}x{% endif %}") == "{x");
  const std::string reasoning =
      rendered("{{ messages[0] | tojson }}", {{"user", "a", {{"name", "n"}, {"reasoning_content", "r"}}}})
          .text;
  CHECK(reasoning ==
        R"({"thinking": "r", "role": "user", "content": "a", "name": "n", "reasoning_content": "r"})");
}

TEST_CASE("variables of a template end where Jinja's do", "[tokenizers][chat]") {
  const auto text = [](const std::string& source) {
    return rendered(source + "{# a b c #}", {{"a", "1"}, {"b", "2"}, {"c", "3"}}).text;
  };
  CHECK(
      text(
          "{% set x = 0 %}{% for m in messages %}{{ x }}{% set x = m.content %}{{ x }}{% endfor %}{{ x }}") ==
      "0102030");
  CHECK(text("{% for m in messages %}{% if loop.first %}{% set x = 'f' %}{% endif %}[{{ x }}]{% endfor %}{{ "
             "x }}") == "[f][][]");
  CHECK(text("{% if true %}{% set x = 1 %}{% endif %}{{ x }}{% set x %}b{% set y = 2 %}{% endset %}{{ x }}{{ "
             "y }}") == "1b");
  CHECK(text("{% macro f(a, b=x) %}{{ a }}{{ b }}{% set x = 9 %}{% endmacro %}{% set x = 1 %}{{ f(0) }}{{ x "
             "}}") == "011");
  CHECK(
      text("{% for m in messages if m.role != 'a' %}{{ loop.index }}{{ loop.last }}{{ loop.previtem.role if "
           "loop.previtem }}{% endfor %}") == "1False2Trueb");
  CHECK(text("{% for m in messages %}{% break %}{% else %}e{% endfor %}") == "e");  // as Jinja has it
  CHECK(text("{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}{{ m.role }}{% else %}e{% "
             "endfor %}") == "bc");
}

TEST_CASE("what a template does that is not known here is refused by name", "[tokenizers][chat]") {
  const std::string failing = "chat_template.jinja: the chat template cannot be rendered: ";
  const auto problem = [&](const std::string& source, const std::string& said = "Hi") {
    const std::string message = refusal(source, {{"user", said}});
    CHECK_THAT(message, StartsWith(failing));
    return message.substr(std::min(failing.size(), message.size()));
  };
  for (const char* name : {"upper", "lower", "title", "capitalize"})
    CHECK(problem(std::string("{{ messages[0].content.") + name + "() }}", "straße") ==
          std::string("It uses ") + name +
              " with a text that has \"ß\", which is not supported: only ASCII is.");
  CHECK_THAT(problem("{{ messages[0].content | upper }}", "é"), StartsWith("It uses upper with a text"));
  CHECK(rendered("{{ messages[0].content | upper }}{{ messages[0].content }}", {{"user", "a世"}}).text ==
        "A世a世");
  CHECK(problem("{{ messages }}") == "It writes a list, which is not supported.");
  CHECK(problem("{{ messages[0] ~ '' }}") == "It writes a mapping, which is not supported.");
  CHECK_THAT(problem("{{ messages | selectattr('role') | length }}"),
             StartsWith("It asks for the length of what"));
  CHECK_THAT(problem("{% set x = messages | map(attribute='role') %}"), StartsWith("It keeps what a filter"));
  CHECK(problem("{{ 'a' | int }}") == "It calls the filter int, which is not known here.");
  CHECK(problem("{{ 'a' | safe }}") == "It calls the filter safe, which is not known here.");
  CHECK(problem("{{ 1 is odd }}") == "It asks whether something is odd, a test that is not known here.");
  CHECK(problem("{{ cycler }}") == "It uses cycler, which is not supported.");
  CHECK(problem("{{ unheard() }}") == "It calls the function unheard, which is not known here.");
  CHECK(problem("{{ 'a'.upper }}") == "It reads \"upper\" of a text, which is not supported.");
  CHECK(problem("{{ 1.5 }}") == "It has a number like \"1.5\", where only whole ones are supported.");
  CHECK(problem("{{ 1, 2 }}") == "Unexpected , in a tag.");
  CHECK(problem("{% if 'a' if true %}{% endif %}") == "Unexpected if in a tag.");
  CHECK(problem("{% raw %}{% endraw %}") == "It has the tag \"raw\", which is not supported.");
  CHECK_THAT(problem("{{ 'a' + 1 }}"), StartsWith("It computes a text + a number"));
  CHECK_THAT(problem("{{ 'a' < 1 }}"), StartsWith("It asks whether a text is less than a number"));
  CHECK_THAT(problem("{% for m in messages %}{% macro f() %}{% endmacro %}{% endfor %}"),
             StartsWith("It defines a macro inside"));
  CHECK(problem("{{ loop.index }}") == "It uses loop outside of a loop.");
}

TEST_CASE("a template that does not come to an end is stopped", "[tokenizers][chat]") {
  CHECK_THAT(
      refusal("{% set ns = namespace(a='aaaaaaaa') %}{% for i in range(100) %}{% set ns.a = ns.a ~ ns.a %}"
              "{% endfor %}"),
      ContainsSubstring("It makes a text of more than 4 MB."));
  CHECK_THAT(refusal("{% set ns = namespace(a=[1]) %}{% for i in range(100) %}{% set ns.a = ns.a + ns.a %}"
                     "{% endfor %}"),
             ContainsSubstring("It does not come to an end."));
  CHECK_THAT(refusal("{% set ns = namespace(a=[]) %}{% for i in range(100) %}{% set ns.a = [ns.a] %}"
                     "{% endfor %}"),
             ContainsSubstring("too deep"));
  CHECK_THAT(refusal("{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}"),
             ContainsSubstring("It does not come to an end."));
  CHECK_THAT(refusal("{% set a = 'a' * 999999 %}{% for i in range(9999) %}{{ a in a ~ 'b' }}{% endfor %}"),
             ContainsSubstring("It does not come to an end."));
  CHECK_THAT(refusal("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"),
             ContainsSubstring("It calls itself too often."));
  CHECK_THAT(refusal("{% for i in range(1000000000) %}{% endfor %}"),
             ContainsSubstring("range() has a limit"));
}

TEST_CASE("a template that transformers' sandbox refuses is refused", "[tokenizers][chat]") {
  const std::string unreadable = "chat_template.jinja: the chat template cannot be read: ";
  CHECK(refusal("{% set a = [] %}{% set b = a.append(a) %}{{ a }}") ==
        unreadable + "It changes a value with append(), which transformers refuses, too.");
  CHECK(refusal("{% set ns = namespace() %}{% set ns.a = [ns] %}{{ ns.a }}") ==
        unreadable + "It uses ns, a namespace(), as a value of its own.");
  CHECK(refusal("{% set d = {} %}{% set d.a = d %}{{ d }}") ==
        unreadable + "It sets a field of d, which is no namespace().");
  CHECK_THAT(refusal("{% for ns in [namespace()] %}{% set ns.a = ns %}{% endfor %}"),
             StartsWith(unreadable + "It "));
  // Such a template would never end, or end the program.
  CHECK(refusal("{{ 1 / 2 }}") == unreadable + "It computes with /, which is not supported.");
  CHECK(refusal("{{ 2 ** 9 }}") == unreadable + "It computes with **, which is not supported.");
  const std::string number = " than a whole number from 1 to 999999.";
  CHECK(refusal("{{ 1 % 0 }}") == unreadable + "It has something else behind %" + number);
  CHECK(refusal("{{ 1 // loop }}") == unreadable + "It has something else behind //" + number);
  CHECK(refusal("{{ 'a' * 1000000 }}") == unreadable + "It has something else behind *" + number);
  CHECK(refusal("{{ 'abc'[9:0:-1] }}") ==
        unreadable + "It cuts with steps in another way than [::-1], which is not supported.");
  CHECK(refusal("{{ messages[0].content.split('') }}") ==
        unreadable + "It splits at something else than a text that is written there.");
  CHECK(rendered("{{ 7 // 2 }}{{ 7 % 2 }}{{ 'a' * 3 }}{{ {'a': 1, 'b': 'c'[0:1]}.b }}{{ 'abc'[::-1] }}"
                 "{{ messages[0].content.split('i')[0] }}{{ messages[0].content }}")
            .text == "31aaaccbaHHi");
  CHECK(rendered("{% set ns = namespace(append='b') %}{%- set ns.a = ns.append ~ 'namespace(ns)' %}{{ ns.a }}"
                 "{{ messages[0].content }}")
            .text == "bnamespace(ns)Hi");
}

TEST_CASE("a template's white space is Jinja's", "[tokenizers][chat]") {
  CHECK(resolved_jinja("  {{ a }}\n  {% if b %}\n x {%- endif -%}\n\n y\r\n") ==
        "  {{  a  }}\n{%  if b  %} x{%  endif  %}y");
  CHECK(resolved_jinja("{# a #}\n{#- b -#}  c") == "{##}{##}c");
  CHECK(resolved_jinja("{{ {'}}': \"%}\"} }}") == "{{  {\"}}\": \"%}\"}  }}");
  CHECK(resolved_jinja("{{ '\\u00e9\\d\"' }}") == "{{  \"é\\\\d\\\"\"  }}");
}

TEST_CASE("what a user says is found in the chat", "[tokenizers][chat]") {
  const auto said = [](const std::string& source, const std::string& text) {
    return user_chat(format_of(source), text, "2024-02-29");
  };
  // "user" and "a" are in the template, too.
  const UserChat trimmed =
      said("a user: {% for m in messages %}{{ m.content | trim }}{% endfor %} a", "\n a b ");
  CHECK(trimmed.text == "a user: a b a");
  CHECK(trimmed.in_said({8, 9}) == Range{2, 3});
  CHECK(trimmed.in_said({8, 11}) == Range{2, 5});
  CHECK_FALSE(trimmed.in_said({0, 1}));
  CHECK_FALSE(trimmed.in_said({7, 9}));
  CHECK_FALSE(trimmed.in_said({10, 12}));
  CHECK(said("{{ messages[0].content }}", " a ").in_said({0, 3}) == Range{0, 3});
  CHECK_FALSE(said("user {{ messages[0].content.upper() }}", "ab").in_said({5, 7}));
  CHECK_FALSE(said("{{ messages[0].content }}b", "").in_said({0, 1}));
  CHECK_THAT(message_of<Error>([&] { user_chat(format_of("user"), "a", "today"); }),
             StartsWith("The day of the chat is \"today\""));
}

TEST_CASE("a day is one of the calendar", "[tokenizers][chat]") {
  REQUIRE(day_from("2024-02-29"));
  CHECK(to_string(*day_from("2024-02-29")) == "2024-02-29");
  for (const char* none :
       {"2023-02-29", "2024-2-29", "2024-13-01", "1899-01-01", "2024-02-29 ", "today", "2024--1-01"})
    CHECK_FALSE(day_from(none));
  const RenderedChat made = rendered("{{ strftime_now('%A %d %B %Y, %j') }}{{ messages[0].content }}");
  CHECK(made.text == "Thursday 29 February 2024, 060Hi");
  CHECK(made.asks_date);
  CHECK(format_of("{{ strftime_now('%d') }}").of("").may_ask_date());
  CHECK_FALSE(format_of("{{ messages }}").of("").may_ask_date());
  CHECK_FALSE(rendered("{{ messages[0].content }}").asks_date);
}

}  // namespace attnscope::chat_template_test
