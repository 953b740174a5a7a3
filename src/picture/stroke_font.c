/* A stroke font. A letter is a list of strokes on a grid: capitals are 14 units high, small letters
 * 10, and tails reach 4 below the base line. A stroke is a list of points, each a letter for x
 * (a = 0) and a capital for y (E = 0, O = 10, S = 14). Behind '~' the points are the control points
 * of a quadratic B-spline that starts and ends in its end points, or is closed if these are equal;
 * a point given twice is a corner. */
#include "picture/stroke_font.h"

#include <math.h>
#include <string.h>

enum { CAPITAL = 14, FIRST = 32, MOST_SEGMENTS = 96, CURVE_STEPS = 6 };

typedef struct letter {
  int advance;
  const char *strokes;
} letter;

static const letter letters[] = {
    {5, ""},                                  // blank
    {4, "bSbI bFbE"},                         // !
    {7, "bSbP eSeP"},                         // "
    {12, "cEeS gEiS aNkN aIkI"},              // #
    {10, "~iPiSaSaLiLiEaEaH eUeC"},           // $
    {12, "aEjS ~aSdSdNaNaS ~gJjJjEgEgJ"},     // %
    {12, "~jEbPbShShPaKaEgEjK"},              // &
    {4, "bSbP"},                              // '
    {5, "~dTaPaHdC"},                         // (
    {5, "~aTdPdHaC"},                         // )
    {8, "dSdM aQgO gQaO"},                    // *
    {10, "aKiK eOeG"},                        // +
    {4, "bFaC"},                              // ,
    {8, "aJfJ"},                              // -
    {4, "bFbE"},                              // .
    {8, "aCgS"},                              // /
    {10, "~aSiSiLiEaEaLaS"},                  // 0
    {10, "bPfSfE"},                           // 1
    {10, "~aPaSiSiKaEaEiE"},                  // 2
    {10, "~aQaSiSiLdL ~dLiLiEaEaG"},          // 3
    {10, "gEgSaIiI"},                         // 4
    {10, "~hSbSbSbLbLcNiNiEaEaG"},            // 5
    {10, "~hRhSaSaLaEiEiNaNaI"},              // 6
    {10, "aSiSdE"},                           // 7
    {10, "~bShShLbLbS ~aLiLiEaEaL"},          // 8
    {10, "~bFbEiEiLiSaSaJiJiO"},              // 9
    {4, "bFbE bNbM"},                         // :
    {4, "bFaC bNbM"},                         // ;
    {10, "hOaJhE"},                           // <
    {10, "aMiM aIiI"},                        // =
    {10, "aOhJaE"},                           // >
    {9, "~aPaShShLdLdI dFdE"},                // ?
    {14, "~iNiMeMeHiHiN iNiHlHlSaSaDkD"},     // @
    {12, "aEfSkE cIiI"},                      // A
    {10, "aEaS ~aSfShShLfLaL ~aLfLiLiEfEaE"}, // B
    {11, "~jQjSaSaLaEjEjG"},                  // C
    {11, "aEaS ~aSdSjSjLjEdEaE"},             // D
    {10, "iSaSaEiE aLhL"},                    // E
    {10, "iSaSaE aLhL"},                      // F
    {12, "~jQjSaSaLaEjEjK jLfL"},             // G
    {12, "aSaE jSjE aLjL"},                   // H
    {4, "bSbE"},                              // I
    {9, "~gSgIgEaEaH"},                       // J
    {10, "aSaE iSaJ dMiE"},                   // K
    {9, "aSaEhE"},                            // L
    {13, "aEaSfHkSkE"},                       // M
    {12, "aEaSjEjS"},                         // N
    {12, "~aSjSjLjEaEaLaS"},                  // O
    {10, "aEaS ~aSfSiSiKfKaK"},               // P
    {12, "~aSjSjLjEaEaLaS gIkD"},             // Q
    {10, "aEaS ~aSfSiSiKfKaK eKiE"},          // R
    {10, "~iPiSaSaLiLiEaEaH"},                // S
    {10, "aSiS eSeE"},                        // T
    {12, "~aSaIaEjEjIjS"},                    // U
    {12, "aSfEkS"},                           // V
    {15, "aSdEgQjEmS"},                       // W
    {11, "aSjE jSaE"},                        // X
    {10, "aSeLiS eLeE"},                      // Y
    {10, "aSiSaEiE"},                         // Z
    {5, "dTaTaCdC"},                          // [
    {8, "aSgC"},                              // backslash
    {5, "aTdTdCaC"},                          // ]
    {8, "aOdSgO"},                            // ^
    {10, "aCiC"},                             // _
    {5, "aSdP"},                              // `
    {9, "~aOhOhEaEaO hOhE"},                  // a
    {9, "aSaE ~aOhOhEaEaO"},                  // b
    {9, "~hMhOaOaEhEhG"},                     // c
    {9, "hShE ~aOhOhEaEaO"},                  // d
    {9, "~aJhJhJhOaOaEhEhG"},                 // e
    {7, "~gSdSdNdE aOfO"},                    // f
    {9, "~aOhOhEaEaO ~hOhFhAaAaC"},           // g
    {9, "aSaE ~aKaOhOhJhE"},                  // h
    {4, "bObE bSbR"},                         // i
    {5, "~cOcFcAaA cScR"},                    // j
    {9, "aSaE hOaH cJhE"},                    // k
    {4, "bSbE"},                              // l
    {13, "aOaE ~aKaOfOfJfE ~fKfOkOkJkE"},     // m
    {9, "aOaE ~aKaOhOhJhE"},                  // n
    {9, "~aOhOhEaEaO"},                       // o
    {9, "aOaA ~aOhOhEaEaO"},                  // p
    {9, "hOhA ~aOhOhEaEaO"},                  // q
    {7, "aOaE ~aKaOfO"},                      // r
    {8, "~gMgOaOaJgJgEaEaG"},                 // s
    {8, "~dRdIdEgE aOgO"},                    // t
    {9, "~aOaJaEhEhI hOhE"},                  // u
    {10, "aOeEiO"},                           // v
    {12, "aOdEfMhEkO"},                       // w
    {9, "aOhE hOaE"},                         // x
    {9, "aOeE iOcA"},                         // y
    {9, "aOhOaEhE"},                          // z
    {6, "~eTcTcLaLaL ~aLcLcCeC"},             // {
    {4, "bTbC"},                              // |
    {6, "~aTcTcLeLeL ~eLcLcCaC"},             // }
    {10, "~aJaNeNeJiJiN"},                    // ~
};

