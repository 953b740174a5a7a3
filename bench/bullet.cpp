// bench-bullet: the standard bar of pliant bench in Bullet's deformable FEM and in Pliant, step by
// step in turns in one process, on the same mesh, each with one thread: milliseconds of processor
// time per step, how many times less Pliant takes, and where the tip is in both.
//
//   bench-bullet [ROUNDS]     of some steps each, after two steps to warm up; the medians count
//
// Twice: with corotated strain, and with the stable neo-Hookean law. Bullet's
// btDeformableNeoHookeanForce is that law with m = 4/3 mu and l = lambda + 5/6 mu in place of
// Lame's constants, which is what it gets here.
//
// The bar: 1 x 0.25 x 0.25 m, clamped at x = 0, gravity along -y, E = 1e6 Pa, nu = 0.3, 1000
// kg/m^3, 4n x n x n cubes of six tets, lumped masses, no damping, backward Euler with
// one Newton iteration, dt 10 ms, from rest. Pliant solves to a relative residual of 1e-6, Bullet
// by its own rule (r.r/m below 1.2e-7 of its start, in single precision), which is the weaker one.
#include "bullet.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btDeformableNeoHookeanForce.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>

#include <algorithm>

namespace
{

const double young = 1e6, poisson = 0.3, density = 1000, dt = 0.01;
const double mu = young / (2 * (1 + poisson));
const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
enum { WARM = 2 /* steps before the first that counts */ };

double median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

pl_mesh *make_mesh(int n)
{
  pl_setting box[2] = {};
  box[0].name = "size";
  box[1].name = "cells";
  for (int i = 0; i < 3; i++) {
    box[0].value[i] = i ? 0.25 : 1;
    box[1].value[i] = i ? n : 4 * n;
  }
  pl_error error = {};
  pl_mesh *mesh = nullptr;
  const pl_choice generator = {"box", box, 2};
  demand(pl_mesh_generate(&generator, nullptr, &mesh, &error), error);
  return mesh;
}

// The node in the middle of the free end, or next to it.
int find_tip(const pl_mesh *mesh)
{
  const double *nodes = pl_mesh_nodes(mesh);
  int best = 0;
  double least = 1e9;
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) {
    const double *x = nodes + 3 * i;
    const double off[3] = {x[0] - 1, x[1] - 0.125, x[2] - 0.125};
    const double distance = off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
    if (distance < least) least = distance, best = i;
  }
  return best;
}

class PliantBar : public PliantWorld
{
public:
  PliantBar(const pl_mesh *mesh, const char *law) : places_(3 * size_t(pl_mesh_node_count(mesh)))
  {
    pl_error error = {};
    pl_world_def def = pl_world_def_default();
    def.dt = dt;
    def.gravity[1] = -9.81;
    def.gravity[2] = 0;
    def.threads = 1;
    demand(pl_world_create(&def, &world_, &error), error);
    pl_setting moduli[2] = {}, mass[1] = {};
    moduli[0].name = "young", moduli[0].value[0] = young;
    moduli[1].name = "poisson", moduli[1].value[0] = poisson;
    mass[0].name = "mass", mass[0].word = "lumped";
    pl_body_def body = pl_body_def_default();
    body.mesh = mesh;
    body.material.law = {law, moduli, 2};
    body.material.density = density;
    body.model = {"fem", mass, 1};
    demand(pl_world_add_body(world_, &body, &body_, &error), error);
    pl_selector end = {};
    end.set = "x-min";
    pl_fix_def fix = pl_fix_def_default();
    fix.where = &end;
    fix.where_count = 1;
    demand(pl_world_add_fix(world_, body_, &fix, nullptr, &error), error);
  }

  double height(int node)
  {
    pl_error error = {};
    demand(pl_world_get_positions(world_, body_, places_.data(), &error), error);
    return places_[3 * size_t(node) + 1];
  }

private:
  pl_body_id body_ = {};
  std::vector<double> places_;
};

// None of the mass where it is held.
btSoftBody *make_body(btSoftBodyWorldInfo &info, const pl_mesh *mesh)
{
  btSoftBody *body = tets_of(info, mesh, density);
  for (int i = 0; i < pl_mesh_node_count(mesh); i++) {
    if (pl_mesh_nodes(mesh)[3 * i] == 0) body->setMass(i, 0);
  }
  make_ready(body);
  body->m_cfg.collisions = 0;
  return body;
}

