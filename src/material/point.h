/* A batch of material points: what every element and every law agree on.
 *
 * From the deformation gradient F and its rate follow the first Piola-Kirchhoff stress P (positive
 * in tension; a node with shape gradient b and weight V feels the force -V P b), the energy density
 * W, and the derivatives dP/dF and dP/d(dF/dt). 3x3 matrices are row-major: F[3*i+j] = dx_i/dX_j;
 * symmetric ones that are kept as six numbers are xx yy zz xy xz yz. */
#ifndef PL_MATERIAL_POINT_H
#define PL_MATERIAL_POINT_H

#include "math/lanes.h"

typedef struct pl_point_ops pl_point_ops;

/* What fades around a law (pl_fading_points): the law, whether it is one of a strain measure, and
 * which part of its stress. */
typedef enum pl_fading_part { PL_FADING_SHAPE, PL_FADING_VOLUME, PL_FADING_BOTH } pl_fading_part;
typedef struct pl_fading {
  const pl_point_ops *law;
  int by_strain;
  int hermite; /* its rates at both ends of a substep count, not only its change */
  pl_fading_part of;
} pl_fading;

/* A memory that moves on by the linear rule, a next substep being as long (prony_point.h). */
typedef struct pl_move {
  const pl_lanes *shares, *decays; /* of each term: its share of what fades, and both factors */
  int terms;
  const double *from; /* history as it was, six numbers for now and six of each term */
  double *to;         /* as it will be; may be the same room */
  pl_lanes *frozen;   /* what it will amount to, but for energies */
} pl_move;

typedef struct pl_point {
  pl_lanes F[9];
  pl_lanes rate[9];                    /* dF/dt in 1/s; read only where viscous is set  */
  pl_lanes lambda, mu;                 /* elastic moduli at rest, Pa                    */
  pl_lanes viscous_lambda, viscous_mu; /* moduli of the strain rate, Pa s               */
  const pl_lanes *numbers;             /* the law's own constants; NULL where it has none */
  const pl_lanes *frozen;              /* what its memory amounts to (pl_memory_ops); NULL: none */
  const pl_lanes *prestress;  /* T[6], Pa: W has a term T : E beside Hooke's; NULL: none. E is the
                               * strain measure's, Green's for laws of F */
  const pl_lanes *pressure;   /* p, Pa: W has a term p theta (pl_point_ops.volume); NULL: none */
  const pl_point_ops *strain; /* the strain measure's, for laws that add to it */
  const pl_fading *fading;    /* NULL: nothing fades but by the law itself */
  const pl_lanes *decays;     /* of a substep (pl_memory_ops.decays); NULL: to be computed */
  const pl_lanes *axes;       /* a[9]: its columns are the material's axes; NULL: x, y and z */
  const struct pl_layers *layers; /* the law below the modifiers, and these; NULL: none */
  const pl_lanes *layer_numbers;  /* the constants of the modifiers, one behind the other */
  const pl_move *move;            /* what form moves on (pl_point_ops.moves); NULL: nothing */
  int viscous;
} pl_point;

/* How an exact tangent is made semidefinite: negative eigenvalues become 0 or change their sign. */
enum { PL_TANGENT_EXACT, PL_TANGENT_CLAMPED, PL_TANGENT_ABSOLUTE };

/* What the tangent of a law consists of, for a pass over many points. */
typedef enum pl_tangent_shape {
  PL_TANGENT_WHOLE,     /* all of H                    */
  PL_TANGENT_TURNED,    /* a form with N = mu I, S = 0 */
  PL_TANGENT_STRESSED,  /* a form                      */
  PL_TANGENT_INVARIANT, /* five numbers: see below    */
  PL_TANGENT_STRETCHED  /* by singular values         */
} pl_tangent_shape;

