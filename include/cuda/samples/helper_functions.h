#pragma once
#include <assert.h>
#include <fstream>
#include <iostream>
#include <math.h>
#include <string>
#include <vector>
#include "helper_string.h"
#include "helper_timer.h"
/* Is the difference, by the length of vectors, small beside the first? */
inline bool sdkCompareL2fe(const float *reference, const float *data, unsigned int len, float epsilon)
{
    float error = 0, all = 0;
    for (unsigned int k = 0; k < len; k++) {
        const float d = reference[k] - data[k];
        error += d * d;
        all += reference[k] * reference[k];
    }
    return all >= 1e-7f && sqrtf(error) / sqrtf(all) < epsilon;
}
inline bool compareData(const float *reference, const float *data, unsigned int len, float epsilon, float threshold)
{
    unsigned int wrong = 0;
    for (unsigned int k = 0; k < len; k++)
        wrong += !(fabsf(reference[k] - data[k]) <= epsilon);
    return threshold == 0 ? !wrong : (float)wrong <= threshold * (float)len;
}
