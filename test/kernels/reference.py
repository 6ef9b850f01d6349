#!/usr/bin/env python3
"""Writes the EXPECT lines of arguments, from answers that answers.py computes without Tern.

reference.py [FILE…]: rewrites them in place.
"""
import glob
import os
import re
import sys

import answers  # noqa: F401: fills REFERENCES
from model import REFERENCES, expect


def main(files):
    missing = 0
    for path in files:
        stem = os.path.basename(path)[:-3]
        out, name, done = [], None, False
        for line in open(path):
            m = re.match(r'// TEST ([^:]*):', line)
            if m:
                name = m.group(1)
            if re.match(r'// EXPECT arg ', line):
                continue
            out.append(line)
            if m:
                key = re.sub(r'\W', '_', '%s_%s' % (stem, name))
                if key in REFERENCES:
                    for arg, result in sorted(REFERENCES[key]().items()):
                        out.append(expect(arg, result) + '\n')
                elif not any(re.match(r'// EXPECT', l) for l in open(path)):
                    print('no reference for', key)
                    missing = 1
        open(path, 'w').writelines(out)
    return missing


if __name__ == '__main__':
    here = os.path.dirname(os.path.abspath(__file__))
    sys.exit(main(sys.argv[1:] or sorted(glob.glob(os.path.join(here, '*.cu')))))
