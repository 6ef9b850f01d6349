set breakpoint pending on
break step.cu:26
run
bt 1
