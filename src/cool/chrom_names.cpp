// Chromosomes have their names in chroms/name and once more, where that fits, in the type of
// bins/chrom. A dataset cannot change its type, so both are made anew, and HDF5 takes back the old
// ones. The maps of a single-cell file share these datasets, or the groups they are in, under many
// names: which belong together is found out before anything is changed, because afterwards the old
// object is gone and its address may be another's.
#include "cool/chrom_names.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "cool/bin_writer.hpp"
#include "h5/chunk_io.hpp"
#include "h5/journal.hpp"
#include "h5/output_file.hpp"
#include "h5/types.hpp"

namespace ziggurat::cool {

namespace {

constexpr int kTableLevel = 6;  // of compression, whatever the rest of the file has

struct Place {
  std::string group;    // that the dataset is in
  std::string dataset;  // its path
};

Place names_of(const std::string& map) {
  const std::string group = (map == "/" ? "" : map) + "/chroms";
  return {group, group + "/name"};
}

Place ids_of(const std::string& map) {
  const std::string group = (map == "/" ? "" : map) + "/bins";
  return {group, group + "/chrom"};
}

// One dataset and all the places that it has among the maps.
struct SharedDataset {
  std::string map;  // the first that has it
  Place place;
  std::vector<Place> more;  // in groups of their own
};

std::vector<SharedDataset> datasets_of(hid_t file, const std::vector<std::string>& maps,
                                       Place (*place_in)(const std::string& map)) {
  std::vector<SharedDataset> found;
  for (const std::string& map : maps) {
    const Place place = place_in(map);
    const auto known = std::find_if(found.begin(), found.end(), [&](const SharedDataset& dataset) {
      return h5::is_same_object(file, dataset.place.dataset, place.dataset);
    });
    if (known == found.end()) {
      found.push_back({map, place, {}});
    } else if (!h5::is_same_object(file, known->place.group, place.group)) {
      known->more.push_back(place);
    }
  }
  return found;
}

// One group may be reached in several ways, and then is put right with the first of them.
void share_again(hid_t file, const SharedDataset& dataset) {
  for (const Place& place : dataset.more) {
    if (h5::is_same_object(file, place.dataset, dataset.place.dataset)) continue;
    h5::remove_object(file, place.dataset);
    h5::link_object(file, dataset.place.dataset, place.dataset);
  }
}

class Renaming {
 public:
  Renaming(hid_t file, const std::string& label, const RenamedTables& request)
      : file_(file), label_(label), request_(request) {}

  void run() {
    refuse_shared_with_others();
    const std::vector<SharedDataset> names = datasets_of(file_, request_.groups, names_of);
    const std::vector<SharedDataset> ids = datasets_of(file_, request_.groups, ids_of);
    // bins/chrom is read with the old names.
    for (const SharedDataset& dataset : ids) {
      if (renew_ids(dataset)) share_again(file_, dataset);
    }
    for (const SharedDataset& dataset : names) {
      renew_names(dataset);
      share_again(file_, dataset);
    }
  }

 private:
  void refuse_shared_with_others() const {
    for (const std::string& other : request_.others) {
      for (const std::string& map : request_.groups) {
        if (h5::is_same_object(file_, map, other)) continue;  // a second name of the map
        for (const auto place_in : {names_of, ids_of}) {
          if (!h5::is_same_object(file_, place_in(map).dataset, place_in(other).dataset)) continue;
          fail(ErrorCode::usage,
               "{}::{} shares {} with {}: rename the chromosomes of the whole file", label_, map,
               place_in(map).dataset, other);
        }
      }
    }
  }

  [[nodiscard]] std::vector<std::string> old_names(const std::string& map) const {
    return h5::read_strings(h5::open_column(file_, names_of(map).dataset, label_));
  }

  [[nodiscard]] std::vector<genome::Chromosome> renamed(const std::string& map) const {
    std::vector<genome::Chromosome> chromosomes;
    for (const std::string& name : old_names(map)) {
      const auto to = request_.names.find(name);
      chromosomes.push_back({to == request_.names.end() ? name : to->second, 0});
    }
    return chromosomes;
  }

  // The rows of chroms that bins/chrom means; some writers store the names themselves.
  [[nodiscard]] std::vector<std::int64_t> read_ids(const h5::Column& column,
                                                   const std::string& map) const {
    if (column.number) return h5::read_integers(column);
    std::map<std::string, std::int64_t> rows;
    for (std::string& name : old_names(map)) rows.emplace(std::move(name), std::ssize(rows));
    std::vector<std::int64_t> ids;
    for (const std::string& name : h5::read_strings(column)) ids.push_back(rows.at(name));
    return ids;
  }

  // False when it holds no names, and so stays.
  bool renew_ids(const SharedDataset& dataset) {
    h5::Column old = h5::open_column(file_, dataset.place.dataset, label_);
    if (old.number && !h5::is_enumeration(old.type)) return false;
    const std::vector<std::int64_t> ids = read_ids(old, dataset.map);
    const std::vector<h5::NamedValue> attributes = h5::read_attributes(old.dataset.id(), old.label);
    old = {};
    h5::remove_object(file_, dataset.place.dataset);
    const h5::Group group = h5::open_group(file_, dataset.place.group, label_);
    const h5::Dataset made = write_chrom_ids(
        group.id(), renamed(dataset.map), std::ssize(ids),
        [&](std::int64_t bin) { return ids[static_cast<std::size_t>(bin)]; }, writer_);
    carry(attributes, made);
    return true;
  }

  void renew_names(const SharedDataset& dataset) {
    const std::vector<genome::Chromosome> chromosomes = renamed(dataset.map);
    std::vector<h5::NamedValue> attributes;
    {
      const h5::Column old = h5::open_column(file_, dataset.place.dataset, label_);
      attributes = h5::read_attributes(old.dataset.id(), old.label);
    }
    h5::remove_object(file_, dataset.place.dataset);
    const h5::Group group = h5::open_group(file_, dataset.place.group, label_);
    carry(attributes, write_chrom_names(group.id(), chromosomes, writer_));
  }

  static void carry(const std::vector<h5::NamedValue>& attributes, const h5::Dataset& to) {
    for (const h5::NamedValue& attribute : attributes) {
      if (h5::has_attribute(to.id(), attribute.name)) continue;
      h5::write_attribute(to.id(), attribute.name, attribute.value);
    }
  }

  hid_t file_;
  const std::string& label_;
  const RenamedTables& request_;
  TableWriter writer_{kTableLevel};
};

}  // namespace

void rename_chroms(const std::string& path, const RenamedTables& request,
                   const h5::LockPatience& patience, const std::function<void()>& check) {
  h5::JournaledEdit edit(path, h5::posix_file_ops(), patience);
  check();
  {
    const h5::OutputFile file = h5::OutputFile::open(path, edit.state());
    h5::check_work(file, [&] { Renaming(file.id(), path, request).run(); });
  }
  edit.commit();
}

}  // namespace ziggurat::cool
