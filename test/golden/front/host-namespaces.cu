// Namespaces of headers that the device half does not read may have other names: that is no error until device code uses one.
// RUN: tern compile %s --to ir -DONE | grep 'store'
// RUN: tern compile %s --to ir -DTWO
// RUN: tern compile %s --to ir -DTHREE
#ifndef THREE
#include <boost/program_options.hpp>
#endif
namespace options = boost::program_options;
int parse(options::variables_map &map, int n)
{
    options::options_description all;
    return n;
}
#ifdef ONE
__global__ void k(int *p) { *p = 1; }
#else
__global__ void k(int *p) { *p = options::version(); }
#endif
