/* What the processor can do. */
#ifndef PL_CORE_CPU_H
#define PL_CORE_CPU_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(PL_WITHOUT_AVX2)
#define PL_HAS_AVX2_VARIANT 1
static inline int pl_cpu_has_avx2(void) { return __builtin_cpu_supports("avx2") != 0; }
/* Twice the registers, for the same lanes. */
#define PL_TARGET_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq")))
static inline int pl_cpu_has_avx512(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq");
}
#else
#define PL_HAS_AVX2_VARIANT 0
static inline int pl_cpu_has_avx2(void) { return 0; }
#endif

/* The variant of a hot function or table that suits this processor; all give the same bits. */
#if PL_HAS_AVX2_VARIANT
#define PL_PICK_VARIANT(name) (pl_cpu_has_avx2() ? name##_avx2 : name##_base)
#else
#define PL_PICK_VARIANT(name) (name##_base)
#endif

/* Declares both variants of a table of functions, named as its type, and name_pick, which returns
 * the one that suits. */
#define PL_KERNEL_VARIANTS(name)                                                                   \
  extern const name name##_base, name##_avx2;                                                      \
  static inline const name *name##_pick(void) { return PL_PICK_VARIANT(&name); }                   \
  _Static_assert(sizeof(name) > 0, "a table has functions")

#endif
