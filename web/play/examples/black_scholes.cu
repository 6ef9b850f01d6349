// Prices of European call options by the formula of Black and Scholes: spot prices from 20 to 180, strike 100, one year.
// tern run: --kernel price --grid 4 --block 128 --arg f32[512] --arg i32:512 --arg f32:100 --arg f32:0.02 --arg f32:0.3
// tern play: view=0 as=plot
__device__ float normal(float x)
{
    return 0.5f * erfcf(-0.70710678f * x);
}

__global__ void price(float *call, int n, float strike, float rate, float volatility)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float spot = 20 + 160.0f * i / (n - 1), years = 1;
    float spread = volatility * sqrtf(years);
    float d1 = (logf(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread, d2 = d1 - spread;
    call[i] = spot * normal(d1) - strike * expf(-rate * years) * normal(d2);
}
