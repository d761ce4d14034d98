import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import t from 'tap';
import { keyFile } from '../../test/key-file.ts';
import { PRODUCTION_VALUES } from '../../test/production-values.ts';
import { ownMemory } from '../src/hold-to-memory.ts';
import { judgeBounds } from '../src/judge-worker.ts';
import { BOUNDS, type KernelFacts, memoryOfFiles, missingBounds } from '../src/process/own-bounds.ts';
import { NODE_ARGS } from './run-probe.ts';
import { slowDeployment } from './slow-deployment.ts';

const PROGRAM = resolve(import.meta.dirname, '../src/main.ts');
const NONE = '0000000000000000';

const status = (changes: Readonly<Record<string, string>> = {}) => {
  const sets = Object.fromEntries(['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((set) => [set, NONE]));
  const fields = { Uid: '990\t990\t990\t990', ...sets, NoNewPrivs: '1', ...changes };
  return Object.entries(fields).map(([name, value]) => `${name}:\t${value}\n`);
};
const mounts = (root: string, tmp: string) =>
  [
    '22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw',
    `90 22 254:1 / / ${root},relatime - ext4 /dev/vda1 rw`,
    `91 90 0:50 / /tmp ${tmp}`,
    '92 90 0:51 / /tmp\\040files rw,nosuid - tmpfs tmpfs rw',
  ].join('\n');
const BOUNDED = 'rw,nosuid,nodev,noexec - tmpfs tmpfs rw,size=4194304k';

const held = (changes: Partial<KernelFacts> = {}): KernelFacts => ({
  status: status().join(''),
  mounts: mounts('ro', BOUNDED),
  temporary: '/tmp',
  ...changes,
});

t.test('each bound that a worker is not held to is found in what the kernel says', async (t) => {
  t.strictSame(missingBounds(held()), []);
  const cases: Record<string, Partial<KernelFacts>> = {
    user: { status: status({ Uid: '990\t0\t990\t990' }).join('') },
    capabilities: { status: status({ CapEff: '0000000000000400' }).join('') },
    bounding_set: { status: status({ CapBnd: '00000000a80425fb' }).join('') },
    no_new_privileges: { status: status({ NoNewPrivs: '0' }).join('') },
    root_file_system: { mounts: mounts('rw', BOUNDED) },
    temporary_files: { mounts: mounts('ro', 'rw,noexec - tmpfs tmpfs rw') },
  };
  t.strictSame(Object.keys(cases), Object.keys(BOUNDS));
  for (const [bound, facts] of Object.entries(cases)) t.strictSame(missingBounds(held(facts)), [bound]);
  const others = ['rw - tmpfs tmpfs rw,size=64k', 'rw,noexec - ext4 /dev/vda2 rw,size=64k'];
  for (const tmp of others) t.strictSame(missingBounds(held({ mounts: mounts('ro', tmp) })), ['temporary_files']);
  t.strictSame(missingBounds(held({ temporary: '/tmp files/x' })), ['temporary_files'], 'the nearest mount counts');
  t.strictSame(
    missingBounds({ status: '', mounts: '', temporary: '/tmp' }),
    Object.keys(BOUNDS),
    'unknown is not held',
  );
});

t.test('files take as much memory as each tmpfs that they lie in may grow to, and none on a disk', async (t) => {
  const files = (tmp: string, ...folders: string[]) => memoryOfFiles(mounts('ro', tmp), folders);
  t.equal(files(BOUNDED, '/tmp/weir'), 4_096);
  t.equal(files('rw - tmpfs tmpfs rw,nr_inodes=10,size=1025k', '/tmp'), 2, 'a part of a MiB too');
  t.equal(files(BOUNDED, '/srv/weir'), 0, 'a disk');
  t.equal(files('rw - ext4 /dev/vda2 rw,size=64k', '/tmp'), 0, 'a disk with such an option');
  t.equal(files('rw - tmpfs tmpfs rw', '/tmp'), 0, 'a tmpfs that nobody has given a size');
  t.equal(memoryOfFiles('', ['/tmp']), 0, 'where nothing is told');
  t.equal(files(BOUNDED, '/tmp', '/srv/weir', '/tmp/weir-table-copies'), 4_096, 'each once');
  const more = [
    mounts('ro', BOUNDED),
    '93 90 0:52 / /srv/copies rw - tmpfs tmpfs rw,size=512k',
    '94 90 0:53 / /srv/cache rw - tmpfs tmpfs rw,size=1536k',
    '95 90 0:50 /work /srv/work rw - tmpfs tmpfs rw,size=4194304k',
  ].join('\n');
  t.equal(memoryOfFiles(more, ['/tmp', '/srv/copies/a', '/srv/cache']), 4_098, 'those of several together');
  t.equal(memoryOfFiles(more, ['/tmp', '/srv/work']), 4_096, 'one that is mounted in two places, once');
  const facts = { status: '', mounts: more, temporary: '/tmp' };
  t.equal(ownMemory(facts, ['/srv/weir']).filesMiB, 4_096, 'a work folder on a disk leaves that for temporary files');
  t.equal(ownMemory(facts, ['/srv/weir', '/srv/copies']).filesMiB, 4_097);
  t.equal(ownMemory(undefined, ['/tmp']).filesMiB, 0);
});

t.test('the probe tells of the bounds, and finds nobody unwell for them', async (t) => {
  t.match(judgeBounds({ missing_bounds: [] }), [{ check: 'bounds', outcome: 'ok' }]);
  const [found] = judgeBounds({ missing_bounds: ['user', 'root_file_system'] });
  t.match(found, { outcome: 'diagnostic', detail: `${BOUNDS.user}; ${BOUNDS.root_file_system}` });
  t.strictSame(judgeBounds({}), [], 'a worker that cannot tell');
});

t.test('outside of development a worker with privileges does not start, and says what to do', async (t) => {
  if (process.getuid?.() !== 0 || process.platform !== 'linux')
    return t.plan(0, 'only root has privileges to begin with');
  const { environment } = await slowDeployment(t);
  const key = keyFile(t.testdir());
  for (const WEIR_MODE of ['staging', 'production']) {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const real = { ...environment, ...PRODUCTION_VALUES, WEIR_MODE, WEIR_CREDENTIAL_KEY_FILE: key };
    const env = { PATH, HOME, NODE_COMPILE_CACHE, ...real };
    const refused = await new Promise<{ code: unknown; said: string }>((done) =>
      execFile(process.execPath, [...NODE_ARGS, PROGRAM, '--roles', 'slow'], { env }, (error, _, stderr) =>
        done({ code: error?.code, said: stderr }),
      ),
    );
    t.equal(refused.code, 78);
    t.match(JSON.parse(refused.said), { msg: /^worker_privileged: it runs as root; .*run it as / });
  }
});
