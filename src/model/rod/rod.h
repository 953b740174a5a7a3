/* Discrete elastic rods: chains of edges that resist stretching, and joints between two edges that
 * resist bending and twisting.
 *
 * Every edge e = x_1 - x_0 with the direction t carries a frame of two directors m_1, m_2 at right
 * angles to it. Its unknown is the angle theta by which they are turned about t against a frame u,
 * w = t x u, that is carried along without spinning: u = P(T, t) U, with
 *
 *   P(a, b) v = v - (a + b) (b . v) / (1 + a . b)   for v at right angles to a
 *
 * the shortest rotation from a to b, and T, U the direction and frame that the edge had when the
 * substep began. These are memory: they belong to the state and are moved on with every substep,
 * so that an edge may turn around as often as it likes, but by less than a half turn in one.
 *
 * A joint between the edges a and b has the curvature binormal kb = 2 t_a x t_b / (1 + t_a . t_b),
 * the curvatures and the twist
 *
 *   kappa_1 = kb . (m_2a + m_2b)/2,  kappa_2 = -kb . (m_1a + m_1b)/2,  tau = theta_b - theta_a + m
 *
 * where m is the angle from P(t_a, t_b) u_a to u_b; and the energy
 *
 *   W = (B (kappa_1 - k_1)^2 + B (kappa_2 - k_2)^2 + C (tau - k_3)^2) / (2 l)
 *
 * over its length l at rest. An edge stores S (|e| - L)^2 / (2 L).
 *
 * When t moves by dt, u spins about t by sigma = (t x T) . dt / (1 + T . t), and with s = dtheta +
 * sigma
 *
 *   dtau = s_b - s_a + kb . (dt_a + dt_b)/2,
 *   dkappa_1 = dkb . (m_2a + m_2b)/2 - (kb . m_1a s_a + kb . m_1b s_b)/2,
 *   dkappa_2 = -dkb . (m_1a + m_1b)/2 - (kb . m_2a s_a + kb . m_2b s_b)/2:
 *
 * the forces are the slope of the energy to rounding, for any T. The exact matrix is the derivative
 * of these formulas along each of the eight unknowns e_a, e_b, theta_a, theta_b; the semidefinite
 * one keeps the products of the gradients.
 *
 * Stiffnesses of a round section of radius r: S = E pi r^2, B = E pi r^4/4, C = G pi r^4/2. Bergou,
 * Wardetzky, Robinson, Audoly, Grinspun, "Discrete elastic rods", 2008; Bergou et al. 2010. */
#ifndef PL_MODEL_ROD_ROD_H
#define PL_MODEL_ROD_ROD_H

#include "model/model.h"

/* The unknowns of a joint: e_a, e_b, theta_a, theta_b. */
enum { PL_JOINT_UNKNOWNS = 8, PL_JOINT_BLOCKS = 5 };

typedef struct pl_rod_edge {
  int nodes[2];
  double length, density;  /* m and kg/m, at rest */
  double stretch, viscous; /* S in N; the viscous counterpart of all stiffnesses in parts of them */
  double direction[3], frame[3]; /* T and U at rest */
} pl_rod_edge;

typedef struct pl_rod_joint {
  int edges[2];                /* the first one ends where the second begins */
  double bend, twist, viscous; /* B / l and C / l in N m; as above */
  double rest[3];              /* curvatures and twist */
  double turn;                 /* m at rest */
} pl_rod_joint;

/* A chain of edges and joints is found by walking on: rod_chain.c. */
typedef struct pl_rod_chains {
  int edge_count, joint_count;
  pl_rod_edge *edges;   /* in the mesh's order; each runs along its chain */
  pl_rod_joint *joints; /* in the order of their nodes */
} pl_rod_chains;

typedef struct pl_rod_def {
  const pl_mesh *mesh;
  const pl_material *material;
  const pl_model_def *model;
  double thickness, line_density, stretch, bend, twist; /* NAN: from material and thickness */
  double rest_twist;                                    /* rad/m */
  int is_straight;                                      /* the rod rests straight */
} pl_rod_def;

/* At a node where several segments meet, those that go on most nearly straight are one rod; one
 * that has no such partner within 60 degrees is hinged there. To be destroyed even if it fails. */
pl_status pl_rod_chains_create(const pl_allocator *allocator, const pl_rod_def *def,
                               pl_rod_chains *chains, pl_error *error);
void pl_rod_chains_destroy(const pl_allocator *allocator, pl_rod_chains *chains);

/* Of an edge: where it was when the substep began. */
typedef struct pl_rod_base {
  double direction[3], frame[3]; /* T, U */
} pl_rod_base;

/* P(a, b) v. */
void pl_rod_carry(const double a[3], const double b[3], const double v[3], double out[3]);
/* The angle from P(a, b) u to w about b. */
double pl_rod_angle(const double a[3], const double u[3], const double b[3], const double w[3]);

/* One joint: what goes in, and what comes out. */
typedef struct pl_rod_look {
  const pl_rod_joint *joint;
  double e[2][3], theta[2];
  pl_rod_base base[2];
  double turn;       /* m at the beginning, of which this one is the nearest multiple */
  double strains[3]; /* kappa_1, kappa_2, tau; without the rest values */
  double gradients[3][PL_JOINT_UNKNOWNS];
  // what their derivatives need
  double length[2], t[2][3], binormal[2][3], frames[2][2][3], kb[3], chi;
} pl_rod_look;

void pl_rod_joint_look(pl_rod_look *look);
/* H = sum_k moments_k d(gradients_k), unknown by unknown; symmetric. */
void pl_rod_joint_curve(const pl_rod_look *look, const double moments[3],
                        double H[PL_JOINT_UNKNOWNS][PL_JOINT_UNKNOWNS]);

#endif
