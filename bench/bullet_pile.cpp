// bench-bullet-pile: a pile of 27 soft cubes in Bullet's deformable bodies, which know one thread,
// and in Pliant with one and with two, step by step in turns in one process, on the same meshes:
// milliseconds per step by the clock and of processor time, how many times less Pliant takes, and
// how deep nodes of one cube have got into another at the end of any step. Where other work shares
// the machine processor time is the one to look at; that of two threads is the sum of both.
//
//   bench-bullet-pile [STEPS [FILE.csv]]
//
// Cubes of 0.1 m and 750 tets, E = 1e5 Pa, nu = 0.3, 1000 kg/m^3, stand 2 cm apart in
// three layers that are shifted against each other, and fall on a floor; friction 0.5. Backward
// Euler with one Newton iteration, dt 5 ms, conjugate gradients to a relative residual of 3.5e-4,
// which is Bullet's own rule (r.r/m below 1.2e-7 of its start). Bullet collides nodes with the
// floor and with faces of other bodies, as its examples of deformable bodies do. Both begin to push
// at a distance of 2 mm between bodies.
#include "bullet.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletDynamics/Dynamics/btRigidBody.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableLinearElasticityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace
{

const double young = 1e5, poisson = 0.3, density = 1000, dt = 0.005, side = 0.1, damping = 0.002;
const double friction = 0.5, margin = 0.002;
enum { CUBES = 27, CELLS = 5, EVERY = 20 /* steps between two lines */ };

void place(int cube, double at[3])
{
  const int layer = cube / 9;
  at[0] = 0.12 * (cube % 3) + 0.017 * layer;
  at[1] = 0.12 * (cube / 3 % 3) + 0.011 * layer;
  at[2] = 0.01 + 0.12 * layer;
}

pl_mesh *make_mesh(int cube)
{
  pl_setting box[3] = {};
  box[0].name = "size", box[1].name = "cells", box[2].name = "origin";
  for (int i = 0; i < 3; i++) box[0].value[i] = side, box[1].value[i] = CELLS;
  place(cube, box[2].value);
  pl_error error = {};
  pl_mesh *mesh = nullptr;
  const pl_choice generator = {"box", box, 3};
  demand(pl_mesh_generate(&generator, nullptr, &mesh, &error), error);
  return mesh;
}

class PliantPile : public PliantWorld
{
public:
  PliantPile(const std::vector<pl_mesh *> &meshes, int threads)
  {
    pl_error error = {};
    pl_world_def def = pl_world_def_default();
    def.dt = dt;
    def.gravity[2] = -9.81;
    def.threads = threads;
    pl_setting tolerance = {};
    tolerance.name = "tolerance", tolerance.value[0] = 3.5e-4;
    def.solver = {"eisenstat", &tolerance, 1};
    demand(pl_world_create(&def, &world_, &error), error);
    pl_setting moduli[2] = {}, mass[1] = {}, rough[1] = {};
    moduli[0].name = "young", moduli[0].value[0] = young;
    moduli[1].name = "poisson", moduli[1].value[0] = poisson;
    mass[0].name = "mass", mass[0].word = "lumped";
    rough[0].name = "friction", rough[0].value[0] = friction;
    for (pl_mesh *mesh : meshes) {
      pl_body_def body = pl_body_def_default();
      body.mesh = mesh;
      body.material.law = {"hooke", moduli, 2};
      body.material.density = density;
      body.material.stiffness_damping = damping;
      body.model = {"fem", mass, 1};
      pl_body_id id = {};
      demand(pl_world_add_body(world_, &body, &id, &error), error);
      bodies_.push_back(id);
    }
    pl_contact_def contact = pl_contact_def_default();
    contact.friction = friction;
    contact.range = margin;
    demand(pl_world_set_contact(world_, &contact, &error), error);
    pl_obstacle_def floor = pl_obstacle_def_default();
    floor.shape = {"plane", rough, 1};
    demand(pl_world_add_obstacle(world_, &floor, nullptr, &error), error);
  }
  void read(int cube, std::vector<double> &x) const
  {
    pl_error error = {};
    demand(pl_world_get_positions(world_, bodies_[size_t(cube)], x.data(), &error), error);
  }

private:
  std::vector<pl_body_id> bodies_;
};

btSoftBody *make_body(btSoftBodyWorldInfo &info, const pl_mesh *mesh)
{
  btSoftBody *body = tets_of(info, mesh, density);
  // its trees are built along links, and never end without
  for (int e = 0; e < pl_mesh_element_count(mesh); e++) {
    const int *v = pl_mesh_elements(mesh) + 4 * e;
    for (int a = 0; a < 4; a++) {
      for (int b = a + 1; b < 4; b++) body->appendLink(v[a], v[b], nullptr, true);
    }
  }
  for (int f = 0; f < pl_mesh_face_count(mesh); f++) {
    const int *v = pl_mesh_faces(mesh) + 3 * f;
    body->appendFace(v[0], v[1], v[2]);
  }
  make_ready(body);
  body->m_cfg.kKHR = 1;
  body->m_cfg.kCHR = 1;
  body->m_cfg.kDF = btScalar(friction);
  body->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::VF_DD;
  body->getCollisionShape()->setMargin(btScalar(margin));
  return body;
}

class BulletPile
{
public:
  explicit BulletPile(const std::vector<pl_mesh *> &meshes)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, wire(), &configuration_, &solver_), ground_(extent_),
        floor_(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &ground_))
  {
    world_.setGravity(gravity_);
    world_.getWorldInfo().m_gravity = gravity_;
    world_.getWorldInfo().m_sparsesdf.setDefaultVoxelsz(btScalar(0.05));
    world_.getWorldInfo().m_sparsesdf.Initialize();
    world_.setImplicit(true);
    world_.setLineSearch(false);
    world_.setUseProjection(true);
    world_.getSolverInfo().m_deformable_erp = btScalar(0.3);
    world_.getSolverInfo().m_deformable_maxErrorReduction = btScalar(200);
    world_.getSolverInfo().m_leastSquaresResidualThreshold = btScalar(1e-3);
    world_.getSolverInfo().m_splitImpulse = true;
    world_.getSolverInfo().m_numIterations = 100;
    btTransform below;
    below.setIdentity();
    below.setOrigin(btVector3(0, 0, btScalar(-0.5)));
    floor_.setWorldTransform(below);
    floor_.setFriction(btScalar(friction));
    world_.addRigidBody(&floor_);
    for (pl_mesh *mesh : meshes) {
      bodies_.push_back(make_body(world_.getWorldInfo(), mesh));
      world_.addSoftBody(bodies_.back());
      forces_.push_back(std::make_unique<btDeformableLinearElasticityForce>(
          btScalar(young / (2 * (1 + poisson))),
          btScalar(young * poisson / ((1 + poisson) * (1 - 2 * poisson))), 0, btScalar(damping)));
      weights_.push_back(std::make_unique<btDeformableGravityForce>(gravity_));
      world_.addForce(bodies_.back(), weights_.back().get());
      world_.addForce(bodies_.back(), forces_.back().get());
    }
  }
  BulletPile(const BulletPile &) = delete;
  BulletPile &operator=(const BulletPile &) = delete;
  ~BulletPile()
  {
    for (btSoftBody *body : bodies_) {
      world_.removeSoftBody(body);
      delete body;
    }
    world_.removeRigidBody(&floor_);
  }

  void step() { world_.stepSimulation(btScalar(dt), 1, btScalar(dt)); }
  void read(int cube, std::vector<double> &x) const
  {
    const btSoftBody *body = bodies_[size_t(cube)];
    for (int i = 0; i < body->m_nodes.size(); i++) {
      for (int k = 0; k < 3; k++) x[size_t(3 * i + k)] = body->m_nodes[i].m_x[k];
    }
  }

