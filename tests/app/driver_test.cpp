// The program on a machine without a graphics card's driver: it starts without any CUDA library.
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/results/choose_backend.hpp"
#include "support/program.hpp"

namespace attnscope::driver_test {
namespace {

std::string libraries_of_the_program() {
  FILE* pipe = ::popen(("ldd '" + test::program_path() + "'").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string all;
  for (char buffer[4096]; const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe);)
    all.append(buffer, got);
  REQUIRE(::pclose(pipe) == 0);
  return all;
}

}  // namespace

TEST_CASE("The program links no library of CUDA, and without a driver it says why the CPU computes") {
  const std::string libraries = libraries_of_the_program();
  REQUIRE(libraries.find("libc.so") != std::string::npos);
  CHECK(libraries.find("libcu") == std::string::npos);
  CHECK(libraries.find("libnv") == std::string::npos);

  const test::TemporaryDirectory directory;
  CHECK(test::run(directory, "--version").exit_code == 0);

  if (void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY)) {
    ::dlclose(driver);
    SKIP("there is a driver");
  }
  const std::vector<BackendChoice> all = list_backends();
  REQUIRE(all.size() == 2);
  CHECK(all.back().backend == nullptr);
  CHECK(chosen_backend(all, BackendPreference::Auto).name == "CPU");
  const std::string& reason = all.back().why_not;
  const bool told = reason == "This computer has no NVIDIA driver, so the CPU computes everything." ||
                    reason == "This build has no CUDA kernels, so the CPU computes everything.";
  INFO(reason);
  CHECK(told);
}

}  // namespace attnscope::driver_test
