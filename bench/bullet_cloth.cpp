// bench-bullet-cloth: a hanging cloth in Bullet's soft bodies and in Pliant, in one process, with
// one thread each: milliseconds of processor time per step, and by how much links are stretched at
// the end, the largest and the mean.
//
//   bench-bullet-cloth [SECONDS]     simulated, 4 unless told
//
// The cloth: n x n particles, 1 x 1 m, 0.2 kg, two corners held, gravity 9.81 m/s^2, dt 10 ms;
// links between all particles that are one or two edges of the grid apart (along the axes,
// diagonals, and two along an axis). Bullet's links count as rigid (kLST 1, 10 iterations over
// positions and 10 of drift, its presets else). Pliant has the same links of 1000 N/m as "sticks"
// with 10 sweeps, as "xpbd" in 10 substeps, and by implicit Euler with one Newton iteration and 20
// of conjugate gradients; nothing is damped but by the methods. The last row is the model "cloth":
// triangles of 1 MPa and 1 mm, hinges of 1e-5 N m, one Newton iteration to a residual of 1e-3 with
// multigrid.
#include "bullet.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>

namespace
{

const double dt = 0.01, stiffness = 1000, mass = 0.2, gravity = 9.81;

struct result {
  double ms, largest, mean, lowest;
};

// How far edges along the axes are stretched; x(i) is particle i = row n + column.
template <class positions> void measure(int n, const positions &x, result &out)
{
  const double rest = 1.0 / (n - 1);
  int count = 0;
  for (int i = 0; i < n * n; i++) {
    out.lowest = std::fmin(out.lowest, x(i, 2));
    for (int other : {i % n + 1 < n ? i + 1 : -1, i + n < n * n ? i + n : -1}) {
      if (other < 0) continue;
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += (x(i, k) - x(other, k)) * (x(i, k) - x(other, k));
      const double stretch = std::fmax(0, std::sqrt(sum) / rest - 1);
      out.largest = std::fmax(out.largest, stretch);
      out.mean += stretch;
      count++;
    }
  }
  out.mean /= count;
}

// ---- Bullet ----

void add_links(btSoftBody &body, int n)
{
  static const int ways[6][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}};
  for (int i = 0; i < n * n; i++) {
    for (const auto &way : ways) {
      const int column = i % n + way[0], row = i / n + way[1];
      if (column >= 0 && column < n && row < n) body.appendLink(i, row * n + column);
    }
  }
}

result run_bullet(int n, int steps)
{
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btSoftRigidDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  const btVector3 down(0, 0, btScalar(-gravity));
  world.setGravity(down);
  world.getWorldInfo().m_gravity = down;
  world.getWorldInfo().air_density = 0;
  std::vector<btVector3> places;
  for (int i = 0; i < n * n; i++)
    places.emplace_back(btScalar(i % n) / btScalar(n - 1), btScalar(i / n) / btScalar(n - 1), 0);
  btSoftBody body(&world.getWorldInfo(), n * n, places.data(), nullptr);
  for (int i = 0; i < n * n; i++) body.setMass(i, btScalar(mass / (n * n)));
  body.setMass(n * (n - 1), 0);
  body.setMass(n * n - 1, 0);
  body.m_materials[0]->m_kLST = 1;
  add_links(body, n);
  body.m_cfg.piterations = 10;
  body.m_cfg.collisions = 0;
  world.addSoftBody(&body);
  const double start = now();
  for (int i = 0; i < steps; i++) world.stepSimulation(btScalar(dt), 1, btScalar(dt));
  result out = {1e3 * (now() - start) / steps, 0, 0, 0};
  measure(
      n, [&](int i, int k) { return double(body.m_nodes[i].m_x[k]); }, out);
  world.removeSoftBody(&body);
  return out;
}

// ---- Pliant ----

pl_setting number(const char *name, double value)
{
  pl_setting setting = {};
  setting.name = name;
  setting.value[0] = value;
  return setting;
}

