/* FFTW's names on cuFFT: plans over memory of the host or of the device. Only for host code. */
#pragma once
#define _CUFFTW_H_
#include <stdio.h>
#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FFTW_FORWARD -1
#define FFTW_INVERSE 1
#define FFTW_BACKWARD 1

/* Flags change nothing. */
#define FFTW_ESTIMATE 0x01
#define FFTW_MEASURE 0x02
#define FFTW_PATIENT 0x03
#define FFTW_EXHAUSTIVE 0x04
#define FFTW_WISDOM_ONLY 0x05
#define FFTW_DESTROY_INPUT 0x08
#define FFTW_PRESERVE_INPUT 0x0C
#define FFTW_UNALIGNED 0x10

#if defined(_Complex_I) && defined(complex) && defined(I)
typedef double _Complex fftw_complex;
typedef float _Complex fftwf_complex;
#else
typedef double fftw_complex[2];
typedef float fftwf_complex[2];
#endif
typedef void *fftw_plan;
typedef void *fftwf_plan;
typedef struct {
    int n, is, os;
} fftw_iodim;
typedef fftw_iodim fftwf_iodim;
typedef struct {
    ptrdiff_t n, is, os;
} fftw_iodim64;
typedef fftw_iodim64 fftwf_iodim64;

#include "tern_cufftw.h"

/* FFTW's names; a program that also includes fftw3.h would have two of each. */
#define fftw_plan_dft_1d cufftw_plan_dft_1d
#define fftw_plan_dft_2d cufftw_plan_dft_2d
#define fftw_plan_dft_3d cufftw_plan_dft_3d
#define fftw_plan_dft cufftw_plan_dft
#define fftw_plan_many_dft cufftw_plan_many_dft
#define fftw_plan_guru_dft cufftw_plan_guru_dft
#define fftw_plan_guru64_dft cufftw_plan_guru64_dft
#define fftw_plan_dft_r2c_1d cufftw_plan_dft_r2c_1d
#define fftw_plan_dft_r2c_2d cufftw_plan_dft_r2c_2d
#define fftw_plan_dft_r2c_3d cufftw_plan_dft_r2c_3d
#define fftw_plan_dft_r2c cufftw_plan_dft_r2c
#define fftw_plan_many_dft_r2c cufftw_plan_many_dft_r2c
#define fftw_plan_guru_dft_r2c cufftw_plan_guru_dft_r2c
#define fftw_plan_guru64_dft_r2c cufftw_plan_guru64_dft_r2c
#define fftw_plan_dft_c2r_1d cufftw_plan_dft_c2r_1d
#define fftw_plan_dft_c2r_2d cufftw_plan_dft_c2r_2d
#define fftw_plan_dft_c2r_3d cufftw_plan_dft_c2r_3d
#define fftw_plan_dft_c2r cufftw_plan_dft_c2r
#define fftw_plan_many_dft_c2r cufftw_plan_many_dft_c2r
#define fftw_plan_guru_dft_c2r cufftw_plan_guru_dft_c2r
#define fftw_plan_guru64_dft_c2r cufftw_plan_guru64_dft_c2r
#define fftw_execute cufftw_execute
#define fftw_execute_dft cufftw_execute_dft
#define fftw_execute_dft_r2c cufftw_execute_dft_r2c
#define fftw_execute_dft_c2r cufftw_execute_dft_c2r
#define fftw_destroy_plan cufftw_destroy_plan
#define fftw_cleanup cufftw_cleanup
#define fftw_malloc cufftw_malloc
#define fftw_free cufftw_free
#define fftw_export_wisdom_to_file cufftw_export_wisdom_to_file
#define fftw_import_wisdom_from_file cufftw_import_wisdom_from_file
#define fftw_print_plan cufftw_print_plan
#define fftw_set_timelimit cufftw_set_timelimit
#define fftw_cost cufftw_cost
#define fftw_flops cufftw_flops
#define fftwf_plan_dft_1d cufftwf_plan_dft_1d
#define fftwf_plan_dft_2d cufftwf_plan_dft_2d
#define fftwf_plan_dft_3d cufftwf_plan_dft_3d
#define fftwf_plan_dft cufftwf_plan_dft
#define fftwf_plan_many_dft cufftwf_plan_many_dft
#define fftwf_plan_guru_dft cufftwf_plan_guru_dft
#define fftwf_plan_guru64_dft cufftwf_plan_guru64_dft
#define fftwf_plan_dft_r2c_1d cufftwf_plan_dft_r2c_1d
#define fftwf_plan_dft_r2c_2d cufftwf_plan_dft_r2c_2d
#define fftwf_plan_dft_r2c_3d cufftwf_plan_dft_r2c_3d
#define fftwf_plan_dft_r2c cufftwf_plan_dft_r2c
#define fftwf_plan_many_dft_r2c cufftwf_plan_many_dft_r2c
#define fftwf_plan_guru_dft_r2c cufftwf_plan_guru_dft_r2c
#define fftwf_plan_guru64_dft_r2c cufftwf_plan_guru64_dft_r2c
#define fftwf_plan_dft_c2r_1d cufftwf_plan_dft_c2r_1d
#define fftwf_plan_dft_c2r_2d cufftwf_plan_dft_c2r_2d
#define fftwf_plan_dft_c2r_3d cufftwf_plan_dft_c2r_3d
#define fftwf_plan_dft_c2r cufftwf_plan_dft_c2r
#define fftwf_plan_many_dft_c2r cufftwf_plan_many_dft_c2r
#define fftwf_plan_guru_dft_c2r cufftwf_plan_guru_dft_c2r
#define fftwf_plan_guru64_dft_c2r cufftwf_plan_guru64_dft_c2r
#define fftwf_execute cufftwf_execute
#define fftwf_execute_dft cufftwf_execute_dft
#define fftwf_execute_dft_r2c cufftwf_execute_dft_r2c
#define fftwf_execute_dft_c2r cufftwf_execute_dft_c2r
#define fftwf_destroy_plan cufftwf_destroy_plan
#define fftwf_cleanup cufftwf_cleanup
#define fftwf_malloc cufftwf_malloc
#define fftwf_free cufftwf_free
#define fftwf_export_wisdom_to_file cufftwf_export_wisdom_to_file
#define fftwf_import_wisdom_from_file cufftwf_import_wisdom_from_file
#define fftwf_print_plan cufftwf_print_plan
#define fftwf_set_timelimit cufftwf_set_timelimit
#define fftwf_cost cufftwf_cost
#define fftwf_flops cufftwf_flops

#ifdef __cplusplus
}
#endif
