/* Clusters for devices without them (lower/expand/clusters.c): what the compiler and who launches
 * have to agree on.
 *
 * A kernel whose cluster_shared is not 0 is launched with blocks that are clusters: of the parts of
 * one cluster, in z; each of whole warps. It has one parameter more than was written, the last: the
 * blocks of a cluster in x, y and z, of CLUSTER_BITS each, and from bit 32 on the dynamic shared
 * bytes that were asked for. All its shared memory is dynamic, the variable CLUSTER_SHARED: so many
 * frames of the same size, rounded to its alignment and at least to CLUSTER_ALIGN, as the cluster
 * has blocks. */
#ifndef IR_CLUSTER_H
#define IR_CLUSTER_H

#define CLUSTER_BITS   8
#define CLUSTER_ALIGN  1024
#define CLUSTER_SHARED "__tern_cluster"

#endif
