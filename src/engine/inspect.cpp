#include "ziggurat/inspect.hpp"

#include "engine/reader_pool.hpp"
#include "genome/uri.hpp"
#include "proc/reader_program.hpp"

namespace ziggurat {

std::vector<std::string> list_maps(const std::string& file, const std::string& reader_program,
                                   Observer* observer) {
  Observer nobody;
  const wire::Frame answer =
      engine::ask_reader(proc::reader_program(reader_program), {file, "/", {}}, reader::Kind::list,
                         reader::Kind::groups, observer != nullptr ? *observer : nobody);
  wire::Decoder in(answer.payload);
  return reader::decode_texts(in);
}

std::vector<MapAttribute> map_attributes(const std::string& uri, const std::string& reader_program,
                                         Observer* observer) {
  const genome::Uri where = genome::parse_uri(uri);
  Observer nobody;
  const wire::Frame answer = engine::ask_reader(
      proc::reader_program(reader_program), {where.file, where.group, {}}, reader::Kind::attributes,
      reader::Kind::attribute_texts, observer != nullptr ? *observer : nobody);
  wire::Decoder in(answer.payload);
  std::vector<MapAttribute> attributes;
  for (reader::AttributeText& text : reader::decode_attribute_texts(in)) {
    attributes.push_back({std::move(text.name), std::move(text.text), text.is_number});
  }
  return attributes;
}

std::vector<FileObject> list_objects(const std::string& uri, std::int64_t levels,
                                     const std::string& reader_program, Observer* observer) {
  const genome::Uri where = genome::parse_uri(uri);
  Observer nobody;
  wire::Encoder message;
  encode(reader::OutlineRequest{where.file, where.group, levels}, message);
  const wire::Frame answer = engine::ask_reader(
      proc::reader_program(reader_program), where.file, message, reader::Kind::outline,
      reader::Kind::outlined, observer != nullptr ? *observer : nobody);
  wire::Decoder in(answer.payload);
  std::vector<FileObject> objects;
  for (h5::OutlinedObject& found : reader::decode_outline(in)) {
    FileObject& object = objects.emplace_back();
    object.name = std::move(found.name);
    object.depth = found.depth;
    object.is_group = found.is_group;
    object.shape = std::move(found.shape);
    object.type = std::move(found.type);
    object.stored_bytes = found.stored_bytes;
    for (h5::OutlinedAttribute& attribute : found.attributes) {
      object.attributes.push_back(
          {std::move(attribute.name), attribute.scalar, std::move(attribute.values)});
    }
  }
  return objects;
}

}  // namespace ziggurat
