// tests/support: a table without pages, for programs that are linked without their views.
#include "app/state/page/page_state.hpp"

std::vector<attnscope::PageState> attnscope::first_page_states() { return {}; }
