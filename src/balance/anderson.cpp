#include "balance/anderson.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <Eigen/Eigenvalues>
#include <span>

#include "balance/numpy_sums.hpp"

namespace ziggurat::balance {
namespace {

constexpr Eigen::Index kElementsPerTask = 16384;

// Directions of the normal equations below this share of the largest are rounding errors.
constexpr double kSingular = 1e-12;

std::span<const double> values(const Eigen::ArrayXd& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

double product(const Eigen::ArrayXd& a, const Eigen::ArrayXd& b) {
  return blocked_dot(values(a), values(b));
}

}  // namespace

void AndersonMixer::advance(Eigen::ArrayXd& point, const Eigen::ArrayXd& residual) {
  const Eigen::ArrayXd image = point + residual;
  if (last_image_.size() > 0) remember(residual, image);
  last_residual_ = residual;
  last_image_ = image;
  if (!differences_.empty()) {
    Eigen::ArrayXd next = mixed(image, coefficients(residual));
    if (((next - point).abs() <= kLongestStep).all()) {
      point = std::move(next);
      return;
    }
    differences_.clear();
  }
  point = image;
}

void AndersonMixer::remember(const Eigen::ArrayXd& residual, const Eigen::ArrayXd& image) {
  if (differences_.size() == kDepth) differences_.pop_front();
  differences_.push_back({residual - last_residual_, image - last_image_});
  const auto n = static_cast<Eigen::Index>(differences_.size());
  Eigen::MatrixXd products(n, n);
  const Eigen::Index kept = n - 1;
  products.topLeftCorner(kept, kept) = products_.bottomRightCorner(kept, kept);
  for (Eigen::Index i = 0; i < n; ++i) {
    products(i, kept) =
        product(differences_[static_cast<std::size_t>(i)].residual, differences_.back().residual);
    products(kept, i) = products(i, kept);
  }
  products_ = std::move(products);
}

Eigen::VectorXd AndersonMixer::coefficients(const Eigen::ArrayXd& residual) const {
  const auto n = static_cast<Eigen::Index>(differences_.size());
  Eigen::VectorXd right(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    right[i] = product(differences_[static_cast<std::size_t>(i)].residual, residual);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> system(products_);
  const Eigen::VectorXd& sizes = system.eigenvalues();
  Eigen::VectorXd along = system.eigenvectors().transpose() * right;
  const double smallest = kSingular * sizes[n - 1];
  for (Eigen::Index i = 0; i < n; ++i) along[i] = sizes[i] > smallest ? along[i] / sizes[i] : 0;
  return system.eigenvectors() * along;
}

Eigen::ArrayXd AndersonMixer::mixed(const Eigen::ArrayXd& image,
                                    const Eigen::VectorXd& coefficients) const {
  Eigen::ArrayXd next(image.size());
  const auto mix = [&](Eigen::Index first, Eigen::Index n) {
    auto part = next.segment(first, n);
    part = image.segment(first, n);
    for (Eigen::Index i = 0; i < coefficients.size(); ++i) {
      const Difference& difference = differences_[static_cast<std::size_t>(i)];
      part -= coefficients[i] * difference.image.segment(first, n);
    }
  };
  tbb::parallel_for(tbb::blocked_range<Eigen::Index>(0, next.size(), kElementsPerTask),
                    [&](const auto& range) { mix(range.begin(), range.end() - range.begin()); });
  return next;
}

}  // namespace ziggurat::balance