/* Letters beyond ASCII, by their UTF-8 bytes. */
static const struct {
  const char *bytes;
  int raised;
  letter shape;
} signs[] = {
    {"\xc2\xb0", 0, {5, "~aSdSdOaOaS"}},              // degree
    {"\xc2\xb5", 0, {9, "aOaA ~aOaJaEhEhI hOhE"}},    // micro
    {"\xce\xbc", 0, {9, "aOaA ~aOaJaEhEhI hOhE"}},    // mu
    {"\xc2\xb7", 0, {4, "bKbJ"}},                     // middle dot
    {"\xc3\x97", 0, {9, "aMgG gMaG"}},                // times
    {"\xe2\x88\x92", 0, {10, "aJiJ"}},                // minus
    {"\xe2\x80\x93", 0, {10, "aJiJ"}},                // dash
    {"\xc2\xb2", 1, {10, "~aPaSiSiKaEaEiE"}},         // raised 2
    {"\xc2\xb3", 1, {10, "~aQaSiSiLdL ~dLiLiEaEaG"}}, // raised 3
};

static const letter unknown = {10, "aEaSiSiEaE"};

/* Reads one letter, moves on behind it, and says whether it is raised. */
static const letter *next_letter(const char **text, int *in_exponent, int *raised)
{
  const unsigned char *at = (const unsigned char *)*text;
  if (*at < 128) {
    // an exponent lasts as long as its sign and digits do
    int sign = (*at == '-' || *at == '+') && *in_exponent == 1;
    *in_exponent = *in_exponent && (sign || (*at >= '0' && *at <= '9')) ? 2 : 0;
    *raised = *in_exponent != 0;
    *text += 1;
    return *at >= FIRST && *at < 127 ? &letters[*at - FIRST] : &letters[0];
  }
  *in_exponent = 0;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    size_t length = strlen(signs[i].bytes);
    if (strncmp(*text, signs[i].bytes, length) != 0) continue;
    *text += length;
    *raised = signs[i].raised;
    return &signs[i].shape;
  }
  *raised = 0;
  do ++*text;
  while (((unsigned char)**text & 0xc0) == 0x80);
  return &unknown;
}

/* A '^' in front of a number starts an exponent and is not drawn. */
static int starts_exponent(const char *text)
{
  if (*text != '^') return 0;
  const char *digit = text + 1 + (text[1] == '-' || text[1] == '+');
  return *digit >= '0' && *digit <= '9';
}

/* Calls draw for every letter with its place and height. */
static double walk(const char *text, double size,
                   void (*draw)(void *context, const letter *shape, double x, double up,
                                double size),
                   void *context)
{
  double x = 0;
  int in_exponent = 0, raised;
  while (*text) {
    if (starts_exponent(text)) {
      in_exponent = 1;
      text++;
      continue;
    }
    const letter *shape = next_letter(&text, &in_exponent, &raised);
    double height = raised ? 0.68 * size : size;
    if (draw) draw(context, shape, x, raised ? 0.5 * size : 0, height);
    x += (shape->advance + 2.2) * height / CAPITAL;
  }
  return x;
}

