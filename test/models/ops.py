#!/usr/bin/env python3
"""ops.py BIN SOURCE OUT: every case of test-backend-ops on CUDA0, in many processes at a time.

The cases are those that the back end says it supports (mode support), and the fused ones, which that mode leaves out, by
the names that the source gives them. Cases of one kernel stay in one process. A process that dies is started again behind
the case that it died in; that one counts as died. Says what failed, and one line that counts; all cases are in OUT/ops.csv.
"""
import argparse
import concurrent.futures
import csv
import os
import re
import subprocess
import sys
import time

LARGE = 150  # cases of one process
SHOWN = 24  # cases that failed; ops.csv has all
RESULT = re.compile(r'(\w+\(.*\)): +(OK|FAIL|not supported.*)$')
COLOUR = re.compile(r'\x1b\[[0-9;]*m')
SPLIT = {'FLASH_ATTN_EXT': r'hsk=\d+,hsv=\d+|nb=\d+', 'MUL_MAT': r'type_a=\w+', 'MUL_MAT_ID': r'type_a=\w+',
         'GET_ROWS': r'type=\w+', 'CPY': r'type_src=\w+'}
LAST = ['MUL_MAT', 'FLASH_ATTN_EXT', 'MUL_MAT_ID', 'CONV_3D', 'OUT_PROD', 'IM2COL_3D', 'CONV_2D']


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument('bin')
    p.add_argument('source')
    p.add_argument('out')
    p.add_argument('--logs', help='where the output of each process goes (OUT/ops)')
    p.add_argument('--jobs', type=int, default=os.cpu_count())
    p.add_argument('--seconds', type=float, default=1e6, help='for all of it')
    p.add_argument('--limit', type=float, default=150, help='seconds of one process')
    p.add_argument('--only', default='', help='these operations, with commas')
    p.add_argument('--every', type=int, default=1, help='each N-th case')
    return p.parse_args()


def supported(program):
    """Case strings of mode support, in the order of the program."""
    text = subprocess.run([program, 'support', '-b', 'CUDA0', '--output', 'csv'], capture_output=True, text=True).stdout
    lines = text.splitlines()
    while lines and '"op_name"' not in lines[0]:
        lines.pop(0)
    rows = csv.DictReader(lines)
    seen = {}
    for row in rows:
        if row.get('supported') in ('1', 'true', 'yes', 'True'):
            seen.setdefault('%s(%s)' % (row['op_name'], row['op_params']))
    return list(seen)


def fused(source):
    """Operations that only tests of several nodes have."""
    with open(os.path.join(source, 'tests/test-backend-ops.cpp')) as f:
        names = re.findall(r'op_desc\(ggml_tensor \* t\) override \{\s*GGML_UNUSED\(t\);\s*return "(\w+)"', f.read())
    return sorted(set(names + ['SILU_MUL', 'SIGMOID_MUL', 'SOFTPLUS_MUL']))


class Shard:
    def __init__(self, name, cases):
        self.name, self.cases, self.deaths = name, cases, 0


def shards(cases, names):
    groups = {}
    for case in cases:
        op = case.split('(')[0]
        key = op
        if op in SPLIT:
            key = ' '.join([op] + re.findall(SPLIT[op], case))
        groups.setdefault(key, []).append(case)
    out, small = [], []
    for key, some in groups.items():
        if len(some) < 40 and key.split()[0] not in LAST:
            small += some
            if len(small) >= LARGE:
                out.append(Shard('several', small))
                small = []
            continue
        for k in range(0, len(some), LARGE):
            out.append(Shard(key, some[k:k + LARGE]))
    if small:
        out.append(Shard('several', small))
    # The many operations with few cases first; of the others the large pieces, so that no long one runs alone at the end.
    rank = {op: k + 1 for k, op in enumerate(LAST)}
    out.sort(key=lambda s: (rank.get(s.name.split()[0], 0), -len(s.cases)))
    have = {case.split('(')[0] for case in cases}
    return [Shard(name, [name]) for name in names if name not in have] + out


