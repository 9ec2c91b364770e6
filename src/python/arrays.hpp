// Vectors as NumPy arrays of one dimension, without copying.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

#include "ziggurat/read.hpp"

namespace ziggurat::python {

template <typename Number>
nanobind::any array_of(std::vector<Number> numbers) {
  auto kept = std::make_unique<std::vector<Number>>(std::move(numbers));
  std::vector<Number>* const vector = kept.get();
  const nanobind::capsule owner(kept.release(), [](void* pointer) noexcept {
    delete static_cast<std::vector<Number>*>(pointer);
  });
  nanobind::ndarray<nanobind::numpy, Number, nanobind::ndim<1>> array(vector->data(),
                                                                      {vector->size()}, owner);
  return nanobind::borrow<nanobind::any>(nanobind::cast(array));
}

inline nanobind::any array_of(PixelValues values) {
  return std::visit([](auto& numbers) { return array_of(std::move(numbers)); }, values);
}

}  // namespace ziggurat::python
