#include "reader/main.hpp"

#include <cstring>

#include "cli/program.hpp"

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], ziggurat::reader::kReaderOption) == 0) {
    return ziggurat::reader::run(argc, argv);
  }
  return ziggurat::cli::run(argc, argv);
}