private:
  btDeformableMultiBodyConstraintSolver *wire()
  {
    constraints_.setDeformableSolver(&solver_);
    return &constraints_;
  }

  const btVector3 gravity_{0, 0, btScalar(-9.81)};
  const btVector3 extent_{5, 5, btScalar(0.5)};
  btSoftBodyRigidBodyCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btDeformableBodySolver solver_;
  btDeformableMultiBodyConstraintSolver constraints_;
  btDeformableMultiBodyDynamicsWorld world_;
  btBoxShape ground_;
  btRigidBody floor_;
  std::vector<btSoftBody *> bodies_;
  std::vector<std::unique_ptr<btDeformableLinearElasticityForce>> forces_;
  std::vector<std::unique_ptr<btDeformableGravityForce>> weights_;
};

// Is p inside the tet? By the signs of four volumes.
bool is_inside(const double *const t[4], const double *p)
{
  const auto volume = [](const double *a, const double *b, const double *c, const double *d) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
  };
  const double all = volume(t[0], t[1], t[2], t[3]);
  for (int i = 0; i < 4; i++) {
    const double *c[4] = {t[0], t[1], t[2], t[3]};
    c[i] = p;
    if (volume(c[0], c[1], c[2], c[3]) * all < 0) return false;
  }
  return true;
}

