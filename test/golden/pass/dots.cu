// Sums of products of bytes are instructions for all lanes, and those that some processors have for them where these are.
// RUN: tern compile %s --to x64 | grep -owE 'vpmulld|vpmaddwd|vpdpbusd' | sort -u
// RUN: tern compile %s --to x64 --vnni | grep -owE 'vpmulld|vpmaddwd|vpdpbusd' | sort -u
// RUN: tern compile %s --to x64 --avx512 | grep -owE 'vpmulld|vpmaddwd|vpdpbusd' | sort -u
// RUN: tern compile %s --to x64 --avx512 --vnni | grep -owE 'vpmulld|vpmaddwd|vpdpbusd' | sort -u
// RUN: tern compile %s --to a64 | grep -owE 'mul|[su]mull2?|[su]dot' | sort -u
// RUN: tern compile %s --to a64 --dotprod | grep -owE 'mul|[su]mull2?|[su]dot' | sort -u
// RUN: tern compile %s --to a64 --sve 256 | grep -owE 'mul|[su]mull2?|[su]dot' | sort -u
__global__ void dots(const int *a, const int *b, int *c, unsigned *d)
{
    int i = threadIdx.x;
    c[i] = __dp4a(a[i], b[i], c[i]);
    d[i] = __dp4a((unsigned)a[i], (unsigned)b[i], d[i]);
}
