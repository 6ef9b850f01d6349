/* Bytes and 16-bit halves in a word, lane by lane; computed by device/libm/simd.h. */
#pragma once
#include "host_defines.h"
#ifdef __TERN_DEVICE__
__TERN_FN unsigned __vadd2(unsigned a, unsigned b) { return __tern_vadd2(a, b); }
__TERN_FN unsigned __vsub2(unsigned a, unsigned b) { return __tern_vsub2(a, b); }
__TERN_FN unsigned __vaddss2(unsigned a, unsigned b) { return __tern_vaddss2(a, b); }
__TERN_FN unsigned __vaddus2(unsigned a, unsigned b) { return __tern_vaddus2(a, b); }
__TERN_FN unsigned __vsubss2(unsigned a, unsigned b) { return __tern_vsubss2(a, b); }
__TERN_FN unsigned __vsubus2(unsigned a, unsigned b) { return __tern_vsubus2(a, b); }
__TERN_FN unsigned __vavgs2(unsigned a, unsigned b) { return __tern_vavgs2(a, b); }
__TERN_FN unsigned __vavgu2(unsigned a, unsigned b) { return __tern_vavgu2(a, b); }
__TERN_FN unsigned __vhaddu2(unsigned a, unsigned b) { return __tern_vhaddu2(a, b); }
__TERN_FN unsigned __vabs2(unsigned a) { return __tern_vabs2(a); }
__TERN_FN unsigned __vabsss2(unsigned a) { return __tern_vabsss2(a); }
__TERN_FN unsigned __vneg2(unsigned a) { return __tern_vneg2(a); }
__TERN_FN unsigned __vnegss2(unsigned a) { return __tern_vnegss2(a); }
__TERN_FN unsigned __vabsdiffs2(unsigned a, unsigned b) { return __tern_vabsdiffs2(a, b); }
__TERN_FN unsigned __vabsdiffu2(unsigned a, unsigned b) { return __tern_vabsdiffu2(a, b); }
__TERN_FN unsigned __vmaxs2(unsigned a, unsigned b) { return __tern_vmaxs2(a, b); }
__TERN_FN unsigned __vmaxu2(unsigned a, unsigned b) { return __tern_vmaxu2(a, b); }
__TERN_FN unsigned __vmins2(unsigned a, unsigned b) { return __tern_vmins2(a, b); }
__TERN_FN unsigned __vminu2(unsigned a, unsigned b) { return __tern_vminu2(a, b); }
__TERN_FN unsigned __vcmpeq2(unsigned a, unsigned b) { return __tern_vcmpeq2(a, b); }
__TERN_FN unsigned __vseteq2(unsigned a, unsigned b) { return __tern_vseteq2(a, b); }
__TERN_FN unsigned __vcmpne2(unsigned a, unsigned b) { return __tern_vcmpne2(a, b); }
__TERN_FN unsigned __vsetne2(unsigned a, unsigned b) { return __tern_vsetne2(a, b); }
__TERN_FN unsigned __vcmpges2(unsigned a, unsigned b) { return __tern_vcmpges2(a, b); }
__TERN_FN unsigned __vcmpgeu2(unsigned a, unsigned b) { return __tern_vcmpgeu2(a, b); }
__TERN_FN unsigned __vsetges2(unsigned a, unsigned b) { return __tern_vsetges2(a, b); }
__TERN_FN unsigned __vsetgeu2(unsigned a, unsigned b) { return __tern_vsetgeu2(a, b); }
__TERN_FN unsigned __vcmpgts2(unsigned a, unsigned b) { return __tern_vcmpgts2(a, b); }
__TERN_FN unsigned __vcmpgtu2(unsigned a, unsigned b) { return __tern_vcmpgtu2(a, b); }
__TERN_FN unsigned __vsetgts2(unsigned a, unsigned b) { return __tern_vsetgts2(a, b); }
__TERN_FN unsigned __vsetgtu2(unsigned a, unsigned b) { return __tern_vsetgtu2(a, b); }
__TERN_FN unsigned __vcmples2(unsigned a, unsigned b) { return __tern_vcmples2(a, b); }
__TERN_FN unsigned __vcmpleu2(unsigned a, unsigned b) { return __tern_vcmpleu2(a, b); }
__TERN_FN unsigned __vsetles2(unsigned a, unsigned b) { return __tern_vsetles2(a, b); }
__TERN_FN unsigned __vsetleu2(unsigned a, unsigned b) { return __tern_vsetleu2(a, b); }
__TERN_FN unsigned __vcmplts2(unsigned a, unsigned b) { return __tern_vcmplts2(a, b); }
__TERN_FN unsigned __vcmpltu2(unsigned a, unsigned b) { return __tern_vcmpltu2(a, b); }
__TERN_FN unsigned __vsetlts2(unsigned a, unsigned b) { return __tern_vsetlts2(a, b); }
__TERN_FN unsigned __vsetltu2(unsigned a, unsigned b) { return __tern_vsetltu2(a, b); }
__TERN_FN unsigned __vsads2(unsigned a, unsigned b) { return __tern_vsads2(a, b); }
__TERN_FN unsigned __vsadu2(unsigned a, unsigned b) { return __tern_vsadu2(a, b); }
__TERN_FN unsigned __vadd4(unsigned a, unsigned b) { return __tern_vadd4(a, b); }
__TERN_FN unsigned __vsub4(unsigned a, unsigned b) { return __tern_vsub4(a, b); }
__TERN_FN unsigned __vaddss4(unsigned a, unsigned b) { return __tern_vaddss4(a, b); }
__TERN_FN unsigned __vaddus4(unsigned a, unsigned b) { return __tern_vaddus4(a, b); }
__TERN_FN unsigned __vsubss4(unsigned a, unsigned b) { return __tern_vsubss4(a, b); }
__TERN_FN unsigned __vsubus4(unsigned a, unsigned b) { return __tern_vsubus4(a, b); }
__TERN_FN unsigned __vavgs4(unsigned a, unsigned b) { return __tern_vavgs4(a, b); }
__TERN_FN unsigned __vavgu4(unsigned a, unsigned b) { return __tern_vavgu4(a, b); }
__TERN_FN unsigned __vhaddu4(unsigned a, unsigned b) { return __tern_vhaddu4(a, b); }
__TERN_FN unsigned __vabs4(unsigned a) { return __tern_vabs4(a); }
__TERN_FN unsigned __vabsss4(unsigned a) { return __tern_vabsss4(a); }
__TERN_FN unsigned __vneg4(unsigned a) { return __tern_vneg4(a); }
__TERN_FN unsigned __vnegss4(unsigned a) { return __tern_vnegss4(a); }
__TERN_FN unsigned __vabsdiffs4(unsigned a, unsigned b) { return __tern_vabsdiffs4(a, b); }
__TERN_FN unsigned __vabsdiffu4(unsigned a, unsigned b) { return __tern_vabsdiffu4(a, b); }
__TERN_FN unsigned __vmaxs4(unsigned a, unsigned b) { return __tern_vmaxs4(a, b); }
__TERN_FN unsigned __vmaxu4(unsigned a, unsigned b) { return __tern_vmaxu4(a, b); }
__TERN_FN unsigned __vmins4(unsigned a, unsigned b) { return __tern_vmins4(a, b); }
__TERN_FN unsigned __vminu4(unsigned a, unsigned b) { return __tern_vminu4(a, b); }
__TERN_FN unsigned __vcmpeq4(unsigned a, unsigned b) { return __tern_vcmpeq4(a, b); }
__TERN_FN unsigned __vseteq4(unsigned a, unsigned b) { return __tern_vseteq4(a, b); }
__TERN_FN unsigned __vcmpne4(unsigned a, unsigned b) { return __tern_vcmpne4(a, b); }
__TERN_FN unsigned __vsetne4(unsigned a, unsigned b) { return __tern_vsetne4(a, b); }
__TERN_FN unsigned __vcmpges4(unsigned a, unsigned b) { return __tern_vcmpges4(a, b); }
__TERN_FN unsigned __vcmpgeu4(unsigned a, unsigned b) { return __tern_vcmpgeu4(a, b); }
__TERN_FN unsigned __vsetges4(unsigned a, unsigned b) { return __tern_vsetges4(a, b); }
__TERN_FN unsigned __vsetgeu4(unsigned a, unsigned b) { return __tern_vsetgeu4(a, b); }
__TERN_FN unsigned __vcmpgts4(unsigned a, unsigned b) { return __tern_vcmpgts4(a, b); }
__TERN_FN unsigned __vcmpgtu4(unsigned a, unsigned b) { return __tern_vcmpgtu4(a, b); }
__TERN_FN unsigned __vsetgts4(unsigned a, unsigned b) { return __tern_vsetgts4(a, b); }
__TERN_FN unsigned __vsetgtu4(unsigned a, unsigned b) { return __tern_vsetgtu4(a, b); }
__TERN_FN unsigned __vcmples4(unsigned a, unsigned b) { return __tern_vcmples4(a, b); }
__TERN_FN unsigned __vcmpleu4(unsigned a, unsigned b) { return __tern_vcmpleu4(a, b); }
__TERN_FN unsigned __vsetles4(unsigned a, unsigned b) { return __tern_vsetles4(a, b); }
__TERN_FN unsigned __vsetleu4(unsigned a, unsigned b) { return __tern_vsetleu4(a, b); }
__TERN_FN unsigned __vcmplts4(unsigned a, unsigned b) { return __tern_vcmplts4(a, b); }
__TERN_FN unsigned __vcmpltu4(unsigned a, unsigned b) { return __tern_vcmpltu4(a, b); }
__TERN_FN unsigned __vsetlts4(unsigned a, unsigned b) { return __tern_vsetlts4(a, b); }
__TERN_FN unsigned __vsetltu4(unsigned a, unsigned b) { return __tern_vsetltu4(a, b); }
__TERN_FN unsigned __vsads4(unsigned a, unsigned b) { return __tern_vsads4(a, b); }
__TERN_FN unsigned __vsadu4(unsigned a, unsigned b) { return __tern_vsadu4(a, b); }
#endif
