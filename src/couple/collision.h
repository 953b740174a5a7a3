/* Bodies against each other and themselves: an implicit penalty force with friction.
 *
 * Points of one surface and triangles of another, and edges of both, that come nearer than the
 * range r are pairs (found by shape/finder.h at the beginning of a substep). A pair's gap is the
 * distance of point and plane, point and line, two points or two lines, whichever features were
 * nearest then; it is taken as such during the substep, without ends, so that it has no kinks, and
 * is negative inside. It stores
 *
 *   W = k r^2 p(g / r),  p(y) = (1 - y)^3 / 3 for 0 <= y < 1, 1/3 - y + y^2 for y < 0, 0 above,
 *
 * twice differentiable. Its forces -W' c_i n act on up to four points with weights c_i that add up
 * to 0, along the line of the nearest points: they exert no force and no torque on all bodies
 * together. Of the second derivative the part W'' (c n)(c n)^T enters the matrix, which is never
 * indefinite; what the turning of n adds is left out.
 *
 * Methods of order 1 that solve one linear system see k (r - g)^2 / 2 instead, and the gap as
 * linear in the places (collision_linear.c).
 *
 * k = E A / r, with A the area of the points' share (on a surface that follows, not below that of
 * the elements' nodes, which carry the load of a whole element) and E the harmonic mean of both
 * bodies' moduli, and not less than a tenth of what stops the points' masses within the substep;
 * with explicit methods not more than that. A pair that starts the substep deep inside is pushed
 * out with OUT m/s at most, as if its surfaces lay that deep. Rigid bodies that begin within the
 * range come out slowly: collision_start.c.
 *
 * Friction is Coulomb's with an elastic limit. With s the displacement of the two points against
 * each other along the surface since they stuck, and u its rate, t = -k_t s - c u is turned into
 *
 *   mu N (2 y - y^2) t / |t|  with y = |t| / (2 mu N) below 1,  mu N t / |t| above,
 *
 * which is smooth, and whose derivative is never indefinite. s is remembered from substep to
 * substep for a point's nearest partner, and cut where it would exceed y = 1: so what sticks comes
 * to rest and does not creep. Pairs that remember nothing, edges above all, would creep: between
 * two bodies the nearest partners of points carry the friction of all pairs. N is the normal force
 * of the pass before. Methods that solve one linear system see the law linearised about the s and u
 * that the last pass has found, and the substep is repeated where the law itself gives another
 * force there.
 *
 * Rigid bodies meet obstacles here as well: a pair of one point and an obstacle, with the gap and
 * the normal of its shape, Coulomb's coefficient of the obstacle, and s counted from where the
 * obstacle has carried the point. Nothing of them gives way, so k is bounded by 10 m / h^2 with m
 * the mass that moves with the point; and methods that solve one linear system see the normal force
 * linearised about the gap at the end of the last pass (of the first: where the points go), so that
 * what comes in fast is stopped in the same substep. So do surfaces that follow coarser elements,
 * whose nodes may lie far from where the body seems to end; their points have the masses and the
 * stiffness of those that meet other bodies. A point that would pass through an obstacle, or come
 * deep into it, is seen against the plane where it lands. */
#ifndef PL_COUPLE_COLLISION_H
#define PL_COUPLE_COLLISION_H

#include "body/boundary.h"
#include "couple/response.h"
#include "shape/finder.h"

typedef struct pl_collision_pair {
  uint64_t key; /* of its features */
  pl_contact_kind kind;
  int params;      /* which features: 2 point and plane or two lines, 1 point and line, 0 points */
  int points[4];   /* of all surfaces */
  int surfaces[2]; /* bodies; of an obstacle pl_collision_obstacle */
  int link;        /* of these two */
  double weights[4];      /* at the beginning of the substep, as everything below */
  double normal[3];       /* from the second to the first, out of the second where that is closed */
  double sign;            /* of the features' own normal against it */
  double thickness;       /* of both, halved, at which they touch, m */
  double gap, shift;      /* the gap from where it counts as 0, and where that is, m */
  double start;           /* the gap itself, m */
  double stiffness;       /* k, N/m */
  double r[3], slip[3];   /* sum of weights times places; s */
  int is_nearest;         /* of its first point: s is remembered */
  double bound, push;     /* mu N, N; N as the last pass has it */
  double way[3], rate[3]; /* s and u of the last pass, about which linear methods see friction */
  double friction;        /* coefficient */
  double about;           /* of rigid bodies, the gap about which linear methods see the force */
  struct {
    int is_seen, presses; /* the pair is seen as k (r - g); and is in use */
    struct {
      double gap, force;
    } base, found;       /* at the base point, and what the last pass has found */
  } line;                /* of linear methods and soft bodies, collision_linear.c */
  int is_rigid, bounces; /* something of it is; it rebounds from its obstacle */
  int lands;             /* its obstacle is seen as the plane where its point lands */
  double mass;           /* of one with an obstacle: what resists a push along the normal, kg */
  pl_obstacle *obstacle; /* what its first and only point meets; NULL: bodies meet */
  double own[3];         /* the point as it is at the beginning, in the obstacle's axes */
} pl_collision_pair;

