/* SPDX-License-Identifier: Apache-2.0 */
/* Private: LAPACK and BLAS through their Fortran symbols. Every CHARACTER argument has a hidden length behind the list. */
#ifndef LINALG_LAPACK_H
#define LINALG_LAPACK_H

#include <complex.h>
#include <stddef.h>

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau, double *work, const int *lwork, int *info);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a, const int *lda,
             const double *tau, double *c, const int *ldc, double *work, const int *lwork, int *info, size_t, size_t);
void dtzrzf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork, int *info);
void dormrz_(const char *side, const char *trans, const int *m, const int *n, const int *k, const int *l, const double *a, const int *lda,
             const double *tau, double *c, const int *ldc, double *work, const int *lwork, int *info, size_t, size_t);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a, const int *lda, double *x,
            const int *incx, size_t, size_t, size_t);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n, const double *alpha,
            const double *a, const int *lda, double *b, const int *ldb, size_t, size_t, size_t, size_t);
/* Complex numbers are pairs of doubles. */
void zgetrf_(const int *m, const int *n, double complex *a, const int *lda, int *pivot, int *info);
void ztrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
            const double complex *alpha, const double complex *a, const int *lda, double complex *b, const int *ldb, size_t, size_t, size_t,
            size_t);
void ztrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double complex *a, const int *lda, double complex *x,
            const int *incx, size_t, size_t, size_t);
void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda, double *wr, double *wi, double *vl,
            const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info, size_t, size_t);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int *ldc, size_t, size_t);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda, const double *x,
            const int *incx, const double *beta, double *y, const int *incy, size_t);

#endif
