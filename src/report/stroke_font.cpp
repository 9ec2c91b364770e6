#include "report/stroke_font.hpp"

#include <algorithm>
#include <array>

namespace ziggurat::report {

namespace {

constexpr double kBaseLine = 6;
constexpr double kGap = 1.7;
constexpr double kBlank = 2.6;

struct Glyph {
  char character;
  const char* lines;  // points as pairs of digits (column, row); a blank begins a new line
};

constexpr std::array<Glyph, 75> kGlyphs{{
    {'0', "103041453616050110"},
    {'1', "112026"},
    {'2', "01103041420646"},
    {'3', "01103041423313 334445361605"},
    {'4', "36300444"},
    {'5', "400003324345361605"},
    {'6', "413010010516364544331304"},
    {'7', "004016"},
    {'8', "103041423313020110 1304051636454433"},
    {'9', "423313020110304145361605"},
    {'A', "062046 1434"},
    {'B', "00063645443303 3342413000"},
    {'C', "4130100105163645"},
    {'D', "00062645412000"},
    {'E', "40000646 0333"},
    {'F', "400006 0333"},
    {'G', "41301001051636454323"},
    {'H', "0006 4046 0343"},
    {'I', "2026"},
    {'J', "4045361605"},
    {'K', "0006 400346"},
    {'L', "000646"},
    {'M', "0600234046"},
    {'N', "06004640"},
    {'O', "103041453616050110"},
    {'P', "06003041423303"},
    {'Q', "103041453616050110 3446"},
    {'R', "06003041423303 2346"},
    {'S', "413010010213334445361605"},
    {'T', "0040 2026"},
    {'U', "000516364540"},
    {'V', "002640"},
    {'W', "0016223640"},
    {'X', "0046 4006"},
    {'Y', "002340 2326"},
    {'Z', "00400646"},
    {'a', "12324346 4414051636"},
    {'b', "0006 0312324345361605"},
    {'c', "4332120305163645"},
    {'d', "4046 4332120305163645"},
    {'e', "044443321203051636"},
    {'f', "30201116 0232"},
    {'g', "42473818 4332120305163645"},
    {'h', "0006 0312324346"},
    {'i', "2226 2020"},
    {'j', "32372818 3030"},
    {'k', "0006 3204 1436"},
    {'l', "2026"},
    {'m', "0206 03122326 23324346"},
    {'n', "0206 0312324346"},
    {'o', "123243453616050312"},
    {'p', "0208 0312324345361605"},
    {'q', "4248 4332120305163645"},
    {'r', "0206 031232"},
    {'s', "4212031434453606"},
    {'t', "10152636 0232"},
    {'u', "0205163645 4246"},
    {'v', "022642"},
    {'w', "0216233642"},
    {'x', "0246 4206"},
    {'y', "0226 421808"},
    {'z', "02420646"},
    {'.', "2626"},
    {',', "2617"},
    {':', "2222 2525"},
    {';', "2222 2617"},
    {'-', "0434"},
    {'_', "0747"},
    {'+', "0444 2226"},
    {'/', "4006"},
    {'(', "30212536"},
    {')', "10212516"},
    {'|', "2027"},
    {'*', "1335 3315"},
    {'=', "0343 0545"},
}};

constexpr const char* kBox = "0040460600";

const char* lines_of(char character) {
  for (const Glyph& glyph : kGlyphs) {
    if (glyph.character == character) return glyph.lines;
  }
  return kBox;
}

// Points of one glyph as strokes, with its leftmost point at `x`; returns its width.
double append(const char* lines, double x, std::vector<Stroke>& out) {
  const std::size_t first = out.size();
  double left = 9;
  double right = 0;
  std::vector<std::pair<int, int>> points;
  const auto end_line = [&] {
    for (std::size_t i = 1; i < points.size(); ++i) {
      out.push_back({static_cast<double>(points[i - 1].first),
                     static_cast<double>(points[i - 1].second) - kBaseLine,
                     static_cast<double>(points[i].first),
                     static_cast<double>(points[i].second) - kBaseLine});
    }
    points.clear();
  };
  for (const char* at = lines; *at != '\0';) {
    if (*at == ' ') {
      end_line();
      ++at;
      continue;
    }
    points.emplace_back(at[0] - '0', at[1] - '0');
    left = std::min(left, static_cast<double>(points.back().first));
    right = std::max(right, static_cast<double>(points.back().first));
    at += 2;
  }
  end_line();
  for (std::size_t i = first; i < out.size(); ++i) {
    out[i].x1 += x - left;
    out[i].x2 += x - left;
  }
  return right - left;
}

}  // namespace

TextStrokes strokes_of(std::string_view text) {
  TextStrokes drawn;
  for (const char character : text) {
    if (character == ' ') {
      drawn.width += kBlank;
    } else if ((static_cast<unsigned char>(character) & 0xC0) != 0x80) {
      drawn.width += append(lines_of(character), drawn.width, drawn.strokes) + kGap;
    }
  }
  return drawn;
}

}  // namespace ziggurat::report