/* A tangent in few numbers, with symmetric N and S:
 *   H_ijkl = lambda A_ij A_kl + mu A_il A_kj + delta_jl N_ik + delta_ik S_jl
 * so that two nodes with shape gradients a and b and the weight V are coupled by
 *   V (lambda (A a) (A b)^T + mu (A b) (A a)^T + (a . b) N + (a . S b) I).
 *
 * Of the shape PL_TANGENT_INVARIANT, for laws W(I1, J), with A = cof F, B = F and the derivative of
 * cof F by F, which has e_ikm e_jln F_mn at ijkl (e: the permutation symbol):
 *   H_ijkl = mu delta_ik delta_jl + ff B_ij B_kl + fg (B_ij A_kl + A_ij B_kl) + lambda A_ij A_kl
 *          + spin e_ikm e_jln B_mn
 *   V (mu (a . b) I + ff (B a) (B b)^T + fg ((B a) (A b)^T + (A a) (B b)^T) + lambda (A a) (A b)^T
 *      - spin [B (a x b)])                          with [w] x = w x x.
 *
 * Of the shape PL_TANGENT_STRETCHED, for laws of the singular values of F, in the frames A = V and
 * N = U of these: entries B_ik at iikk, own_k at ijij and cross_k at ijji, where k is the axis
 * across i and j. With a' = V^T a and b' = V^T b two nodes are coupled by V U K' U^T,
 *   K'_ii = B_ii a'_i b'_i + own_k a'_j b'_j + own_j a'_k b'_k,
 *   K'_ij = B_ij a'_i b'_j + cross_k a'_j b'_i.
 *
 * The last two shapes have delta_ik S_jl besides, V (a . S b) I, where stressed is set. */
typedef struct pl_tangent_form {
  pl_lanes lambda, mu;
  pl_lanes A[9];
  pl_lanes N[9], S[9];         /* of PL_TANGENT_STRESSED, and as said of the last two */
  pl_lanes B[9], ff, fg, spin; /* the last three of PL_TANGENT_INVARIANT only */
  pl_lanes own[3], cross[3];   /* of PL_TANGENT_STRETCHED only */
  int stressed;                /* of the last two: S counts */
} pl_tangent_form;

/* What a strain measure computes with Hooke's law, or a law of F by itself. Every output pointer
 * may be NULL, but that of form. */
struct pl_point_ops {
  /* P[9] and W of the batch. */
  void (*stress)(const pl_point *point, pl_lanes *P, pl_lanes *W);
  /* H[81], H[9*(3*i+j) + 3*k+l] = kq dP_ij/dF_kl + kv dP_ij/d(dF/dt)_kl, and P[9].
   * With semidefinite set, the elastic part is replaced by a near one without negative
   * eigenvalues; otherwise it is the exact derivative (at rate 0). The derivative of the viscous
   * stress with respect to F is left out: it is not symmetric. */
  void (*tangent)(const pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
                  pl_lanes *H);
  /* Does H have a form, and which? Asks for strain, fading and viscous of the point only. */
  pl_tangent_shape (*shape)(const pl_point *point, int semidefinite);
  /* The same as tangent by its form; only called where there is one. */
  void (*form)(pl_point *point, double kq, double kv, int semidefinite, pl_lanes *P,
               pl_tangent_form *form);
  /* form takes a point with a move and moduli of a sudden load: once it knows the stress that
   * fades, history moves on, and the point gets the moduli of the next substep. */
  int moves;
  /* E[6] of a strain measure at F[9]; NULL in laws of F. */
  void (*measure)(const pl_lanes *F, pl_lanes *E);
  /* theta = tr E of a strain measure and its derivative dtheta/dF (slope[9]); NULL in laws of F,
   * which have theta = J - 1 and the cofactors of F. */
  void (*volume)(const pl_lanes *F, pl_lanes *theta, pl_lanes *slope);
  /* The stress S[6] = dW/dE without prestress, where that is less work than P: of laws that are
   * linear in a measure E of the point's strain, other than Hooke's, and of laws of the invariants
   * of F (Green's E). NULL in others. */
  void (*conjugate)(const pl_point *point, pl_lanes *S);
};

#endif