class BulletBar
{
public:
  BulletBar(const pl_mesh *mesh, btDeformableLagrangianForce *elastic)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, wire(), &configuration_, &solver_), weight_(gravity_)
  {
    world_.setGravity(gravity_);
    world_.getWorldInfo().m_gravity = gravity_;
    world_.setImplicit(true);
    world_.setLineSearch(false);
    // without it, a solver is taken whose preconditioner does not know implicit steps: nothing
    // moves
    world_.setUseProjection(true);
    body_ = make_body(world_.getWorldInfo(), mesh);
    world_.addSoftBody(body_);
    world_.addForce(body_, &weight_);
    world_.addForce(body_, elastic);
  }
  BulletBar(const BulletBar &) = delete;
  BulletBar &operator=(const BulletBar &) = delete;
  ~BulletBar()
  {
    world_.removeSoftBody(body_);
    delete body_;
  }

  void step() { world_.stepSimulation(btScalar(dt), 1, btScalar(dt)); }
  double height(int node) const { return body_->m_nodes[node].m_x.y(); }

private:
  btDeformableMultiBodyConstraintSolver *wire()
  {
    constraints_.setDeformableSolver(&solver_);
    return &constraints_;
  }

  const btVector3 gravity_{0, btScalar(-9.81), 0};
  btSoftBodyRigidBodyCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btDeformableBodySolver solver_;
  btDeformableMultiBodyConstraintSolver constraints_;
  btDeformableMultiBodyDynamicsWorld world_;
  btDeformableGravityForce weight_;
  btSoftBody *body_ = nullptr;
};

template <class Bar> double time_steps(Bar &bar, int steps)
{
  const double start = now();
  for (int i = 0; i < steps; i++) bar.step();
  return 1e3 * (now() - start) / steps;
}

void compare(int n, int rounds, int steps, const char *law, btDeformableLagrangianForce *elastic)
{
  pl_mesh *mesh = make_mesh(n);
  const int tip = find_tip(mesh);
  const double rest = pl_mesh_nodes(mesh)[3 * tip + 1];
  PliantBar pliant(mesh, law);
  BulletBar bullet(mesh, elastic);
  std::vector<double> ours, theirs, ratios;
  double most = 0, deepest = 0;
  time_steps(bullet, WARM);
  time_steps(pliant, WARM);
  for (int round = 0; round < rounds; round++) {
    theirs.push_back(time_steps(bullet, steps));
    ours.push_back(time_steps(pliant, steps));
    ratios.push_back(theirs.back() / ours.back());
    most = std::max(most, std::fabs(bullet.height(tip) - pliant.height(tip)));
    deepest = std::max(deepest, rest - pliant.height(tip));
  }
  std::printf("%8d %9.1f %9.2f %7.1f %6.2f  %8.4f %8.4f  %6.2f %%\n", pl_mesh_element_count(mesh),
              median(theirs), median(ours), median(ratios), dt * (WARM + rounds * steps),
              bullet.height(tip) - rest, pliant.height(tip) - rest, 100 * most / deepest);
  std::fflush(stdout);
  pl_mesh_destroy(mesh);
}

void compare_sizes(const char *title, int rounds, const char *law,
                   btDeformableLagrangianForce *elastic)
{
  std::printf("\n%s\n%8s %9s %9s %7s %6s  %8s %8s  %s\n", title, "tets", "Bullet", "Pliant",
              "ratio", "t, s", "tip, m", "tip, m", "most that");
  std::printf("%8s %9s %9s %7s %6s  %8s %8s  %s\n", "", "ms/step", "ms/step", "", "", "Bullet",
              "Pliant", "tips differ");
  compare(6, rounds, 8, law, elastic);
  compare(10, rounds, 4, law, elastic);
  compare(16, rounds, 1, law, elastic);
}

} // namespace

int main(int count, char **words)
{
  const int rounds = count > 1 ? std::atoi(words[1]) : 5;
  if (count > 2 || rounds < 1 || rounds > 1000) {
    std::fprintf(stderr, "usage: bench-bullet [ROUNDS], 1 to 1000\n");
    return 2;
  }
  std::printf("Bullet %d.%02d and Pliant in turns, one thread each, medians of %d rounds\n",
              BT_BULLET_VERSION / 100, BT_BULLET_VERSION % 100, rounds);
  btDeformableLinearElasticityForce corotated(btScalar(mu), btScalar(lambda), 0, 0);
  btDeformableNeoHookeanForce stable(btScalar(4 * mu / 3), btScalar(lambda + 5 * mu / 6), 0);
  compare_sizes("corotated strain", rounds, "hooke", &corotated);
  compare_sizes("stable neo-Hookean", rounds, "stable-neo-hooke", &stable);
  return 0;
}
