// What the comparisons with Bullet share: processor time, errors, and soft bodies of tetrahedra.
#ifndef PL_BENCH_BULLET_HPP
#define PL_BENCH_BULLET_HPP

#include "pliant/world.h"

#include <BulletSoftBody/btSoftBody.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

// Processor time of the process, which other users of the machine change least.
inline double now()
{
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

inline void demand(pl_status status, const pl_error &error)
{
  if (!status) return;
  std::fprintf(stderr, "comparison with Bullet: %s\n", error.message);
  std::exit(1);
}

// A world of ours that goes with the object.
class PliantWorld
{
public:
  PliantWorld(const PliantWorld &) = delete;
  PliantWorld &operator=(const PliantWorld &) = delete;
  ~PliantWorld() { pl_world_destroy(world_); }

  void step()
  {
    pl_error error = {};
    demand(pl_world_step(world_, &error), error);
  }

protected:
  PliantWorld() = default;
  pl_world *world_ = nullptr;
};

// A soft body of the mesh's tets, with a quarter of each one's mass at its nodes.
inline btSoftBody *tets_of(btSoftBodyWorldInfo &info, const pl_mesh *mesh, double density)
{
  const double *nodes = pl_mesh_nodes(mesh);
  const int count = pl_mesh_node_count(mesh), *elements = pl_mesh_elements(mesh);
  std::vector<btVector3> places;
  std::vector<double> mass(size_t(count), 0.0);
  for (int i = 0; i < count; i++)
    places.emplace_back(btScalar(nodes[3 * i]), btScalar(nodes[3 * i + 1]),
                        btScalar(nodes[3 * i + 2]));
  auto *body = new btSoftBody(&info, count, places.data(), nullptr);
  for (int e = 0; e < pl_mesh_element_count(mesh); e++) {
    const int *v = elements + 4 * e;
    const btVector3 a = places[v[1]] - places[v[0]], b = places[v[2]] - places[v[0]];
    const double six = a.cross(b).dot(places[v[3]] - places[v[0]]);
    body->appendTetra(v[0], v[1], six > 0 ? v[2] : v[3], six > 0 ? v[3] : v[2]);
    for (int k = 0; k < 4; k++) mass[size_t(v[k])] += density * std::fabs(six) / 24;
  }
  for (int i = 0; i < count; i++) body->setMass(i, btScalar(mass[size_t(i)]));
  return body;
}

// Once its masses, links and faces are there: what its solver needs, no damping and no sleep.
inline void make_ready(btSoftBody *body)
{
  body->initializeDmInverse();
  body->m_tetraScratches.resize(body->m_tetras.size());
  body->m_tetraScratchesTn.resize(body->m_tetras.size());
  body->m_cfg.kDP = 0;
  body->m_sleepingThreshold = 0;
  body->setActivationState(DISABLE_DEACTIVATION);
}

#endif