// The distance to the nearest of the faces' planes among faces whose nodes are near: the depth of
// a point that is known to be inside a cube, whose faces bend little.
double depth_in(const pl_mesh *mesh, const std::vector<double> &x, const double *p)
{
  double least = 1e9;
  for (int f = 0; f < pl_mesh_face_count(mesh); f++) {
    const int *v = pl_mesh_faces(mesh) + 3 * f;
    const double *a = &x[size_t(3 * v[0])], *b = &x[size_t(3 * v[1])], *c = &x[size_t(3 * v[2])];
    double u[3], w[3], r[3], centre[3];
    for (int k = 0; k < 3; k++) {
      u[k] = b[k] - a[k], w[k] = c[k] - a[k], r[k] = p[k] - a[k];
      centre[k] = (a[k] + b[k] + c[k]) / 3 - p[k];
    }
    const double n[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2],
                         u[0] * w[1] - u[1] * w[0]};
    const double size = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const double off = std::fabs(n[0] * r[0] + n[1] * r[1] + n[2] * r[2]) / size;
    const double away =
        std::sqrt(centre[0] * centre[0] + centre[1] * centre[1] + centre[2] * centre[2]);
    if (away < side / CELLS) least = std::min(least, off);
  }
  return least < 1e9 ? least : side / CELLS;
}

template <class Pile> double penetration(const Pile &pile, const std::vector<pl_mesh *> &meshes)
{
  const size_t count = 3 * size_t(pl_mesh_node_count(meshes[0]));
  std::vector<std::vector<double>> x(CUBES, std::vector<double>(count));
  double deepest = 0;
  for (int c = 0; c < CUBES; c++) pile.read(c, x[size_t(c)]);
  for (int a = 0; a < CUBES; a++) {
    for (int b = 0; b < CUBES; b++) {
      const pl_mesh *mesh = meshes[size_t(b)];
      if (a == b || std::fabs(x[size_t(a)][0] - x[size_t(b)][0]) > 2 * side ||
          std::fabs(x[size_t(a)][1] - x[size_t(b)][1]) > 2 * side ||
          std::fabs(x[size_t(a)][2] - x[size_t(b)][2]) > 2 * side)
        continue;
      double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
      for (size_t i = 0; i < count; i++) {
        low[i % 3] = std::min(low[i % 3], x[size_t(b)][i]);
        high[i % 3] = std::max(high[i % 3], x[size_t(b)][i]);
      }
      for (size_t i = 0; i < count; i += 3) {
        const double *p = &x[size_t(a)][i];
        if (p[0] < low[0] || p[1] < low[1] || p[2] < low[2] || p[0] > high[0] || p[1] > high[1] ||
            p[2] > high[2])
          continue;
        for (int e = 0; e < pl_mesh_element_count(mesh); e++) {
          const int *v = pl_mesh_elements(mesh) + 4 * e;
          const double *t[4];
          for (int k = 0; k < 4; k++) t[k] = &x[size_t(b)][size_t(3 * v[k])];
          if (!is_inside(t, p)) continue;
          deepest = std::max(deepest, depth_in(mesh, x[size_t(b)], p));
          break;
        }
      }
    }
  }
  return deepest;
}

