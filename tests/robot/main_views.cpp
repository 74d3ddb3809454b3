#include "tests/robot/main_views.hpp"

namespace attnscope {
namespace {

const MainView views[] = {
    {"explore", [](Robot&) {}},
    {"walk", [](Robot& robot) { robot.app().view().mode = Mode::Walk; }},
    {"compare",
     [](Robot& robot) {
       robot.app().view().mode = Mode::Compare;
       robot.key(ImGuiKey_Backslash);
       robot.settle();
       robot.key(ImGuiKey_S);
       robot.settle();
     }},
    {"compare-empty", [](Robot& robot) { robot.app().view().mode = Mode::Compare; }},
    {"lines", [](Robot& robot) { robot.key(ImGuiKey_G); }},
    {"neurons", [](Robot& robot) { robot.key(ImGuiKey_E); }},
    {"weights", [](Robot& robot) { robot.key(ImGuiKey_W); }},
};

}  // namespace

std::span<const MainView> main_views() { return views; }

}  // namespace attnscope