class Run:
    def __init__(self, options):
        self.o = options
        self.program = os.path.join(options.bin, 'test-backend-ops')
        self.end = time.time() + options.seconds
        self.results = {}  # case: (what, why)
        self.logs = options.logs or os.path.join(options.out, 'ops')
        self.times = []
        os.makedirs(self.logs, exist_ok=True)

    def note(self, case, what, why=''):
        self.results[case] = (what, why)

    def parse(self, text):
        """Results in text; the last words of an error."""
        last = ''
        for line in text.splitlines():
            line = COLOUR.sub('', line).rstrip()
            m = RESULT.search(line)
            if not m:
                if ('rror' in line or 'ssert' in line) and 'CUDA error: ' not in last:
                    last = line[line.find('CUDA error: '):].strip() if 'CUDA error: ' in line else line.strip()
                continue
            if not m[2].startswith('not'):
                why = (line[:m.start()].strip() or last) if m[2] == 'FAIL' else ''
                self.note(m[1], m[2], why[:160])
        return last

    def once(self, shard, log):
        limit = min(self.o.limit, self.end - time.time())
        if limit < 1:
            return 'late', ''
        names = sorted({case.split('(')[0] for case in shard.cases})
        command = [self.program, 'test', '-b', 'CUDA0', '-o', ','.join(shard.cases)]
        late = False
        with open(log, 'ab') as f:
            at = f.tell()
            f.write(('# %s\n' % ' '.join(names)).encode())
            f.flush()
            started = time.time()
            process = subprocess.Popen(command, stdout=f, stderr=subprocess.STDOUT)
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
                late = True
            self.times.append((time.time() - started, shard.name, len(shard.cases)))
        with open(log, 'rb') as f:
            f.seek(at)
            text = f.read().decode(errors='replace')
        last = self.parse(text)
        if late:
            return 'late', last
        return ('done' if 'tests passed' in text else 'died with status %d' % code), last

    def shard(self, number, shard):
        log = os.path.join(self.logs, '%03d-%s.log' % (number, re.sub(r'\W+', '_', shard.name)))
        while shard.cases:
            how, last = self.once(shard, log)
            left = [case for case in shard.cases if case not in self.results]
            if how == 'done' or len(shard.cases) == 1 and '(' not in shard.cases[0]:
                if how != 'done':
                    self.note(shard.cases[0], 'died' if how != 'late' else 'not run', last[:160])
                for case in left if how == 'done' else []:
                    if '(' in case:
                        self.note(case, 'not run', 'it is not in the output')
                return
            if how == 'late' or not left:
                for case in left:
                    self.note(case, 'not run', how)
                return
            self.note(left[0], 'died', last[:160])
            shard.cases = left[1:]
            shard.deaths += 1
            if shard.deaths == 6:
                for case in left[1:]:
                    self.note(case, 'not run', 'its process died too often')
                return

    def all(self, some):
        with concurrent.futures.ThreadPoolExecutor(self.o.jobs) as pool:
            for f in [pool.submit(self.shard, k, s) for k, s in enumerate(some)]:
                f.result()

    def report(self, seconds):
        with open(os.path.join(self.o.out, 'ops.csv'), 'w') as f:
            w = csv.writer(f)
            for case, (what, why) in sorted(self.results.items()):
                w.writerow([what, case, why])
        count, by_op = {}, {}
        for case, (what, _) in self.results.items():
            op = case.split('(')[0]
            count[what] = count.get(what, 0) + 1
            by_op.setdefault(op, {}).setdefault(what, []).append(case)
        whole = [op for op in by_op if set(by_op[op]) == {'OK'}]
        print('ops: %d cases of %d operations in %.0f s: %s' % (
            len(self.results), len(by_op), seconds, ', '.join('%s %d' % kv for kv in sorted(count.items()))))
        print('ops: whole: ' + ' '.join('%s %d' % (op, len(by_op[op]['OK'])) for op in sorted(whole)))
        left = SHOWN
        for op in sorted(set(by_op) - set(whole)):
            print('ops: %s: %s' % (op, ', '.join('%s %d' % (k, len(v)) for k, v in sorted(by_op[op].items()))))
            bad = by_op[op].get('FAIL', [])[:1] + by_op[op].get('died', [])[:1]
            for case in bad[:left]:
                print('  %s %s: %s' % (self.results[case][0], case[:150], self.results[case][1][:120]))
            left -= len(bad[:left])
        slow = sorted(self.times, reverse=True)[:5]
        print('ops: slowest processes: ' + ', '.join('%.0f s %s (%d)' % t for t in slow))
        return 0 if set(count) == {'OK'} else 1


def main():
    o = arguments()
    run = Run(o)
    started = time.time()
    cases = supported(run.program)
    names = fused(o.source)
    if not cases:
        print('ops: the program lists no case that CUDA0 supports')
        return 1
    if o.only:
        wanted = o.only.split(',')
        cases = [c for c in cases if c.split('(')[0] in wanted]
        names = [n for n in names if n in wanted]
    some = shards(cases[::o.every], names)
    print('ops: %d supported cases, %d fused operations, %d processes; listed in %.0f s' % (
        len(cases), len(names), len(some), time.time() - started), flush=True)
    run.all(some)
    return run.report(time.time() - started)


sys.exit(main())
