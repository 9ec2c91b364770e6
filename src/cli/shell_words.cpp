#include "cli/shell_words.hpp"

#include <array>
#include <cstddef>

#include "base/check.hpp"

namespace ziggurat::cli {

namespace {

constexpr std::string_view kBlanks = " \t\n\r";

// En dash, em dash, minus sign, and the hyphens that are not on a keyboard, in UTF-8.
constexpr std::array<std::string_view, 5> kOtherDashes = {
    "\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x88\x92", "\xe2\x80\x90", "\xe2\x80\x91"};

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<std::string> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (kBlanks.find(c) != std::string_view::npos) {
        end_word();
      } else if (c == '\'') {
        take_single_quoted();
      } else if (c == '"') {
        take_double_quoted();
      } else {
        take(c == '\\' ? escaped() : c);
      }
    }
    end_word();
    return std::move(words_);
  }

 private:
  void take(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  char escaped() {
    if (at_ == text_.size()) fail(ErrorCode::usage, "'{}' ends in a backslash", text_);
    return text_[at_++];
  }

  void take_single_quoted() {
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) refuse_open_quote();
    word_ += text_.substr(at_, end - at_);
    in_word_ = true;
    at_ = end + 1;
  }

  void take_double_quoted() {
    in_word_ = true;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return;
      const bool special = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\\');
      word_ += c == '\\' && special ? text_[at_++] : c;
    }
    refuse_open_quote();
  }

  [[noreturn]] void refuse_open_quote() const {
    fail(ErrorCode::usage, "'{}' has a quote that is not closed", text_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> split_like_a_shell(std::string_view text) { return Splitter(text).run(); }

bool begins_with_other_dash(std::string_view word) {
  for (const std::string_view dash : kOtherDashes) {
    if (word.starts_with(dash)) return true;
  }
  return false;
}

std::string dash_advice(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!begins_with_other_dash(word)) continue;
    return fmt::format(
        "'{}' begins with a dash that is not the hyphen '-' of options, as text copied from a "
        "document has it",
        word);
  }
  return "";
}

}  // namespace ziggurat::cli
