/* The lattice inside discs and balls: a rounded square or cube in the middle, and a shell of layers
 * from its boundary to the circle or sphere, so that no cell is squeezed flat where a square's
 * corner would meet the circle.
 *
 * The core point c in [-1, 1]^d goes to  CORE ((1 - ROUND) c + ROUND max|c| d(c)),  where d(c) is
 * the direction of (tan(pi/4 c)), which spaces the boundary points evenly in angle; a point of
 * the shell lies on the straight line from there to d(c). */
#include "math/functions.h"
#include "math/vec3.h"
#include "mesh/generator.h"

/* Half the width of the core, and how far it is bent towards a disc (0: square, 1: round). */
static const double CORE = 0.55, ROUND = 0.35;
static const double QUARTER = 0.78539816339744830962; /* pi / 4 */

pl_round pl_round_make(int dimensions, int across)
{
  // three fifths of the cells lie in the core, so that all are about equally large; two cells or
  // fewer need no shell
  return (pl_round){dimensions, (3 * across + 4) / 5, (across + 2) / 5};
}

int pl_round_outer(const pl_round *round, const int at[3])
{
  for (int k = 0; k < round->dimensions; k++) {
    if (at[k] == 0 || at[k] == round->side) return 1;
  }
  return 0;
}

void pl_round_place(const pl_round *round, const int at[3], int layer, double position[3])
{
  // place in the square or cube, its distance from the middle, its direction
  double c[3] = {0}, direction[3] = {0}, reach = 0;
  for (int k = 0; k < round->dimensions; k++) {
    c[k] = (double)(2 * at[k] - round->side) / round->side;
    direction[k] = pl_tan(QUARTER * c[k]);
    reach = fmax(reach, fabs(c[k]));
  }
  double length = pl_vec3_norm(direction);
  for (int k = 0; k < 3; k++) direction[k] = length > 0 ? direction[k] / length : 0;

  // without a shell the core is the whole body
  double core = round->layers ? CORE : 1, bend = round->layers ? ROUND : 1;
  double out = round->layers ? (double)layer / round->layers : 0;
  for (int k = 0; k < 3; k++) {
    double inner = core * ((1 - bend) * c[k] + bend * reach * direction[k]);
    position[k] = out == 1 ? direction[k] : inner + out * (direction[k] - inner);
  }
}