/* The number of an obstacle among the surfaces of pairs, and of a partner in what is remembered. */
static inline int pl_collision_obstacle(int slot) { return -1 - slot; }
static inline double pl_collision_partner(int surface)
{
  return surface < 0 ? surface : surface + 1;
}

/* Two bodies that meet. */
typedef struct pl_collision_link {
  int surfaces[2];      /* ascending */
  double all, anchored; /* N of all their pairs; of those whose s is remembered, N */
} pl_collision_link;

typedef struct pl_collision {
  pl_responder is;
  int open;     /* surfaces have no inside: distances are never negative */
  int has_glue; /* some bodies do not meet before what holds them has broken */
  // of the world as it was prepared
  pl_finder *finder;
  pl_boundary *surfaces; /* one for each body */
  int surface_count, point_count;
  const int *point_start; /* the finder's: first point of each surface */
  int *block;             /* per point: the block that it is, or -1 */
  int *owner;             /* per point: its body */
  double *mass;           /* per point: kg that move with it */
  double *modulus;        /* per body: E, Pa */
  double *sunk;           /* per body: how deep its surface lies in the substep, m */
  double *x, *v, *to;     /* places and velocities of all points, and where they would go */
  double range, reach;    /* m, at which the force begins; to which pairs are looked for */
  pl_jacobian jacobian;   /* of one pair */
  // of the substep in hand
  int is_linear; /* the integrator solves linear systems only */
  int rubs;      /* some pair has friction */
  double h;      /* s; 0 in statics */
  pl_collision_pair *pairs;
  size_t pair_count, pair_room;
  struct pl_collision_links {
    pl_collision_link *list;
    size_t count, room;
  } links;
  size_t found_count;  /* of pairs that were found when the substep began; others came later */
  pl_contact *contact; /* owner of the obstacles that rigid bodies meet here; NULL: there is none */
  int *first1;         /* per point: 1 + the first of its pairs in which it is the first; 0: none */
  unsigned char *touched; /* per body: something of it touches */
} pl_collision;

static inline int pl_collision_is_rigid(const pl_collision *self, int body)
{
  return self->is.base.bodies->list[body].model->ops->is_rigid;
}

/* What a pair's gap is at places x: weights and normal as they are there; returns the gap. */
double pl_collision_gap(const pl_collision_pair *pair, const double *x, double weights[4],
                        double normal[3]);

/* r^2 p, and as derivatives by the gap: -W'/k and W''/k. */
double pl_collision_law(double gap, double range, double *push, double *slope);

enum { PL_COLLISION_MEMORY = 4 }; /* numbers per point: 1 + the partner's body (0: none), s */
/* How many such memories a body has, one for each point and one for itself if it is rigid; and
 * where a point has it. */
size_t pl_collision_slots(const pl_body *body);
double *pl_collision_memory(const pl_collision *self, int point);

/* Pairs that come nearer than so many ranges are taken. */
#define PL_COLLISION_AHEAD 1.5

/* Parts of the coupling: collision_prepare.c, collision_find.c. */
void pl_collision_destroy(pl_coupling *base);
void pl_collision_follow(pl_coupling *base, const pl_renumbering *change);
pl_status pl_collision_prepare(pl_coupling *base, pl_error *error);
size_t pl_collision_memory_count(const pl_coupling *base);
pl_status pl_collision_find(pl_coupling *base, const pl_substep *step, pl_error *error);
/* Adds points that came near during the substep without having been expected; how many. Those for
 * which there is no room are left to the next substep. */
int pl_collision_catch(pl_collision *self, const pl_substep *step);
/* mu N of all pairs, by the N that they have; and by how much all of them would change, N. */
void pl_collision_bind(pl_collision *self);
/* Chooses s and u about which linear methods see friction: those at which a pair's points would
 * come to if they were alone, where s would be `there` without friction. */
void pl_collision_expect(const pl_collision *self, pl_collision_pair *pair, const double there[3]);
double pl_collision_unbound(pl_collision *self, double *all);

/* Linear methods and soft bodies, collision_linear.c. Their law, as pl_collision_law; the gap that
 * they see at places x; its normal for the substep; whether a pair presses in the first pass; and
 * what a pass has found: is it to be repeated? */
