/* Stress and strain at a point of a body: means over the elements that hold it, which are those
 * around a node where the point is one. */
#include "core/memory.h"
#include "math/decompose.h"
#include "math/tensor.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

/* Does the element of the mesh have all nodes that the point depends on? */
static int holds(const pl_mesh *mesh, int element, const pl_anchor *anchor)
{
  const int n = mesh->nodes_per_element, *nodes = mesh->elements + (size_t)n * (size_t)element;
  for (int a = 0; a < anchor->count; a++) {
    int found = fabs(anchor->weights[a]) < 1e-9;
    for (int k = 0; k < n && !found; k++) found = nodes[k] == anchor->nodes[a];
    if (!found) return 0;
  }
  return 1;
}

/* The mean over these elements of numbers that all have, so many each. */
static void mean_at(const pl_body *body, const pl_probe *probe, const double *numbers, int width,
                    double *mean)
{
  int count = 0;
  memset(mean, 0, (size_t)width * sizeof *mean);
  for (int e = 0; e < body->mesh->element_count; e++) {
    if (!holds(body->mesh, e, &probe->anchor)) continue;
    count++;
    for (int k = 0; k < width; k++) mean[k] += numbers[(size_t)e * (size_t)width + (size_t)k];
  }
  for (int k = 0; k < width && count; k++) mean[k] /= count;
}

/* F and the Cauchy stress at the point; zeros in models without strain. */
static void read_tensors(pl_world *world, const pl_probe *probe, double F[9], double sigma[9])
{
  const pl_body *body = &world->bodies.list[probe->body];
  const pl_body_id id = pl_world_id_of(body);
  size_t count = 9 * (size_t)body->mesh->element_count;
  double *room = pl_alloc(&world->allocator, 2 * count, sizeof *room);
  for (int i = 0; i < 9; i++) F[i] = sigma[i] = NAN;
  if (room && !pl_world_get_tensors(world, id, room, room + count, NULL)) {
    mean_at(body, probe, room, 9, F);
    mean_at(body, probe, room + count, 9, sigma);
  }
  pl_free(&world->allocator, room);
}

static void diagonal(const double A[9], double *value)
{
  for (int i = 0; i < 3; i++) value[i] = A[4 * i];
}

/* xy, xz, yz */
static void shears(const double A[9], double *value)
{
  value[0] = A[1];
  value[1] = A[2];
  value[2] = A[5];
}

static void principal(const double A[9], double *value)
{
  double Q[9];
  pl_eigen(A, value, Q);
}

#define OF_TENSOR(name, compute)                                                                   \
  static void read_##name(pl_world *world, const pl_probe *probe, double *value)                   \
  {                                                                                                \
    double F[9], sigma[9], T[9] = {0};                                                             \
    read_tensors(world, probe, F, sigma);                                                          \
    compute;                                                                                       \
  }
OF_TENSOR(von_mises, (void)T; value[0] = pl_von_mises(sigma))
OF_TENSOR(pressure, (void)T; value[0] = pl_pressure(sigma))
OF_TENSOR(ratio, (void)T; value[0] = pl_mat3_inverse(F, T))
OF_TENSOR(stress, (void)T; diagonal(sigma, value))
OF_TENSOR(shear_stress, (void)T; shears(sigma, value))
OF_TENSOR(principal_stress, (void)T; principal(sigma, value))
OF_TENSOR(piola, pl_second_piola(F, sigma, T); diagonal(T, value))
OF_TENSOR(shear_piola, pl_second_piola(F, sigma, T); shears(T, value))
OF_TENSOR(strain, pl_green(F, T); diagonal(T, value))
OF_TENSOR(shear_strain, pl_green(F, T); shears(T, value))
OF_TENSOR(principal_strain, pl_green(F, T); principal(T, value))

static void read_density(pl_world *world, const pl_probe *probe, double *value)
{
  const pl_body *body = &world->bodies.list[probe->body];
  const pl_body_id id = pl_world_id_of(body);
  double *room = pl_alloc(&world->allocator, (size_t)body->mesh->element_count, sizeof *room);
  value[0] = NAN;
  if (room && !pl_world_get_strain(world, id, NULL, room, NULL))
    mean_at(body, probe, room, 1, value);
  pl_free(&world->allocator, room);
}

PL_QUANTITY(von_mises, "von-mises", "von Mises stress (Cauchy) at a point", "Pa", 1, 1,
            read_von_mises);
PL_QUANTITY(pressure, "pressure", "minus the mean Cauchy stress at a point", "Pa", 1, 1,
            read_pressure);
PL_QUANTITY(volume_ratio, "volume-ratio", "det F at a point", "1", 1, 1, read_ratio);
PL_QUANTITY(energy_density, "energy-density", "elastic energy at a point per volume at rest",
            "J/m^3", 1, 1, read_density);
PL_QUANTITY(stress, "stress", "Cauchy stress xx, yy, zz at a point, positive in tension", "Pa", 3,
            1, read_stress);
PL_QUANTITY(shear_stress, "shear-stress", "Cauchy stress xy, xz, yz at a point", "Pa", 3, 1,
            read_shear_stress);
PL_QUANTITY(principal_stress, "principal-stress", "of the Cauchy stress at a point, largest first",
            "Pa", 3, 1, read_principal_stress);
PL_QUANTITY(second_piola, "second-piola-stress",
            "second Piola-Kirchhoff stress xx, yy, zz at a point, in the rest shape", "Pa", 3, 1,
            read_piola);
PL_QUANTITY(shear_piola, "second-piola-shear-stress", "the same, xy, xz, yz", "Pa", 3, 1,
            read_shear_piola);
PL_QUANTITY(strain, "strain", "Green's strain xx, yy, zz at a point", "1", 3, 1, read_strain);
PL_QUANTITY(shear_strain, "shear-strain", "Green's strain xy, xz, yz at a point", "1", 3, 1,
            read_shear_strain);
PL_QUANTITY(principal_strain, "principal-strain", "of Green's strain at a point, largest first",
            "1", 3, 1, read_principal_strain);
