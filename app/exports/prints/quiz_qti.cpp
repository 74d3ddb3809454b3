// app/exports/prints: a quiz in QTI 2.1, a zip archive for learning platforms.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/exports/html/lesson_page.hpp"
#include "app/exports/html/page_write.hpp"
#include "app/exports/prints/quiz.hpp"
#include "core/files/archives/zip_writer.hpp"

namespace attnscope::prints {
namespace {

constexpr std::string_view xml_begin = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
constexpr std::string_view qti_space =
    "xmlns=\"http://www.imsglobal.org/xsd/imsqti_v2p1\" "
    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
    "xsi:schemaLocation=\"http://www.imsglobal.org/xsd/imsqti_v2p1 "
    "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd\"";

/// XML 1.0 has no U+FFFE and U+FFFF; control characters are replaced with the rest of the escapes.
std::string xml_text(std::string escaped) {
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = escaped.find(none); at != escaped.npos; at = escaped.find(none, at))
      escaped.replace(at, none.size(), "\xEF\xBF\xBD");
  return escaped;
}

std::string xml_escaped(std::string_view text) { return xml_text(html_escaped(text)); }

class ItemWriter {
 public:
  ItemWriter(const QuizItem& item, std::string_view language, const Words& words)
      : item_(item), language_(language), words_(words) {}

  std::string xml() const {
    return fmt::format(
        "{}<assessmentItem {} identifier=\"{}\" title=\"{}\" adaptive=\"false\" timeDependent=\"false\" "
        "xml:lang=\"{}\" toolName=\"AttnScope\">\n{}{}<itemBody>\n{}</itemBody>\n<responseProcessing>\n{}"
        "</responseProcessing>\n{}</assessmentItem>\n",
        xml_begin, qti_space, item_.id, xml_escaped(item_.title), xml_escaped(language_), response(),
        outcomes(), body(), processing(), feedback());
  }

 private:
  std::string prose(const ToldProse& words) const { return xml_text(html_prose(words, words_)); }
  bool is_choice() const { return item_.kind == QuizItem::Kind::Choice; }
  bool is_number() const { return item_.kind == QuizItem::Kind::Number; }

  /// What is answered, and how many points each choice has.
  std::string response() const {
    const auto declared = [](std::string_view type, const std::string& inside) {
      return fmt::format(
          "<responseDeclaration identifier=\"RESPONSE\" cardinality=\"single\" "
          "baseType=\"{}\">{}</responseDeclaration>\n",
          type, inside);
    };
    const auto correct = [](const std::string& value) {
      return fmt::format("<correctResponse><value>{}</value></correctResponse>", value);
    };
    if (is_number()) return declared("float", correct(fmt::format("{}", item_.number + 0.)));
    if (!is_choice()) return declared("string", {});
    std::string first, mapped;
    for (std::size_t i = 0; i < item_.choices.size(); ++i) {
      if (!item_.choices[i].right) continue;
      if (first.empty()) first = letter(i);
      mapped += fmt::format("<mapEntry mapKey=\"{}\" mappedValue=\"1\"/>", letter(i));
    }
    return declared("identifier",
                    correct(first) + fmt::format("<mapping defaultValue=\"0\">{}</mapping>", mapped));
  }

  std::string outcomes() const {
    std::string xml =
        "<outcomeDeclaration identifier=\"SCORE\" cardinality=\"single\" baseType=\"float\" "
        "normalMaximum=\"1\"><defaultValue><value>0</value></defaultValue></outcomeDeclaration>\n";
    for (const std::string_view name : {"CHOSEN", "ANSWERED"})
      xml += fmt::format(
          "<outcomeDeclaration identifier=\"{}\" cardinality=\"single\" baseType=\"identifier\"/>\n", name);
    return xml;
  }

  std::string body() const {
    const std::string words = prose(item_.words);
    if (is_number())
      return fmt::format(
          "<p>{}</p>\n<p><textEntryInteraction responseIdentifier=\"RESPONSE\" "
          "expectedLength=\"10\"/></p>\n",
          words);
    if (!is_choice())
      return fmt::format(
          "<p>{}</p>\n<extendedTextInteraction responseIdentifier=\"RESPONSE\" "
          "expectedLines=\"6\"/>\n",
          words);
    std::string xml = fmt::format(
        "<choiceInteraction responseIdentifier=\"RESPONSE\" shuffle=\"false\" "
        "maxChoices=\"1\">\n<prompt>{}</prompt>\n",
        words);
    for (std::size_t i = 0; i < item_.choices.size(); ++i) {
      const ToldChoice& choice = item_.choices[i];
      xml += fmt::format("<simpleChoice identifier=\"{}\">{}", letter(i), prose(choice.words));
      if (!choice.why.empty())
        xml += fmt::format(
            " <feedbackInline outcomeIdentifier=\"CHOSEN\" identifier=\"{}\" "
            "showHide=\"show\">{}</feedbackInline>",
            letter(i), prose(choice.why));
      xml += "</simpleChoice>\n";
    }
    return xml + "</choiceInteraction>\n";
  }

