// core/files/document: the session that an HTML page of AttnScope carries (app/exports/html). It is the same
// JSON as in a session's own file, in an element of its own: as text, or deflated where it is long.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace attnscope {

/// Whether a file is an HTML page that AttnScope wrote, by its first bytes, whatever its name is. False for
/// what cannot be read.
bool is_html_session(const std::filesystem::path&);

/// The JSON in a page. Throws Error that names `where` when the page has none or it is damaged.
std::string session_in_html(std::string_view html, const std::string& where);

/// The element for the page. Of JSON alone `<` has to be written as its escape; every other byte stays.
std::string html_session_element(std::string_view json);
/// The same with the JSON packed: `zlib` (RFC 1950) are the deflated bytes of so many.
std::string packed_session_element(std::string_view zlib, std::size_t bytes);

/// JSON as it may stand in a script element: the same value without any "<".
std::string json_in_html(std::string_view json);

}  // namespace attnscope
