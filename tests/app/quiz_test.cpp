// A quiz in other programs' formats: texts that look like the format's own signs come out as they were, and
// the numbers are those of the lesson.
#include "app/exports/prints/quiz.hpp"

#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/kit/ui/own_words.hpp"
#include "core/base/error.hpp"
#include "core/files/archives/zip.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::quiz_test {
namespace {

using namespace prints;
using Catch::Matchers::ContainsSubstring;

ToldProse prose(std::string_view text) { return {{.kind = ToldPiece::Kind::Plain, .text = own(text)}}; }

/// Signs of GIFT, HTML, CSV and XML, and what the formats read at the beginning of a text.
const std::vector<std::string> hostile{"=cmd|' /C calc'!A0",
                                       "%50%half",
                                       "[markdown]# big",
                                       "a ~ b = c # d { e } f : g \\ h \\n i",
                                       "<script>alert(\"&\")</script>]]>",
                                       "line\nbreak\r\n// no comment\n\n::title::{T}",
                                       "&&058; \u2028 \uFFFE \x01 \xFF",
                                       "-> \"quoted\", comma"};

PrintedLesson lesson_of(const std::vector<std::string>& texts) {
  PrintedLesson lesson;
  lesson.name = "a lesson/..";
  lesson.title = "Title: {a} / \"b\" <c> & d";
  lesson.language = "en";
  for (const std::string& text : texts) {
    PrintedStep step;
    step.title = text;
    PrintedQuestion question;
    question.asked.words = prose(text);
    question.asked.answer = prose(text);
    for (const std::string& choice : texts)
      if (question.asked.choices.size() < 6)
        question.asked.choices.push_back({prose(choice), prose(text), question.asked.choices.size() == 2});
    step.question = question;
    lesson.steps.push_back(step);
  }
  return lesson;
}

PrintWords in_english() { return {{}, "en"}; }

/// What a reader of GIFT makes of a text: the escaped signs alone stay.
std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && std::string_view("\\~=#{}:").find(text[i + 1]) != text.npos)
      ++i;
    out += text[i];
  }
  return out;
}

/// The places of a sign that is not escaped.
std::vector<std::size_t> bare(std::string_view text, char sign) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == sign)
      all.push_back(i);
  }
  return all;
}

/// Empty, or what is not well-formed: a tag that is not closed, a bare "&" or "<", a control character.
std::string trouble_in(std::string_view xml) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    const auto byte = static_cast<unsigned char>(xml[i]);
    if (byte < 32 && xml[i] != '\n' && xml[i] != '\t') return "a control character";
    if (xml[i] == '&') {
      const std::string_view name = xml.substr(i + 1, xml.find(';', i) - i - 1);
      if (name != "amp" && name != "lt" && name != "gt" && name != "quot" && name != "#39")
        return "&" + std::string(name.substr(0, 20));
    }
    if (xml[i] != '<') continue;
    const std::size_t end = xml.find('>', i);
    if (end == xml.npos) return "a tag without an end";
    const std::string_view tag = xml.substr(i + 1, end - i - 1);
    i = end;
    if (tag.starts_with('?') || tag.ends_with('/')) continue;
    const std::string name(tag.substr(tag.starts_with('/'), tag.find_first_of(" \n") - tag.starts_with('/')));
    if (!tag.starts_with('/')) {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name) return "</" + name;
      open.pop_back();
    }
  }
  return open.empty() ? std::string() : "<" + open.back();
}

/// The files of a zip archive by their names.
std::map<std::string, std::string> unzipped(const std::string& archive) {
  const test::TemporaryDirectory directory;
  const MappedFile file(directory.write("quiz.zip", archive));
  std::map<std::string, std::string> all;
  for (const ZipEntry& entry : read_zip(file)) {
    check_stored(file, entry, nullptr);
    const auto bytes =
        file.bytes().subspan(static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(entry.size));
    all[entry.name].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return all;
}

}  // namespace

TEST_CASE("GIFT: no text of a lesson is read as a sign of the format", "[quiz]") {
  const PrintedLesson lesson = lesson_of(hostile);
  const std::string gift = quiz_file(QuizFormat::Gift, {&lesson, 1}, in_english());
  INFO(gift);
  CHECK(gift.starts_with("$CATEGORY: $course$/AttnScope/Title: {a} // \"b\" <c> & d\n\n"));
  // Blocks between empty lines: the category, then a question each.
  std::vector<std::string> blocks;
  for (std::size_t at = 0; at < gift.size();) {
    const std::size_t end = std::min(gift.find("\n\n", at), gift.size());
    if (end > at) blocks.push_back(gift.substr(at, end - at));
    at = end + 2;
  }
  REQUIRE(blocks.size() == hostile.size() + 1);
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const std::string& block = blocks[i];
    INFO(block);
    CHECK(block.starts_with("::"));
    REQUIRE(bare(block, '{').size() == 1);
    REQUIRE(bare(block, '}').size() == 1);
    CHECK(bare(block, '=').size() == 1);  // one right answer
    CHECK(bare(block, '~').size() == 5);
    CHECK(bare(block, '#').size() == 6 + 4);  // six explanations and the general one
    CHECK(bare(block, ':').size() == 4);
    CHECK(block.find("\n//") == std::string::npos);
  }
  // Texts come back as HTML that says what was there; each has the mark of its format before it.
  CHECK_THAT(without_escapes(gift), ContainsSubstring("=[html][markdown]# big#[html]"));
  CHECK_THAT(without_escapes(gift), ContainsSubstring("~[html]%50%half#[html]"));
  CHECK_THAT(without_escapes(gift), ContainsSubstring("a ~ b = c # d { e } f : g \\ h \\n i"));
  CHECK_THAT(without_escapes(gift), ContainsSubstring("&lt;script&gt;alert(&quot;&amp;&quot;)"));
}