// Milliseconds per step: by the clock, since two threads share the work, and of processor time.
struct Times {
  double clock = 0, processor = 0;
};

template <class Pile> void time_step(Pile &pile, Times &to)
{
  using clock = std::chrono::steady_clock;
  const clock::time_point start = clock::now();
  const double used = now();
  pile.step();
  to.processor += 1e3 * (now() - used) / EVERY;
  to.clock += std::chrono::duration<double, std::milli>(clock::now() - start).count() / EVERY;
}

} // namespace

int main(int count, char **words)
{
  const int steps = count > 1 ? std::atoi(words[1]) : 200;
  if (count > 3 || steps < 1 || steps > 100000) {
    std::fprintf(stderr, "usage: bench-bullet-pile [STEPS [FILE.csv]]\n");
    return 2;
  }
  std::FILE *csv = count > 2 ? std::fopen(words[2], "w") : nullptr;
  if (count > 2 && !csv) {
    std::fprintf(stderr, "bench-bullet-pile: %s cannot be written\n", words[2]);
    return 1;
  }
  if (csv)
    std::fprintf(csv, "t_s,bullet_ms,one_ms,two_ms,bullet_mm,one_mm,two_mm,bullet_cpu_ms,one_cpu_"
                      "ms,two_cpu_ms\n");
  std::vector<pl_mesh *> meshes;
  for (int c = 0; c < CUBES; c++) meshes.push_back(make_mesh(c));
  {
    PliantPile one(meshes, 1), two(meshes, 2);
    BulletPile bullet(meshes);
    Times ms[3];
    double depth[3] = {};
    std::printf("%6s %10s %10s %10s %7s %7s %30s %32s %7s\n", "t, s", "Bullet", "1 thread",
                "2 threads", "ratio", "ratio", "deepest, mm: Bullet, 1, 2",
                "processor, ms: Bullet, 1, 2", "ratio");
    for (int i = 1; i <= steps; i++) {
      time_step(bullet, ms[0]);
      time_step(one, ms[1]);
      time_step(two, ms[2]);
      depth[0] = std::max(depth[0], 1e3 * penetration(bullet, meshes));
      depth[1] = std::max(depth[1], 1e3 * penetration(one, meshes));
      depth[2] = std::max(depth[2], 1e3 * penetration(two, meshes));
      if (i % EVERY) continue;
      std::printf("%6.2f %10.2f %10.2f %10.2f %7.1f %7.1f %12.2f %8.2f %8.2f %14.2f %8.2f %8.2f "
                  "%7.1f\n",
                  i * dt, ms[0].clock, ms[1].clock, ms[2].clock, ms[0].clock / ms[1].clock,
                  ms[0].clock / ms[2].clock, depth[0], depth[1], depth[2], ms[0].processor,
                  ms[1].processor, ms[2].processor, ms[0].processor / ms[1].processor);
      std::fflush(stdout);
      if (csv)
        std::fprintf(csv, "%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f\n", i * dt,
                     ms[0].clock, ms[1].clock, ms[2].clock, depth[0], depth[1], depth[2],
                     ms[0].processor, ms[1].processor, ms[2].processor);
      for (Times &of : ms) of = Times();
    }
  }
  if (csv) std::fclose(csv);
  for (pl_mesh *mesh : meshes) pl_mesh_destroy(mesh);
  return 0;
}