double pl_collision_line(double gap, double range, double *push, double *slope);
double pl_collision_linear_gap(const pl_collision_pair *pair, const double *x);
void pl_collision_foresee(const pl_collision *self, pl_collision_pair *pair);
void pl_collision_expect_push(const pl_collision *self, pl_collision_pair *pair);
int pl_collision_relinearise(pl_collision *self, const pl_substep *step);
/* Has a point departed from where it was expected, so far that it may be near what it was not? */
int pl_collision_strays(const pl_collision *self);
/* The mass that resists a change of the gap, kg. */
double pl_collision_mass(const pl_collision *self, const pl_collision_pair *pair);

/* Can any two surfaces meet, or rigid bodies and surfaces that follow obstacles? */
int pl_collision_is_needed(const pl_bodies *bodies, int between, int obstacles);

/* Chooses stiffness and start of a pair; collision_obstacle.c. */
void pl_collision_choose_stiffness(const pl_collision *self, const pl_substep *step,
                                   pl_collision_pair *to);
void pl_collision_share_stiffness(pl_collision *self, const pl_substep *step);
/* Rigid bodies that began within the range, collision_start.c: takes how deep their surfaces lie
 * from the state; how deep that of a pair does, m; and lets them rise at the end of a substep. */
void pl_collision_recall(pl_collision *self, const pl_substep *step);
double pl_collision_sunk(const pl_collision *self, const pl_collision_pair *pair);
void pl_collision_rise(pl_collision *self, const pl_substep *step);
/* Where the surface of a pair counts as 0, by the gap that it starts with. */
void pl_collision_shift(const pl_collision *self, const pl_substep *step, pl_collision_pair *to);
/* Rebounds, collision_bounce.c: of pairs of one rigid body and obstacles, or of a point of a
 * surface that follows, by their law; of rigid bodies also by impulses at the end of a substep. */
void pl_collision_bounce(pl_collision *self, const pl_substep *step, size_t first, size_t count);
void pl_collision_bounce_point(const pl_collision *self, const pl_substep *step,
                               pl_collision_pair *pair);
void pl_collision_strike(pl_collision *self, const pl_substep *step);
/* Pairs with obstacles: which bodies have them; how many there may be in the substep, where the
 * points are and go to is known and obstacles are placed; and taking those that may touch. */
int pl_collision_meets_obstacles(const pl_collision *self, int b);
void pl_collision_begin_obstacles(const pl_collision *self, const pl_substep *step);
size_t pl_collision_obstacle_room(const pl_collision *self);
void pl_collision_take_obstacles(pl_collision *self, const pl_substep *step);
/* Puts a pair behind the others; its link is found. */
void pl_collision_append(pl_collision *self, const pl_collision_pair *pair);
/* Obstacles as they are at a time. */
void pl_collision_place_obstacles(const pl_collision *self, double t);
/* Adds forces of pairs to those of their obstacles. */
void pl_collision_charge_obstacles(const pl_collision *self,
                                   void (*force)(const pl_collision *self,
                                                 const pl_collision_pair *pair, double out[3]));
/* What responses with other laws share. Places (and velocities) of all points at q and v. */
void pl_collision_place(pl_collision *self, const double *q, const double *v);
/* f += w_i force, the matrix += w_i D w_j. */
void pl_collision_act(pl_collision *self, const int points[4], const pl_moment *at,
                      const double w[4], const double force[3], const double D[9], double *f,
                      const pl_tangent *tangent);
/* The matrix += C_i^T D C_j, 3 x 3 each. */
void pl_collision_stiffen(pl_collision *self, const int points[4], const pl_moment *at,
                          const double C[4][9], const double D[9], const pl_tangent *tangent);
/* The friction of a pair. */
void pl_collision_rub(pl_collision *self, const pl_collision_pair *pair, const pl_moment *at,
                      double *f, const pl_tangent *tangent);
/* Its force on the first body and the slip, where the points are and move. */
void pl_collision_rubbing(const pl_collision *self, const pl_collision_pair *pair, double force[3],
                          double slip[3]);
/* Room for so many pairs; one more, whose points began the substep at x0. */
pl_status pl_collision_reserve(pl_collision *self, size_t count, pl_error *error);
void pl_collision_take(pl_collision *self, const pl_substep *step, const pl_proximity *from,
                       int is_nearest, const double *x0);
/* A finder for all surfaces; how much of its link's friction a pair carries, of its own; the share
 * of the surface that is a point's, m^2. */
pl_status pl_collision_finder(pl_collision *self, pl_finder **out, pl_error *error);
double pl_collision_share(const pl_collision *self, const pl_collision_pair *pair);
double pl_collision_area(const pl_collision *self, int point);
void pl_collision_finish(pl_coupling *base, const pl_substep *step);
int pl_collision_grips(const pl_coupling *base, int body);

#endif
