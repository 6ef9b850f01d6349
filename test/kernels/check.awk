# check.awk EXPECT OUTPUT: says what is wrong and fails, or says nothing. -v status, -v err (a file).
function distance(a, b) { return a > b ? a - b : b - a }
function scale(b) { b = b < 0 ? -b : b; return b > 1 ? b : 1 }
function wrong(text) { if (!bad) print text; bad = 1 }
function near(got, want, t) { return got == want || distance(got, want) <= t * scale(want) }

FNR == NR { expect[++n] = $0; next }
{ out = out "\n" $0 }
/^arg [0-9]+ / {
    k = $2
    line = $0
    sub(/^arg [0-9]+ [a-z0-9]+\[[0-9]+\]: */, "", line)
    got[k] = line
}
END {
    while ((getline line < err) > 0)
        errors = errors "\n" line
    want_status = 0
    for (i = 1; i <= n; i++)
        if (expect[i] ~ /^exit /)
            want_status = substr(expect[i], 6) + 0
    if (status != want_status)
        wrong("status " status ", not " want_status)
    checks = want_status != 0
    for (i = 1; i <= n && !bad; i++) {
        e = expect[i]
        if (e ~ /^exit /)
            continue
        checks++
        if (sub(/^stdout: /, "", e)) {
            if (!index(out, e))
                wrong("\"" e "\" was not printed")
        } else if (sub(/^stderr: /, "", e)) {
            if (!index(errors, e))
                wrong("\"" e "\" was not said")
        } else if (match(e, /^arg [0-9]+: near /)) {
            m = split(e, w, " ")
            k = w[2] + 0
            t = w[4] + 0
            c = split(got[k], g, " ")
            j = 1
            for (x = 5; x <= m && w[x] != "sum"; x++)
                if (!near(g[j++], w[x], t))
                    wrong("arg " k ": element " j - 2 " is " g[j - 1] ", not " w[x])
            for (y = 1; y <= c && g[y] != "sum"; y++)
                ;
            if (g[y] != "sum" || !near(g[y + 1], w[x + 1], t))
                wrong("arg " k ": sum is " g[y + 1] ", not " w[x + 1])
        } else if (match(e, /^arg [0-9]+: sum /)) {
            split(e, w, " ")
            k = w[2] + 0
            c = split(got[k], g, " ")
            if (g[c - 2] != w[4] || g[c] != w[6])
                wrong("arg " k ": " got[k] ", not sum " w[4] " checksum " w[6])
        } else {
            wrong("cannot read EXPECT " e)
        }
    }
    if (!checks)
        wrong("nothing is expected of it")
    exit bad
}
