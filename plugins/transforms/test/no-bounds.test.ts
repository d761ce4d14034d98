import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { provenBounds } from '@weir/processes';
import t from 'tap';
import { createSelects } from '../src/service/select/selects.ts';
import { BOUNDS } from './select-kit.ts';

t.test(
  'a machine without the tools that bound a process → told as such, and statements run all the same',
  async (t) => {
    const folder = t.testdir();
    await mkdir(join(folder, 'bin'));
    await symlink('/bin/sh', join(folder, 'bin/sh'));
    // Asked for the first time in this process: what is found holds for as long as it lives.
    process.env.PATH = join(folder, 'bin');
    t.match(await provenBounds(), { network: false, files: false, processes: false, hasView: false });
    const selects = createSelects({ scratch: join(folder, 'scratch'), bounds: BOUNDS });
    t.teardown(() => selects.close());
    for (const _ of ['first', 'second']) {
      t.strictSame((await selects.rows({ sql: 'select 1 as one', inputs: [], limit: 1, maxBytes: 100 })).rows, [[1]]);
    }
  },
);