double pl_stroke_font_width(const char *text, double size)
{
  double width = walk(text, size, NULL, NULL);
  return width > 0 ? width - 2.2 * size / CAPITAL : 0;
}

/* ---- strokes to line segments ---- */

typedef struct point {
  double x, y;
} point;

typedef struct outline {
  int count;
  point from[MOST_SEGMENTS], to[MOST_SEGMENTS];
} outline;

static void add_segment(outline *lines, point from, point to)
{
  if (lines->count == MOST_SEGMENTS) return;
  lines->from[lines->count] = from;
  lines->to[lines->count++] = to;
}

static point middle(point a, point b) { return (point){0.5 * (a.x + b.x), 0.5 * (a.y + b.y)}; }

/* The parabola from a to c that leaves and arrives in the direction of b. */
static void add_parabola(outline *lines, point a, point b, point c)
{
  point before = a;
  for (int i = 1; i <= CURVE_STEPS; i++) {
    double t = (double)i / CURVE_STEPS, s = 1 - t;
    point next = {s * s * a.x + 2 * s * t * b.x + t * t * c.x,
                  s * s * a.y + 2 * s * t * b.y + t * t * c.y};
    add_segment(lines, before, next);
    before = next;
  }
}

static void add_curve(outline *lines, const point *points, int count)
{
  int closed = points[0].x == points[count - 1].x && points[0].y == points[count - 1].y;
  point start = closed ? middle(points[0], points[1]) : points[0];
  for (int i = 1; i + 1 < count; i++) {
    point end = closed || i + 2 < count ? middle(points[i], points[i + 1]) : points[i + 1];
    add_parabola(lines, start, points[i], end);
    start = end;
  }
  if (closed) add_parabola(lines, start, points[0], middle(points[0], points[1]));
}

static void add_strokes(outline *lines, const char *strokes)
{
  while (*strokes) {
    point points[16] = {{0}};
    int count = 0, curved = *strokes == '~';
    if (curved) strokes++;
    for (; *strokes && *strokes != ' '; strokes += 2) {
      if (count < 16) points[count++] = (point){strokes[0] - 'a', strokes[1] - 'E'};
    }
    if (*strokes) strokes++;
    if (curved && count > 1) {
      add_curve(lines, points, count);
    } else {
      for (int i = 0; i + 1 < count; i++) add_segment(lines, points[i], points[i + 1]);
    }
  }
}

/* ---- drawing ---- */

static double distance_to(point p, point a, point b)
{
  double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  double t = length > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

typedef struct pen {
  pl_image *image;
  double x, y;
  const unsigned char *colour;
} pen;

static void blend(const pen *with, int x, int y, double cover)
{
  const pl_image *image = with->image;
  size_t place = (size_t)y * (size_t)image->width + (size_t)x;
  unsigned char *pixel = image->pixels + place * (size_t)image->channels;
  for (int i = 0; i < 3; i++) {
    pixel[i] = (unsigned char)lround(pixel[i] + cover * (with->colour[i] - pixel[i]));
  }
}

/* Every pixel near the letter is covered by how near its closest stroke is. */
static void draw_letter(void *context, const letter *shape, double x, double up, double size)
{
  const pen *with = context;
  outline lines = {0};
  add_strokes(&lines, shape->strokes);
  double unit = size / CAPITAL, half = fmax(0.55, 0.82 * unit);
  double left = with->x + x, base = with->y - up;
  int x0 = (int)fmax(0, floor(left - 2)), y0 = (int)fmax(0, floor(base - 17 * unit - 2));
  int x1 = (int)fmin(with->image->width - 1, ceil(left + shape->advance * unit + 2));
  int y1 = (int)fmin(with->image->height - 1, ceil(base + 5 * unit + 2));
  for (int row = y0; row <= y1; row++) {
    for (int column = x0; column <= x1; column++) {
      point at = {(column + 0.5 - left) / unit, (base - row - 0.5) / unit};
      double nearest = INFINITY;
      for (int i = 0; i < lines.count; i++) {
        nearest = fmin(nearest, distance_to(at, lines.from[i], lines.to[i]));
      }
      double cover = half + 0.5 - nearest * unit;
      if (cover > 0) blend(with, column, row, fmin(1, cover));
    }
  }
}

void pl_stroke_font_draw(pl_image *image, const char *text, double x, double y, double size,
                         const unsigned char colour[3])
{
  pen with = {image, x, y, colour};
  if (size > 0 && isfinite(x + y + size)) walk(text, size, draw_letter, &with);
}