// The model of the body: the links, or triangles and hinges.
void add_cloth(pl_world *world, int n, const pl_choice &model, pl_body_id *body)
{
  pl_error error = {};
  pl_setting lattice[] = {number("m", n), number("n", n), number("size", 1)};
  lattice[2].value[1] = lattice[2].value[2] = 1;
  pl_setting hooke[] = {number("young", 1e6), number("poisson", 0.3)};
  pl_mesh *mesh = nullptr;
  const pl_choice generator = {"lattice", lattice, 3};
  demand(pl_mesh_generate(&generator, nullptr, &mesh, &error), error);
  pl_body_def def = pl_body_def_default();
  def.mesh = mesh;
  def.material.law = {"hooke", hooke, 2};
  def.material.density = mass / 1e-3;
  def.model = model;
  demand(pl_world_add_body(world, &def, body, &error), error);
  pl_mesh_destroy(mesh);
  for (const char *corner : {"[0,-1]", "[-1,-1]"}) {
    pl_selector where = {};
    where.set = corner;
    pl_fix_def fix = pl_fix_def_default();
    fix.where = &where;
    fix.where_count = 1;
    demand(pl_world_add_fix(world, *body, &fix, nullptr, &error), error);
  }
}

// How Pliant is to solve it.
struct way {
  pl_choice model, method, solver, preconditioner;
  int budget;
};

result run_pliant(int n, int steps, const way &by)
{
  pl_error error = {};
  pl_world *world = nullptr;
  pl_body_id body = {};
  pl_world_def def = pl_world_def_default();
  def.dt = dt;
  def.threads = 1;
  def.halvings = 0;
  def.budget = by.budget;
  def.gravity[2] = -gravity;
  def.integrator = by.method;
  def.solver = by.solver;
  def.preconditioner = by.preconditioner;
  demand(pl_world_create(&def, &world, &error), error);
  add_cloth(world, n, by.model, &body);
  demand(pl_world_step(world, &error), error); // prepares
  const double start = now();
  for (int i = 1; i < steps; i++) demand(pl_world_step(world, &error), error);
  result out = {1e3 * (now() - start) / steps, 0, 0, 0};
  std::vector<double> x(3 * size_t(n) * size_t(n));
  demand(pl_world_get_positions(world, body, x.data(), &error), error);
  measure(
      n, [&](int i, int k) { return x[3 * size_t(i) + size_t(k)]; }, out);
  pl_world_destroy(world);
  return out;
}

void print(const char *name, const result &of, double theirs)
{
  std::printf("  %-22s %8.3f %9.4f %9.5f %9.4f %8.2f\n", name, of.ms, of.largest, of.mean,
              of.lowest, theirs / of.ms);
}

} // namespace

int main(int count, char **words)
{
  const int steps = int((count > 1 ? std::atof(words[1]) : 4) / dt);
  pl_setting sweeps[] = {number("sweeps", 10)};
  pl_setting substeps[] = {number("sweeps", 1), number("substeps", 10)};
  pl_setting newton[] = {number("newton", 1)}, tolerance[] = {number("tolerance", 1e-3)};
  pl_setting sheet[] = {number("area-density", mass), number("bending-stiffness", 1e-5),
                        number("membrane", 0)};
  sheet[2].word = "corotated";
  const pl_choice euler = {"implicit-euler", newton, 1}, cg = {"cg", nullptr, 0};
  const pl_choice blocks = {"block-diagonal", nullptr, 0};
  for (int n : {50, 100}) {
    pl_setting links[] = {number("reach", 2), number("stiffness", stiffness), number("damping", 0),
                          number("mass", mass / (n * n))};
    const pl_choice relations = {"relations", links, 4};
    std::printf("%d x %d, %d steps   ms/step   largest      mean    lowest    times\n", n, n,
                steps);
    const result bullet = run_bullet(n, steps);
    const struct {
      const char *name;
      way by;
    } ours[] = {
        {"sticks, 10 sweeps", {relations, {"sticks", sweeps, 1}, cg, blocks, 0}},
        {"xpbd, 10 substeps", {relations, {"xpbd", substeps, 2}, cg, blocks, 0}},
        {"implicit Euler, 20 CG", {relations, euler, cg, blocks, 20}},
        {"cloth, residual 1e-3",
         {{"cloth", sheet, 3}, euler, {"cg", tolerance, 1}, {"multigrid", nullptr, 0}, 0}},
    };
    print("Bullet, 10 iterations", bullet, bullet.ms);
    for (const auto &one : ours) print(one.name, run_pliant(n, steps, one.by), bullet.ms);
  }
}
