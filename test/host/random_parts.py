"""More parts of random host programs: what C++ has beside numbers and loops. A class that `random-programs` mixes in: each
method gives lines for run(), and adds to self.top what they need at namespace scope. r is the program's random numbers."""

INTS = ['int', 'unsigned', 'long long', 'unsigned long long', 'short', 'unsigned char', 'signed char', 'unsigned short', 'long', 'char']
WIDE = {'int': 32, 'unsigned': 32, 'long long': 64, 'unsigned long long': 64, 'short': 16, 'unsigned char': 8, 'signed char': 8, 'unsigned short': 16, 'long': 64, 'char': 8, 'bool': 1, '__int128': 128, 'unsigned __int128': 128}


class Parts:
    # ---- classes by value, of every kind that calling conventions know ----

    def fields(self, count):
        r, out = self.r, []
        for k in range(count):
            t = r.choice(['char', 'short', 'int', 'long', 'float', 'float', 'double', 'double', 'unsigned char', 'bool'])
            out.append((f'f{k}', t, r.choice([0, 0, 0, r.randrange(1, 4)])))
        return out

    def by_value(self):
        r = self.r
        shapes = []
        for _ in range(r.randrange(2, 5)):
            s, fields = self.name('S'), self.fields(r.randrange(1, 6))
            base = r.choice([x for x, _ in shapes]) if shapes and r.random() < 0.3 else None
            self.top.append(f'struct {s}{" : " + base if base else ""} {{ ' + ' '.join(f'{t} {n}{f"[{c}]" if c else ""};' for n, t, c in fields) + (f' ~{s}() {{}}' if r.random() < 0.15 else '') + ' };')
            setting = ' '.join(f'for (auto &x : s.{n}) x = ({t})(k++ % 2);' if c and t == 'bool' else f'for (auto &x : s.{n}) x = ({t})(k++);' if c else f's.{n} = ({t})({"k++ % 2" if t == "bool" else "k++"});' for n, t, c in fields)
            adding = ' '.join(f'for (auto x : s.{n}) h = h * 31 + (double)x;' if c else f'h = h * 31 + (double)s.{n};' for n, t, c in fields)
            self.top.append(f'static void set(int k, {s} &s) {{ {f"set(k + 50, ({base} &)s); " if base else ""}{setting} }}')
            self.top.append(f'static double sum(const {s} &s) {{ double h = {f"sum((const {base} &)s)" if base else "1"}; {adding} return h; }}')
            shapes.append((s, fields))
        out = ['{']
        for _ in range(r.randrange(1, 4)):
            f = self.name('f')
            params = [r.choice([x for x, _ in shapes] + ['int', 'double', 'float', 'long', 'char', 'short']) for _ in range(r.randrange(1, 10))]
            result = r.choice([x for x, _ in shapes])
            names = [f'a{k}' for k in range(len(params))]
            total = ' + '.join(f'sum({n})' if p in [x for x, _ in shapes] else f'(double){n}' for n, p in zip(names, params))
            self.top.append(f'static {result} {f}({", ".join(f"{p} {n}" for n, p in zip(names, params))}) {{ {result} out; set((int)std::fmod(std::fabs({total}), 90.0), out); {" ".join(f"set(3, {n});" for n, p in zip(names, params) if p[0] == "S")} return out; }}')
            locals_ = [(self.name('x'), p) for p in params]
            for n, p in locals_:
                out.append(f'{p} {n}{" = (" + p + ")" + str(r.randrange(100)) if p[0] != "S" else f"; set({r.randrange(100)}, {n})"};')
            args = ', '.join(n for n, _ in locals_)
            call = r.choice([f'{f}({args})', f'(*(&{f}))({args})', f'[&] {{ return {f}({args}); }}()', f'std::function<{result}({", ".join(params)})>({f})({args})'])
            out.append(f'show("{f}", sum({call})); ' + ' '.join(f'show("{n}", sum({n}));' for n, p in locals_ if p[0] == 'S'))
        return out + ['}']

    # ---- numbers of all widths, as they are written: promotions, mixed signs, compound assignments ----

    def raw(self, vars, depth):
        """An expression in plain C, with no undefined behaviour where signed numbers wrap."""
        r = self.r
        if depth <= 0 or r.random() < 0.15:
            return r.choice(vars) if r.random() < 0.75 else r.choice(['0', '1', '-1', '7u', '255', "'a'", '-128', '65535', '0x7fffffff', '0x80000000', '4294967296LL', '-5L', '1ull', 'true', '3000000000u', '0x7fffffffffffffffLL'])
        a, b = self.raw(vars, depth - 1), self.raw(vars, depth - 1)
        k = r.randrange(15)
        if k < 5:
            return f'({a} {r.choice(["+", "-", "*", "&", "|", "^"])} {b})'
        if k == 5:
            return f'({a} {r.choice(["<<", ">>"])} ({b} & {r.choice([3, 7, 15, 31])}))'
        if k == 6:
            return f'over({a}, {b})'
        if k == 7:
            return f'left({a}, {b})'
        if k == 8:
            return f'({a} {r.choice(["<", ">", "<=", ">=", "==", "!="])} {b})'
        if k == 9:
            return f'({a} ? {b} : {self.raw(vars, depth - 1)})'
        if k == 10:
            return f'({r.choice(INTS)})({a})'
        if k == 11:
            return f'({r.choice(["-", "~", "!", "+"])} {a})'
        if k == 12:
            return f'({a} {r.choice(["&&", "||"])} {b})'
        if k == 13:
            return f'within<{r.choice(INTS)}>((double)({a}) * {r.choice(["0.5", "1e-3", "-0.25"])})'
        return f'({a}, {b})'

    def mixed(self):
        r = self.r
        vars = [(self.name('m'), r.choice(INTS + ['bool'])) for _ in range(r.randrange(3, 7))]
        names = [n for n, _ in vars]
        out = ['{'] + [f'{t} {n} = ({t}){self.raw(["0"], 1)};' for n, t in vars]
        wide = self.name('w')
        out.append(f'{r.choice(["__int128", "unsigned __int128"])} {wide} = {r.choice(names)};')
        for _ in range(r.randrange(4, 10)):
            n, t = r.choice(vars)
            e = self.raw(names, r.randrange(1, 4))
            out.append(r.choice([
                f'{n} = {e};', f'{n} {r.choice(["+=", "-=", "*=", "&=", "|=", "^="])} {e};', f'{n} = {n} {r.choice(["<<", ">>"])} ({e} & 7);',
                f'{n}{r.choice(["++", "--"])};' if t != 'bool' else f'{n} = !{n};', f'printf("%d ", (int)sizeof({e}));', f'{wide} {r.choice(["+=", "-=", "*=", "^="])} {e};',
                f'{wide} = {wide} {r.choice(["<<", ">>"])} ({e} & 127);', f'if ({e}) {wide} = over128({wide}, {r.choice(names)});', f'{n} = {wide} {r.choice([">>", "-", "<"])} {r.randrange(1, 90)};',
                f'show("d", (double){wide}); show("f", (double)(float)({e}));', f'switch ({e}) {{ case 0: {n} ^= 1; case 1: {n} |= 2; break; case 255: case -1: {n} = 5; default: {n} -= 3; }}',
                f'for ({t} q_ = 0; q_ < 5 && {n}; q_++) {{ {n} = {n} / 2; if ({e}) continue; {n} ^= q_; }}' if t != 'bool' else f'{n} = {n} && {e};']))
        return out + [f'show("{n}", (long long){n});' for n in names] + [f'show("hi", (unsigned long long)({wide} >> 64)); show("lo", (unsigned long long){wide}); }}']

    def bit_fields(self):
        r, s = self.r, self.name('B')
        fields = [(f'b{k}', *(lambda t: (t, r.randrange(1, WIDE[t] + 1)))(r.choice(['int', 'unsigned', 'long long', 'unsigned long long', 'short', 'unsigned char', 'bool', 'unsigned short']))) for k in range(r.randrange(2, 8))]
        # g++ computes with fields of more than 32 bits in as many bits: those are read through casts
        def read(n, t, w):
            return f's.{n}' if w <= 32 else f'({t})s.{n}'
        self.top.append(f'struct {s} {{ ' + ' '.join(f'{t} {n} : {w};' + (' int : 0;' if r.random() < 0.15 else ' char plain_' + n + ';' if r.random() < 0.15 else '') for n, t, w in fields) + ' };')
        names = [read(*f) for f in fields]
        out = [f'{{ {s} s; memset(&s, 0, sizeof s); show("size", (long long)sizeof s);']
        for _ in range(r.randrange(4, 12)):
            n, t, w = r.choice(fields)
            e = self.raw(names, r.randrange(1, 3))
            step = f's.{n} {r.choice(["+=", "-=", "^=", "|=", "&="])} {e};' if w <= 32 else f's.{n} ^= {e};'
            out.append(r.choice([f's.{n} = {e};', step, f's.{n}++;' if t != 'bool' else f's.{n} = 1;', f'show("e", (long long)({e}));', f'{{ {s} copy = s; copy.{n} = 1; s = copy; }}', f'show("c", (long long)(s.{n} {r.choice(["<", ">", "=="])} {r.choice(["-1", "1u", "3"])}));']))
        return out + [f'show("{n}", (long long)s.{n});' for n, _, _ in fields] + ['for (unsigned char *p = (unsigned char *)&s, *e = p + sizeof s; p != e; p++) printf("%02x", *p); printf(" "); }']

    # ---- what is thrown through frames that own objects ----

    def frames(self):
        r, depth = self.r, self.r.randrange(2, 5)
        e, d = self.name('E'), self.name('D')
        self.top.append(f'struct {e} {{ int code; noisy in; {e}(int c) : code(c), in(c) {{}} virtual ~{e}() {{}} virtual int what() const {{ return code; }} }}; struct {d} : {e} {{ {d}(int c) : {e}(c * 2) {{}} int what() const override {{ return -code; }} }};')
        throws = ['throw k;', f'throw {e}(k);', f'throw {d}(k);', 'throw std::string("s") + std::to_string(k);', 'throw std::out_of_range("range");', 'throw (double)k / 4;', f'{{ {d} local(k); throw local; }}', 'std::vector<int>().at((size_t)k);', 'throw "text";']
        catches = ['catch (int i) { printf("i%d ", i); }', f'catch (const {e} &x) {{ printf("E%d ", x.what()); }}', f'catch ({e} x) {{ printf("V%d ", x.what()); }}', f'catch ({d} &x) {{ printf("D%d ", x.code++); throw; }}', 'catch (const std::string &s) { printf("%s ", s.c_str()); }', 'catch (const std::exception &) { printf("X "); }', 'catch (const std::logic_error &) { printf("L "); throw 3; }', 'catch (...) { printf("... "); }', 'catch (...) { printf("again "); throw; }', 'catch (double d) { printf("%g ", d); if (d > 2) throw (int)d; }', 'catch (int i) { noisy h(i); if (i & 1) throw; return i; }', f'catch (const char *s) {{ printf("%s ", s); throw {e}(1); }}']
        last = None
        for k in range(depth):
            f = self.name('t')
            inner = f'{last}(k {r.choice(["", "+ 1", "^ 1"])})' if last else f'(k % {r.randrange(2, 5)} == 0 ? throwing{self.count}(k) : k)'
            if not last:
                self.top.append(f'static int throwing{self.count}(int k) {{ noisy in_frame(k + {r.randrange(50)}); {r.choice(throws)} return 0; }}')
            holds = r.choice([f'noisy a({r.randrange(90)});', f'std::vector<noisy> v; v.reserve(3); v.emplace_back({r.randrange(9)}); v.push_back(v[0]);', f'std::unique_ptr<noisy> p(new noisy({r.randrange(90)}));', f'noisy a[2] = {{noisy(1), noisy({r.randrange(50)})}};', f'auto p = std::make_shared<noisy>({r.randrange(50)});', f'struct guard {{ int &x; ~guard() {{ x += 3; printf("g%d ", x); }} }} g{{k}};', ''])
            body = r.choice([f'return {inner} + {r.randrange(9)};', f'int s = 0; for (int i = 0; i < 3; i++) {{ noisy n(i); s += {inner}; if (s > 40) break; if (i == 1) continue; s++; }} return s;', f'return noisy({r.randrange(9)}).k + {inner};', f'auto l = [&, c = noisy(5)](int k) {{ return {inner} + c.k; }}; return l(k) * 2;', f'std::function<int()> l = [k, n = noisy(2)] {{ return {inner} + n.k; }}; return l();', f'static int times; times++; return {inner} + times;', f'if (k > 2) return {inner}; noisy late(7); return {inner} - 1;'])
            if r.random() < 0.6:
                body = f'try {{ {r.choice(["", "noisy in_try(8);"])} {body} }} ' + ' '.join(self.order(r.sample(catches, r.randrange(1, 4)))) + f' return {r.randrange(9)};'
            self.top.append(f'static int {f}(int k) {r.choice(["", "", "noexcept(false) "])}{{ {holds} {body} }}')
            last = f
        return [f'for (int k = 0; k < 4; k++) try {{ printf("<"); show("r", (long long){last}(k)); }} catch (int i) {{ printf("int %d ", i); }} catch (const {e} &x) {{ printf("E %d ", x.what()); }} catch (const std::exception &x) {{ printf("std "); }} catch (...) {{ printf("any "); }} show("under_way", (long long)std::uncaught_exceptions());']

    @staticmethod
    def order(catches):
        """`...` last, and once; derived classes' handlers before their bases'."""
        rest = [c for c in catches if '(...)' not in c]
        last = [c for c in catches if '(...)' in c][:1]
        key = lambda c: 0 if 'D' in c.split(')')[0] or 'logic' in c.split(')')[0] else 1
        seen, out = set(), []
        for c in sorted(rest, key=key):
            t = c.split(')')[0].replace('const ', '').replace('&', '').split('(')[1].split()[0]
            if t not in seen:
                seen.add(t)
                out.append(c)
        return out + last

    # ---- classes that call through their bases ----

    def hierarchy(self):
        r = self.r
        classes, methods, shared = [], ['va', 'vb', 'vc'], set()
        for k in range(r.randrange(3, 7)):
            c = self.name('H')
            bases, reach = [], set()
            for b in r.sample(classes, min(len(classes), r.choice([0, 1, 1, 1, 2, 2]))):
                if not (reach & b[2]) - shared:  # no base twice, but those that all derive from virtually
                    bases.append(b)
                    reach |= b[2]
            if not bases and r.random() < 0.5:
                shared.add(c)
            kind = {b[0]: 'virtual ' if b[0] in shared else '' for b in bases}
            own = [m for m in methods if r.random() < 0.6] or ['va']
            text = f'struct {c}' + (' : ' + ', '.join(f'{kind[b[0]]}{b[0]}' for b in bases) if bases else '') + ' { '
            text += f'{r.choice(["int", "double", "char", "short"])} m_{c} = {r.randrange(100)}; '
            allm = set().union(*([b[3] for b in bases] + [set()]))
            ambiguous = len(bases) > 1
            need = sorted(set(own) | (allm if ambiguous else set()))
            for m in need:
                up = [b[0] for b in bases if m in b[3]]
                call = f' + {r.choice(up)}::{m}(x)' if up and r.random() < 0.5 else ''
                text += f'virtual long {m}(int x) {{ return (long)m_{c} * {r.randrange(1, 9)} + x{call}; }} '
            text += f'virtual ~{c}() {{ printf("~{c}:%d ", (int)m_{c}); }} '
            text += f'{c}() {{ {" ".join(f"m_{c} += (int){m}(1) % 50;" for m in need[:1])} }} }};'
            self.top.append(text)
            classes.append((c, need, reach | {c}, allm | set(need)))
        out = ['{']
        for c, _, reach, allm in classes:
            x = self.name('o')
            out.append(f'{c} {x}; show("{c}", (long long)sizeof({c}) * 0 + (long long){x}.{sorted(allm)[0]}({r.randrange(9)}));')
            for b in sorted(reach):
                bm = next(k for k in classes if k[0] == b)
                m = r.choice(bm[1])
                out.append(f'{{ {b} *p = &{x}; show("{m}", (long long)p->{m}({r.randrange(9)})); {b} &q = {x}; long ({b}::*f)(int) = &{b}::{m}; show("f", (long long)(q.*f)(2)); show("is", (long long)(dynamic_cast<{c} *>(p) != nullptr)); show("same", (long long)(dynamic_cast<void *>(p) == (void *)&{x})); show("t", (long long)(typeid(*p) == typeid({c}))); q.m_{b} = 3; }}')
            if r.random() < 0.4:
                b = sorted(reach)[0]
                out.append(f'{{ {b} *p = new {c}; delete p; {c} copy({x}); copy = {x}; show("copy", (long long)copy.{sorted(allm)[-1]}(1)); }}')
        return out + ['}']

    # ---- lambdas, function objects, pointers ----

    def closures(self):
        r = self.r
        a, b = self.name('a'), self.name('b')
        k = [r.randrange(1, 20) for _ in range(6)]
        f = self.name('compose')
        self.top.append(f'template <class F, class G> auto {f}(F f, G g) {{ return [f, g](auto... x) {{ return f(g(x...)); }}; }}')
        return [f'{{ int {a} = {k[0]}; std::string {b} = "{"xyz"[k[1] % 3]}";',
                r.choice([f'auto count = [n = {k[1]}, {a}]() mutable {{ return n += {a}; }}; auto other = count; count(); show("n", (long long)(count() * 100 + other()));',
                          f'auto add = [&{a}, {b}](int x) mutable {{ {a} += x; {b} += (char)(\'a\' + x % 26); return (int){b}.size() + {a}; }}; add({k[2]}); show("add", (long long)add({k[3]}));',
                          f'struct holder {{ int v = {k[2]}; auto get() {{ return [this](int x) {{ return v += x; }}; }} auto copy() {{ return [*this](int x) mutable {{ return v += x; }}; }} }} h; auto g = h.get(); auto c = h.copy(); g(2); c(5); show("v", (long long)(h.v * 100 + c(1)));']),
                r.choice([f'auto both = {f}([](auto x) {{ return x * {k[2]}; }}, [&](auto x, auto y) {{ return x + y * {a}; }}); show("both", (double)both({k[3]}, {k[4]}.5)); show("whole", (long long)both({k[3]}, 2));',
                          f'std::function<int(int)> fib = [&](int n) {{ return n < 2 ? {a} : fib(n - 1) + fib(n - 2); }}; show("fib", (long long)fib({r.randrange(2, 12)}));',
                          f'auto y = [](auto self, int n) -> long {{ return n ? n + self(self, n - 1) : 0; }}; show("y", (long long)y(y, {k[3]}));']),
                f'std::vector<std::function<std::string(int)>> all; for (int i = 0; i < 3; i++) all.push_back([i, &{b}](int x) {{ return {b} + std::to_string(i * {k[4]} + x); }}); {b} += "!"; for (auto &g : all) show("g", g({k[5]}));',
                f'int (*p)(int) = [](int x) {{ return x * {k[0]} - 1; }}; int values[5] = {{5, {k[1]}, 3, {k[2]}, 1}}; qsort(values, 5, sizeof *values, [](const void *x, const void *y) {{ return *(const int *)x - *(const int *)y; }}); for (int v : values) printf("%d ", p(v));',
                f'auto t = [](auto &&...x) {{ return std::make_tuple(x...); }}({k[0]}, {b}, 2.5); auto [i, s, d] = t; s += "?"; show("i", (long long)i); show("s", s); show("d", d); show("b", std::get<1>(t)); show("applied", (long long)std::apply([](int i, const std::string &s, double d) {{ return i + (int)s.size() + (int)d; }}, t)); }}']

    # ---- the library's containers, with elements of one's own ----

    def own_elements(self):
        r = self.r
        k = self.name('K')
        self.top.append(f'struct {k} {{ int a; std::string s; {k}(int a = 0, std::string s = "") : a(a), s(std::move(s)) {{}} bool operator<(const {k} &o) const {{ return a != o.a ? a < o.a : s < o.s; }} bool operator==(const {k} &o) const {{ return a == o.a && s == o.s; }} friend std::ostream &operator<<(std::ostream &o, const {k} &k) {{ return o << k.a << k.s; }} }}; struct hash_{k} {{ size_t operator()(const {k} &k) const {{ return (size_t)k.a * 31 + k.s.size(); }} }};')
        v = [f'{k}({r.randrange(20)}, "{r.choice("abc") * r.randrange(0, 20)}")' for _ in range(r.randrange(3, 9))]
        put = f'{{ std::ostringstream o; for (const auto &x : c) o << x << \',\'; show("c", o.str()); }}'
        out = ['{']
        for kind in r.sample(['vector', 'deque', 'list', 'set', 'multiset', 'map', 'hash', 'heap', 'forward'], 3):
            n = r.randrange(20)
            if kind in ('vector', 'deque', 'list'):
                ops = [f'c.insert(std::next(c.begin(), {r.randrange(3)}), {v[0]});', f'c.push_back(c.front());', 'c.pop_back();', f'c.emplace_back({n}, "e");', f'c.erase(c.begin());', f'c.resize(c.size() + 2, {v[1]});', f'c.insert(c.end(), c2.begin(), c2.end());', 'c.swap(c2);', f'c.assign(3, {v[1]});', 'c = c2; c2.clear();', 'std::reverse(c.begin(), c.end());', f'show("n", (long long)std::count(c.begin(), c.end(), {v[0]}));']
                ops += {'vector': ['std::sort(c.begin(), c.end());', f'std::stable_sort(c.begin(), c.end(), [](const {k} &x, const {k} &y) {{ return x.s.size() < y.s.size(); }});', 'std::rotate(c.begin(), c.begin() + 1, c.end());', f'c.erase(std::remove_if(c.begin(), c.end(), [](const {k} &x) {{ return x.a % 2; }}), c.end()); c.emplace_back(1);', 'std::make_heap(c.begin(), c.end()); std::sort_heap(c.begin(), c.end());', f'std::partition(c.begin(), c.end(), [](const {k} &x) {{ return x.a > {n}; }});', 'std::nth_element(c.begin(), c.begin() + 1, c.end()); std::sort(c.begin(), c.end());'],
                        'deque': [f'c.push_front({v[2]});', 'c.pop_front(); c.emplace_front(3);', 'std::sort(c.begin(), c.end()); show("at", (long long)c[1].a);'],
                        'list': ['c.sort();', 'c.unique(); c.push_back(3);', f'c.remove_if([](const {k} &x) {{ return x.a < {n % 9}; }}); c.emplace_front(4);', 'c.splice(c.begin(), c2);', 'c.sort(); c2.sort(); c.merge(c2);', 'c.reverse();']}[kind]
                out.append(f'{{ std::{kind}<{k}> c = {{{", ".join(v)}}}, c2 = {{{v[0]}, {v[-1]}}}; for (int i = 0; i < 3; i++) c.push_back(c.front());')
                for op in r.sample(ops, r.randrange(2, 6)):
                    out.append(f'if (c.size() > 2) {{ {op} }} {put}')
                out.append('}')
            elif kind in ('set', 'multiset'):
                out.append(f'{{ std::{kind}<{k}> c = {{{", ".join(v)}}}; show("has", (long long)c.count({v[0]})); {put} c.erase({v[-1]}); auto low = c.lower_bound({k}({n})); show("low", (long long)(low == c.end() ? -1 : low->a)); c.emplace({n}); auto up = c.upper_bound({k}({n})); if (up != c.begin()) show("up", (long long)std::prev(up)->a); for (auto i = c.begin(); i != c.end();) i = i->a % 3 ? std::next(i) : c.erase(i); {put} }}')
            elif kind == 'map':
                out.append(f'{{ std::map<{k}, std::vector<int>> m; int i = 0; for (const {k} &x : {{{", ".join(v)}}}) m[x].push_back(i++); m.insert({{{v[0]}, {{1, 2}}}}); m.emplace({k}({n}), std::vector<int>{{7}}); m.try_emplace({v[1]}, 3); for (auto &[x, y] : m) {{ y.push_back((int)y.size()); printf("%d%s:%d,%d ", x.a, x.s.c_str(), (int)y.size(), y.back()); }} auto f = m.find({v[0]}); show("f", (long long)(f == m.end() ? -1 : (long)f->second.size())); m.erase({v[0]}); auto copy = m; copy.clear(); show("m", (long long)(m.size() * 10 + copy.size())); for (auto i = m.rbegin(); i != m.rend(); ++i) printf("%d ", i->first.a); std::multimap<int, char> mm{{{{1, \'a\'}}, {{{n}, \'b\'}}, {{1, \'c\'}}}}; auto e = mm.equal_range(1); for (auto i = e.first; i != e.second; ++i) printf("%c", i->second); }}')
            elif kind == 'hash':
                out.append(f'{{ std::unordered_map<{k}, int, hash_{k}> m; for (const {k} &x : {{{", ".join(v)}}}) m[x] += x.a + 1; long s = 0; for (auto &p : m) s += p.second * (p.first.a + 3); show("s", (long long)s); m.erase({v[0]}); show("n", (long long)(m.size() * 10 + m.count({v[-1]}))); std::unordered_set<std::string> u; for (auto &p : m) u.insert(p.first.s); show("u", (long long)u.size()); for (int i = 0; i < 100; i++) m[{k}(i % 37)] = i; s = 0; for (auto &p : m) s += p.second; show("s", (long long)s); }}')
            elif kind == 'heap':
                out.append(f'{{ auto less = [](const {k} &x, const {k} &y) {{ return x.s.size() != y.s.size() ? x.s.size() > y.s.size() : x.a < y.a; }}; std::priority_queue<{k}, std::vector<{k}>, decltype(less)> c(less); for (const {k} &x : {{{", ".join(v)}}}) c.push(x); while (!c.empty()) {{ std::cout << c.top() << \' \'; c.pop(); }} std::cout << std::flush; std::stack<int> st; std::queue<std::string> q; for (int i = 0; i < 4; i++) st.push(i * {n}), q.push(std::to_string(i)); st.pop(); q.pop(); show("st", (long long)st.top()); show("q", q.front() + q.back()); }}')
            else:
                out.append(f'{{ std::array<{k}, 3> c = {{{v[0]}, {v[1]}, {v[2]}}}; std::sort(c.begin(), c.end()); {put} std::pair<{k}, int> p({v[0]}, 1), q = p; q.first.s += "z"; show("lt", (long long)(p < q)); std::swap(p, q); show("p", p.first.s); std::variant<int, {k}, std::string> w = {v[1]}; show("w", (long long)w.index()); w = std::string("v"); std::visit([](auto &x) {{ printf("%d ", (int)sizeof(x) > 0); }}, w); if (auto *t = std::get_if<std::string>(&w)) show("t", *t); std::optional<{k}> o; o = {v[0]}; show("o", (long long)o->a); o.reset(); show("none", (long long)(!o)); }}')
        return out + ['}']

    # ---- text ----

    def texts(self):
        r = self.r
        words = ['alpha', 'be', 'gamma delta', '', 'x', 'the quick brown fox jumps']
        w = lambda: '"' + r.choice(words) + '"'
        out = [f'{{ std::string s = {w()}, t = {w()};']
        ops = [f's += t;', f's.append({w()}, 0, 2);', f's.insert(s.size() / 2, {w()});', f's.insert(s.begin(), 3, \'q\');', f's.replace(0, s.size() / 2, {w()});', f's.erase(s.size() / 3, 2);', 's.push_back(\'!\');', f's.resize({r.randrange(30)}, \'-\');', 't.swap(s);', 's = t + s + \'c\';', f't = s.substr(s.size() / 2, {r.randrange(6)});', 'std::reverse(s.begin(), s.end());', 'std::sort(s.begin(), s.end());', 'for (char &c : s) c = (char)toupper(c);', 's = std::string(t.rbegin(), t.rend());', f's.assign({r.randrange(40)}, \'k\');', 's.shrink_to_fit(); t = std::move(s); s = "moved";', f's += std::to_string({r.randrange(-999, 999)}) + std::to_string({r.uniform(-9, 9):.4f});', 's = s.empty() ? "none" : s;', 't.clear();', f's = std::string_view({w()});']
        asks = [f'show("f", (long long)s.find({w()}));', f'show("r", (long long)s.rfind(\'a\'));', f'show("of", (long long)s.find_first_of("aeiou"));', f'show("nof", (long long)s.find_last_not_of("a "));', f'show("cmp", (long long)((s.compare(t) > 0) - (s.compare(t) < 0)));', 'show("lt", (long long)(s < t));', f'show("eq", (long long)(s == {w()}));', 'show("h", (long long)(std::hash<std::string>()(s) == std::hash<std::string>()(std::string(s.c_str()))));', f'{{ std::istringstream in(s + " " + t); std::string x; int n = 0; while (in >> x) n += (int)x.size() + 1; show("n", (long long)n); }}', f'{{ std::stringstream io; io << s << \'\\n\' << {r.randrange(99)} << \' \' << t; std::string l; int k = 0; std::getline(io, l); io >> k; show("l", l); show("k", (long long)k); show("eof", (long long)io.eof()); }}', 'try { s.at(s.size() + 1); } catch (const std::out_of_range &) { printf("out "); }', f'{{ char b[40]; int n = snprintf(b, sizeof b, "%{r.choice(["", "-", "0", "+", " ", "#"])}{r.randrange(1, 12)}{r.choice([".3", ""])}{r.choice("dxou")}|%{r.choice(["", "-", "+", "0"])}{r.randrange(1, 14)}.{r.randrange(6)}{r.choice("feg")}|%.{r.randrange(1, 5)}s", {r.randrange(-99999, 99999)}, {r.uniform(-1e5, 1e5):.6g}, s.c_str()); show("b", std::string(b)); show("n", (long long)n); }}']
        for _ in range(r.randrange(4, 10)):
            out.append(r.choice(ops) + ' ' + r.choice(asks) + ' show("s", s); show("t", t);')
        return out + ['}']

    # ---- arguments without names, templates over packs, statics ----

    def packs(self):
        r = self.r
        v, p = self.name('v'), self.name('pack')
        kinds = [r.choice('idlscf') for _ in range(r.randrange(1, 14))]
        value = {'i': lambda: str(r.randrange(-999, 999)), 'd': lambda: f'{r.uniform(-9, 9):.3f}', 'l': lambda: f'{r.randrange(1 << 40)}LL', 's': lambda: f'"{"abcdef"[:r.randrange(6)]}"', 'c': lambda: f"(char)'{r.choice('xyz')}'", 'f': lambda: f'{r.uniform(-9, 9):.2f}f'}
        args = [value[k]() for k in kinds]
        self.top.append(f'''static double {v}(const char *what, ...)
{{
    va_list a, b; va_start(a, what); va_copy(b, a); double s = 0;
    for (const char *p = what; *p; p++) switch (*p) {{ case 'i': case 'c': s += va_arg(a, int); break; case 'd': case 'f': s = s * 2 + va_arg(a, double); break; case 'l': s -= (double)va_arg(a, long long); break; case 's': s += (double)strlen(va_arg(a, const char *)); }}
    if (*what == 'i') s += va_arg(b, int) * 0.5;
    va_end(a); va_end(b); return s;
}}
template <class T> struct {p}_kind {{ static constexpr int value = sizeof(T); }}; template <class T> struct {p}_kind<T *> {{ static constexpr int value = 100; }}; template <> struct {p}_kind<char> {{ static constexpr int value = 1000; }};
template <class... A> int {p}(const A &...a) {{ static int calls; int n = ++calls; ((n = n * {r.randrange(2, 5)} + {p}_kind<A>::value), ...); if constexpr (sizeof...(A) > 1) n += (int)sizeof...(a); return n % 100000; }}
template <int N, class... A> auto {p}_at(const std::tuple<A...> &t) {{ if constexpr (N == 0) return std::get<0>(t); else return std::get<N % sizeof...(A)>(t); }}
template <unsigned N> struct {p}_fact {{ static constexpr unsigned long long value = N * {p}_fact<N - 1>::value; }}; template <> struct {p}_fact<0> {{ static constexpr unsigned long long value = 1; }};
template <class D> struct {p}_base {{ int twice() {{ return 2 * static_cast<D *>(this)->once(); }} }}; struct {p}_derived : {p}_base<{p}_derived> {{ int k = {r.randrange(50)}; int once() {{ return k++; }} }};''')
        return [f'show("va", {v}("{"".join(kinds)}", {", ".join(args)})); show("p", (long long)({p}({args[0]}) + {p}({", ".join(args)}))); show("p2", (long long){p}({args[0]})); {{ auto t = std::make_tuple({", ".join(args)}); auto x = {p}_at<{r.randrange(4)}>(t); show("x", (long long)sizeof x); show("fact", (unsigned long long){p}_fact<{r.randrange(1, 20)}>::value); {p}_derived d; show("crtp", (long long)(d.twice() + d.twice())); }}']

    def jumps(self):
        r = self.r
        f = self.name('j')
        end, top = self.name('end'), self.name('top')
        self.top.append(f'''static int {f}(int n)
{{
    int s = {r.randrange(9)}, turns = 0;
{top}:
    if (++turns > 20) goto {end};
    switch (n % {r.randrange(3, 7)}) {{
    case 0: s += 1;
    case 1: {{ noisy in(n % 10); s ^= n; if (s & 4) goto {end}; if (n > 50) break; }}
    case 2: for (int i = 0; i < n % 5; i++) {{ std::string local((size_t)i, 'x'); if (i == {r.randrange(1, 5)}) {{ n /= 2; goto {top}; }} s += (int)local.size(); }}
        [[fallthrough]];
    case {r.randrange(3, 6)}: s *= {r.randrange(2, 5)}; break;
    case 6 ... 9: s -= 2;
    default: do {{ s++; if (s % 3 == 0) continue; n--; }} while (n % 4);
    }}
    if (n > {r.randrange(3, 9)}) {{ n -= 3; goto {top}; }}
{end}:
    return s * 10 + turns;
}}''')
        d = self.name('duff')
        self.top.append(f'static long {d}(const int *p, int n) {{ long s = 0; int k = (n + 3) / 4; switch (n % 4) {{ case 0: do {{ s = s * 3 + *p++; case 3: s ^= *p++; case 2: s += *p++; case 1: s -= *p++; }} while (--k > 0); }} return s; }}')
        return [f'for (int k : {{{", ".join(str(r.randrange(90)) for _ in range(4))}}}) show("{f}", (long long){f}(k)); {{ int a[] = {{{", ".join(str(r.randrange(90)) for _ in range(12))}}}; for (int n = 1; n <= 12; n += 3) show("d", (long long){d}(a, n)); }}']

    def statics(self):
        r, s = self.r, self.name('st')
        self.top.append(f'static thread_local int {s}_t = {r.randrange(99)}; struct {s}_c {{ static int made; int id; {s}_c() : id(++made) {{}} {s}_c(const {s}_c &o) : id(o.id * 10) {{ made++; }} ~{s}_c() {{ made--; }} }}; int {s}_c::made = 0; static std::vector<{s}_c> {s}_all({r.randrange(1, 4)}); static const int {s}_n = (int){s}_all.size() * 3; union {s}_u {{ unsigned u; float f; unsigned char b[4]; struct {{ short lo, hi; }}; }}; enum class {s}_e : short {{ a = -3, b, c = 40 }}; enum {s}_p {{ {s}_x = 3, {s}_y }}; template <class T> T {s}_v = T({r.randrange(9)}); inline namespace {s}_in {{ constexpr int deep = {r.randrange(99)}; }}')
        self.top.append(f'static int {s}_next() {{ static int n = [] {{ return {s}_n * 2; }}(); static std::string text = "s"; text += \'x\'; thread_local int mine = 1; return n++ + (int)text.size() + (mine *= 2); }}')
        return [f'show("next", (long long)({s}_next() * 1000)); show("next", (long long){s}_next()); {{ std::vector<{s}_c> v({s}_all); v.push_back(v[0]); show("made", (long long){s}_c::made); show("id", (long long)v.back().id); }} show("made", (long long){s}_c::made); {{ {s}_u u; u.f = {r.uniform(-99, 99):.3f}f; show("u", (unsigned long long)u.u); u.hi ^= 5; show("lo", (long long)u.lo); show("f", (double)u.f); show("b", (long long)u.b[2]); }} show("e", (long long)((int){s}_e::b * 100 + (int)sizeof({s}_e) + {s}_y)); {s}_v<int> += 2; show("tv", (long long)({s}_v<int> * 10 + {s}_v<long>)); std::thread([] {{ {s}_t = 1; }}).join(); show("tl", (long long)({s}_t + deep)); {{ int n = {r.randrange(1, 9)}; int (*fp)(int) = n > 4 ? +[](int x) {{ return x + 1; }} : +[](int x) {{ return x * 2; }}; int grid[2][3] = {{{{1, 2}}, {{n}}}}; int (*row)[3] = grid + 1; show("row", (long long)(fp((*row)[0]) + (&grid[0][0])[3] + (int)sizeof *row)); const char *names[] = {{"zero", "one"}}; show("nm", std::string(names[n & 1])); }}']

    MORE = ['by_value', 'mixed', 'mixed', 'bit_fields', 'frames', 'frames', 'hierarchy', 'closures', 'own_elements', 'texts', 'packs', 'jumps', 'statics']
