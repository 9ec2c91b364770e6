#include "reader/main.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "cli/program.hpp"
#include "h5/handle.hpp"
#include "proc/reader_program.hpp"

namespace {

// A file of ours must never get the number of a closed standard stream: what is printed would land
// in it.
void open_standard_streams() {
  int fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = dup(fd);
  if (fd > STDERR_FILENO) close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  if (argc > 1 && std::strcmp(argv[1], ziggurat::reader::kReaderOption) == 0) {
    return ziggurat::reader::run(argc, argv);
  }
  ziggurat::proc::this_program_reads();
  ziggurat::h5::skip_cleanup_at_exit();
  return ziggurat::cli::run(argc, argv);
}
