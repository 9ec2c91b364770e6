#include "cool/map_links.hpp"

#include "base/check.hpp"
#include "h5/chunk_io.hpp"
#include "h5/journal.hpp"
#include "h5/object.hpp"
#include "h5/output_file.hpp"

namespace ziggurat::cool {

namespace {

void make_way(hid_t file, const std::string& path) {
  if (h5::has_object(file, path)) h5::remove_object(file, path);
  const std::size_t last = path.find_last_of('/');
  if (last > 0 && !h5::has_object(file, path.substr(0, last))) {
    static_cast<void>(h5::create_group(file, path.substr(0, last)));
  }
}

}  // namespace

void place_group(const std::string& path, const std::string& from, const std::string& to,
                 Placing placing, std::chrono::milliseconds lock_timeout,
                 const std::function<void()>& check) {
  h5::JournaledEdit edit(path, h5::posix_file_ops(), lock_timeout);
  check();
  {
    const h5::OutputFile file = h5::OutputFile::open(path, edit.state());
    // Making way for a map that links lead to would remove the map.
    if (h5::is_same_object(file.id(), from, to)) {
      fail(ErrorCode::usage, "{}::{} and {}::{} are the same map", path, from, path, to);
    }
    make_way(file.id(), to);
    switch (placing) {
      case Placing::move:
        h5::rename_object(file.id(), from, to);
        break;
      case Placing::hard_link:
        h5::link_object(file.id(), from, to);
        break;
      case Placing::soft_link:
        h5::link_path(file.id(), from, to);
        break;
    }
  }
  edit.commit();
}

}  // namespace ziggurat::cool
