// SPDX-License-Identifier: Apache-2.0
// Files that are compiled once more for wider vectors (the Makefile's WIDE).
#ifndef GPU_VGPU_ISA_H
#define GPU_VGPU_ISA_H

// Their public names end in the instruction set then; where nothing says
// which, the plain ones are meant. All sets give the same bits.
#ifdef VG_ISA
#  define VG_PASTE2(name, isa) name##isa
#  define VG_PASTE(name, isa)  VG_PASTE2(name, isa)
#  define VG_NAME(name)        VG_PASTE(name, VG_ISA)
#  define vg_find_alu          VG_NAME(vg_find_alu)
#  define vg_pairs_alu         VG_NAME(vg_pairs_alu)
#  define vg_pairs_float       VG_NAME(vg_pairs_float)
#  define vg_pairs_cvt         VG_NAME(vg_pairs_cvt)
#  define vg_pairs_memory      VG_NAME(vg_pairs_memory)
#  define vg_find_float        VG_NAME(vg_find_float)
#  define vg_find_cvt          VG_NAME(vg_find_cvt)
#  define vg_find_memory       VG_NAME(vg_find_memory)
#  define vg_op_narrow         VG_NAME(vg_op_narrow)
#  define vg_op_widen          VG_NAME(vg_op_widen)
#  define vg_op_widen_signed   VG_NAME(vg_op_widen_signed)
#  define vg_op_frame_address  VG_NAME(vg_op_frame_address)
#  define vg_op_ld_param       VG_NAME(vg_op_ld_param)
#  define vg_op_pack           VG_NAME(vg_op_pack)
#  define vg_op_unpack         VG_NAME(vg_op_unpack)
#  define vg_access            VG_NAME(vg_access)
#  define vg_access_row        VG_NAME(vg_access_row)
#  define vg_access_lane       VG_NAME(vg_access_lane)
#  define vg_access_text       VG_NAME(vg_access_text)
#endif

// Of the widest vector that the compiler keeps in a register: of wider ones it
// makes a detour through memory, ten times as slow.
#if defined __AVX512F__
enum { VG_NATIVE_BYTES = 64 };
#elif defined __AVX2__
enum { VG_NATIVE_BYTES = 32 };
#else
enum { VG_NATIVE_BYTES = 16 };
#endif

#endif
