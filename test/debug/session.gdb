break step.cu:26
run
print i
print k
print at
print p
print part[3]
print threadIdx
print blockDim.x
print n
print *in@4
print total
info locals
tbreak step.cu:29 if threadIdx.x == 5 && blockIdx.x == 1
delete 1
continue
kernel-where
print i
print sum
set var sum = 100
tbreak twice
continue
bt 2
next
print doubled
up
print sum
next
print out[37]