  std::string processing() const {
    std::string xml;
    if (is_choice())
      xml =
          "<setOutcomeValue identifier=\"SCORE\"><mapResponse identifier=\"RESPONSE\"/></setOutcomeValue>\n"
          "<setOutcomeValue identifier=\"CHOSEN\"><variable identifier=\"RESPONSE\"/></setOutcomeValue>\n";
    if (is_number())
      xml = fmt::format(
          "<responseCondition><responseIf><equal toleranceMode=\"absolute\" tolerance=\"{0} {0}\"><variable "
          "identifier=\"RESPONSE\"/><correct identifier=\"RESPONSE\"/></equal><setOutcomeValue "
          "identifier=\"SCORE\"><baseValue baseType=\"float\">1</baseValue></setOutcomeValue></responseIf>"
          "</responseCondition>\n",
          item_.tolerance + 0.);
    return xml +
           "<setOutcomeValue identifier=\"ANSWERED\"><baseValue baseType=\"identifier\">yes</baseValue>"
           "</setOutcomeValue>\n";
  }

  std::string feedback() const {
    if (item_.answer.empty()) return {};
    return fmt::format(
        "<modalFeedback outcomeIdentifier=\"ANSWERED\" identifier=\"yes\" "
        "showHide=\"show\"><p>{}</p></modalFeedback>\n",
        prose(item_.answer));
  }

  const QuizItem& item_;
  std::string_view language_;
  const Words& words_;
};

std::string path_of(const QuizItem& item) { return fmt::format("items/{}.xml", item.id); }

/// All items in their order, a section for each lesson.
std::string test_of(std::span<const QuizPart> parts) {
  std::string sections;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].items.empty()) continue;
    sections += fmt::format("<assessmentSection identifier=\"section-{}\" title=\"{}\" visible=\"true\">\n",
                            i + 1, xml_escaped(parts[i].title));
    for (const QuizItem& item : parts[i].items)
      sections += fmt::format("<assessmentItemRef identifier=\"{}\" href=\"{}\"/>\n", item.id, path_of(item));
    sections += "</assessmentSection>\n";
  }
  return fmt::format(
      "{}<assessmentTest {} identifier=\"test\" title=\"{}\" toolName=\"AttnScope\">\n<testPart "
      "identifier=\"part\" navigationMode=\"nonlinear\" submissionMode=\"individual\">\n{}</testPart>\n"
      "</assessmentTest>\n",
      xml_begin, qti_space, parts.size() == 1 ? xml_escaped(parts.front().title) : "AttnScope", sections);
}

std::string manifest_of(std::span<const QuizPart> parts) {
  std::string items, of_test;
  for (const QuizPart& part : parts)
    for (const QuizItem& item : part.items) {
      items += fmt::format(
          "<resource identifier=\"{0}\" type=\"imsqti_item_xmlv2p1\" href=\"{1}\"><file "
          "href=\"{1}\"/></resource>\n",
          item.id, path_of(item));
      of_test += fmt::format("<dependency identifierref=\"{}\"/>\n", item.id);
    }
  return fmt::format(
      "{}<manifest xmlns=\"http://www.imsglobal.org/xsd/imscp_v1p1\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:schemaLocation=\"http://www.imsglobal.org/xsd/imscp_v1p1 "
      "http://www.imsglobal.org/xsd/qti/qtiv2p1/qtiv2p1_imscpv1p2_v1p0.xsd\" identifier=\"manifest\">\n"
      "<metadata><schema>QTIv2.1 Package</schema><schemaversion>1.0.0</schemaversion></metadata>\n"
      "<organizations/>\n<resources>\n<resource identifier=\"test\" type=\"imsqti_test_xmlv2p1\" "
      "href=\"test.xml\"><file href=\"test.xml\"/>\n{}</resource>\n{}</resources>\n</manifest>\n",
      xml_begin, of_test, items);
}

}  // namespace

std::string quiz_qti(std::span<const QuizPart> parts, const PrintWords& in) {
  std::vector<ZipFile> files{{"imsmanifest.xml", manifest_of(parts)}, {"test.xml", test_of(parts)}};
  for (const QuizPart& part : parts)
    for (const QuizItem& item : part.items)
      files.push_back({path_of(item), ItemWriter(item, part.language, in.words).xml()});
  return zip_archive(files);
}

}  // namespace attnscope::prints
