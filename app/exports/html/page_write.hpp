// app/exports/html: the page and what it shows as one HTML file: no library, nothing from a network. A file
// that this wrote opens as the session that it carries, see core/files/document/html_session.hpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/exports/html/page_data.hpp"
#include "app/ui/words.hpp"

namespace attnscope {

/// The file's bytes, in the language of `words`, whose code is `language`; the page is that of
/// `assets`/html. Throws Error where that cannot be read.
std::string html_file(const HtmlPage&, const Words& words, std::string_view language,
                      const std::filesystem::path& assets);

/// Text as it may stand in HTML, also between double quotes. What HTML has no character for becomes U+FFFD.
std::string html_escaped(std::string_view text);

}  // namespace attnscope
