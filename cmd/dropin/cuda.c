/* libcuda.so.1: libtern.so under the driver's name. The mark keeps our own search for NVIDIA's
 * driver from finding this. */
extern const int tern_dropin;
const int tern_dropin = 1;
