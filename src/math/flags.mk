# Instruction sets of the kernel files, read by the Makefile as FLAGS_<file>. Elsewhere than on
# x86-64 and in the double build these files are empty and take no flags. -O3 holds for every
# variant: the tiles live in registers only when their loops are unrolled.
FLAGS_vec_plain := -O3 -ffp-contract=off
ifneq ($(V),double)
ifneq ($(filter x86_64% amd64%,$(shell $(CC) -dumpmachine)),)
FLAGS_vec_sse2   := -O3 -msse2 -ffp-contract=off
FLAGS_vec_avx2   := -O3 -mavx2 -mfma -ffp-contract=off
FLAGS_vec_vnni   := -O3 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vnni -mfma -ffp-contract=off
FLAGS_vec_bfloat16 := -O3 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512bf16 -mfma -ffp-contract=off
FLAGS_vec_avx512 := -O3 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -ffp-contract=off
endif
endif
