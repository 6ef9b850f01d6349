# a finding of tern check --json, shortly: kind, line, the other line, kernel
s/.*"kind":"\([a-z-]*\)","file":[^,]*,"line":\([0-9]*\),"other_line":\([a-z0-9]*\),"kernel":\([^,]*\),.*"count":[0-9]*}$/\1 \2 \3 \4/