TEST_CASE("QTI: every file of the archive is well-formed, and the manifest names them all", "[quiz]") {
  const PrintedLesson lesson = lesson_of(hostile);
  const std::map<std::string, std::string> files =
      unzipped(quiz_file(QuizFormat::Qti, {&lesson, 1}, in_english()));
  REQUIRE(files.size() == hostile.size() + 2);
  REQUIRE(files.contains("imsmanifest.xml"));
  for (const auto& [name, xml] : files) {
    INFO(name << "\n" << xml);
    CHECK(trouble_in(xml).empty());
    CHECK(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
    CHECK(xml.find("\xEF\xBF\xBE") == std::string::npos);
    if (name == "imsmanifest.xml") continue;
    CHECK_THAT(files.at("imsmanifest.xml"), ContainsSubstring("<file href=\"" + name + "\"/>"));
    CHECK_THAT(xml, ContainsSubstring("xmlns=\"http://www.imsglobal.org/xsd/imsqti_v2p1\""));
    if (name == "test.xml") continue;
    CHECK_THAT(files.at("test.xml"), ContainsSubstring("href=\"" + name + "\""));
    for (const char c : name)
      CHECK((std::isalnum(static_cast<unsigned char>(c)) ||
             std::string_view("-_/.").find(c) != std::string::npos));
    CHECK_THAT(xml, ContainsSubstring("<correctResponse><value>C</value></correctResponse>"));
  }
  CHECK_THAT(files.at("imsmanifest.xml"), ContainsSubstring("<schema>QTIv2.1 Package</schema>"));
}

TEST_CASE("CSV: a line for each question, and no field that a spreadsheet would compute", "[quiz]") {
  const PrintedLesson lesson = lesson_of(hostile);
  const std::string csv = quiz_file(QuizFormat::Csv, {&lesson, 1}, in_english());
  INFO(csv);
  CHECK(csv.starts_with("id,lesson,title,kind,question,A,B,C,D,E,F,right,number,tolerance,answer\r\n"));
  std::size_t lines = 0;
  for (const char c : csv) lines += c == '\n' ? 1 : 0;
  CHECK(lines == hostile.size() + 1);
  bool is_quoted = false, begins = true;
  for (const char c : csv) {
    if (begins) CHECK(std::string_view("=+-@").find(c) == std::string_view::npos);
    const bool opens = begins && c == '"';
    if (c == '"') is_quoted = !is_quoted;
    begins = opens || (!is_quoted && (c == ',' || c == '\n'));
  }
  CHECK_THAT(csv, ContainsSubstring(", =cmd|' /C calc'!A0,"));
  CHECK_THAT(csv, ContainsSubstring("\" -> \"\"quoted\"\", comma\""));
}

TEST_CASE("a quiz asks for numbers with their tolerance, and for texts where there is no number", "[quiz]") {
  PrintedLesson lesson = lesson_of({"first", "second"});
  lesson.steps[0].question->asked.choices.clear();
  lesson.steps[0].question->asked.drag = {-2, 1, 0.05, -0.25, {}, {}};
  lesson.steps[1].question->asked.choices.clear();
  const std::span<const PrintedLesson> alone(&lesson, 1);
  const std::string gift = quiz_file(QuizFormat::Gift, alone, in_english());
  CHECK_THAT(gift, ContainsSubstring("[html]first{#-0.25:0.05\n####[html]first\n}"));
  CHECK_THAT(gift, ContainsSubstring("[html]second{####[html]second\n}"));
  const std::string csv = quiz_file(QuizFormat::Csv, alone, in_english());
  CHECK_THAT(csv, ContainsSubstring(",number,first,,,,,,,,-0.25,0.05,first\r\n"));
  CHECK_THAT(csv, ContainsSubstring(",essay,second,,,,,,,,,,second\r\n"));
  const std::map<std::string, std::string> files = unzipped(quiz_file(QuizFormat::Qti, alone, in_english()));
  const std::string& item = files.at("items/q1-a_lesson___-1.xml");
  CHECK(trouble_in(item).empty());
  CHECK_THAT(item, ContainsSubstring("<equal toleranceMode=\"absolute\" tolerance=\"0.05 0.05\">"));
  CHECK_THAT(item, ContainsSubstring("baseType=\"float\"><correctResponse><value>-0.25</value>"));
  CHECK_THAT(files.at("items/q1-a_lesson___-2.xml"), ContainsSubstring("<extendedTextInteraction"));
}

TEST_CASE("a lesson that asks nothing makes no quiz, and says so", "[quiz]") {
  PrintedLesson lesson;
  lesson.name = "silent";
  CHECK_THROWS_AS(quiz_file(QuizFormat::Csv, {&lesson, 1}, in_english()), Error);
  CHECK(quiz_format("a.CSV") == QuizFormat::Csv);
  CHECK(quiz_format("a.gift") == QuizFormat::Gift);
  CHECK(quiz_format("a.txt") == QuizFormat::Gift);
  CHECK(quiz_format("a.zip") == QuizFormat::Qti);
  CHECK_FALSE(quiz_format("a.doc"));
}

}  // namespace attnscope::quiz_test
