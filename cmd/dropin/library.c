/* A library of src/lib under the name of NVIDIA's: its functions are libtern.so's, only the name
 * and the version of the symbols are here. */
extern const int tern_dropin_library;
const int tern_dropin_library = 1;
