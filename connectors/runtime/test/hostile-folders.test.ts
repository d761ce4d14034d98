import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type ConnectorProcess, createSpool, readSync, streamKey } from '@weir/connector-runtime';
import { removeTree } from '@weir/processes';
import t, { type Test } from 'tap';
import { createSegmentFolder, createWorkspace } from '../src/workspace.ts';
import { asOtherUser, OTHER_USER, ROOT } from './other-user.ts';

const DEEP = 205;
const LONG_NAME = 'd'.repeat(20);
const MANY_FILES = 1_000;

/** A folder of whoever the test runs as. For root that is another user: root may remove anything, which shows nothing. */
function unprivileged(t: Test): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hostile-')));
  const isRoot = process.getuid?.() === ROOT;
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  if (!isRoot) return folder;
  chownSync(folder, OTHER_USER, OTHER_USER);
  asOtherUser(t);
  return folder;
}

/** A folder with something in it that its owner may not even look into. */
function closed(folder: string): void {
  mkdirSync(join(folder, 'within'), { recursive: true });
  writeFileSync(join(folder, 'within', 'file'), 'x');
  for (const one of [join(folder, 'within'), folder]) chmodSync(one, 0);
}

/** A tree whose innermost path is longer than any that can be named. */
function deep(folder: string): void {
  const back = process.cwd();
  mkdirSync(folder);
  process.chdir(folder);
  for (let level = 0; level < DEEP; level += 1) {
    mkdirSync(LONG_NAME);
    process.chdir(LONG_NAME);
  }
  writeFileSync('file', 'x');
  process.chdir(back);
}

function many(folder: string): void {
  mkdirSync(folder);
  for (let at = 0; at < MANY_FILES; at += 1) writeFileSync(join(folder, `${at}`), '');
}

const HOSTILE: readonly [what: string, make: (folder: string) => void][] = [
  ['a folder that nobody may read', closed],
  ['an empty folder that nobody may read', (folder) => mkdirSync(folder, { mode: 0 })],
  ['a tree deeper than a path is long', deep],
  ['thousands of files', many],
];

const RECORDS = ['b', 'a'].map((stream) => ({ type: 'RECORD', record: { stream, data: { id: 1 }, emitted_at: 1 } }));
const COMPLETE = ['a', 'b'].map((name) => ({
  type: 'TRACE',
  trace: { type: 'STREAM_STATUS', emitted_at: 1, stream_status: { stream_descriptor: { name }, status: 'COMPLETE' } },
}));
const SEGMENT = {
  type: 'SEGMENT',
  segment: {
    ...{ stream: 'a', file: '1.parquet', format: 'parquet', rows: 3, bytes: 9, sha256: '0'.repeat(64) },
    ...{ schema_id: 's', emitted_at: 7 },
  },
};

for (const [what, make] of HOSTILE) {
  t.test(`${what} in the place of a segment fails its stream alone, and nothing of it is left`, async (t) => {
    const root = unprivileged(t);
    const segments = await createSegmentFolder(join(root, 'work'));
    make(join(segments.path, '1.parquet'));
    mkdirSync(join(root, 'spool'));
    const { streams, seen } = await readAll(root, segments);
    t.match(streams.get(streamKey({ name: 'a' })), { verdict: { outcome: 'failure', code: 'segment_unsafe' } });
    t.match(streams.get(streamKey({ name: 'b' })), { records: 1, verdict: { outcome: 'success' } });
    t.notOk(seen, 'it was acknowledged');
    t.notOk(existsSync(segments.path), 'the folder is gone');
  });

  t.test(`${what} in a workspace is removed with it`, async (t) => {
    const root = unprivileged(t);
    const { path, tmp, destroy } = await createWorkspace(join(root, 'work'), { config: '{}' });
    make(join(tmp, 'hostile'));
    await destroy();
    t.notOk(existsSync(path));
  });
}

t.test('what belongs to another user and keeps us out stays, all beside it goes, and it is told', async (t) => {
  if (process.getuid?.() !== ROOT) return t.plan(0, 'only root can make folders of two users');
  const root = unprivileged(t);
  const place = join(root, 'place');
  mkdirSync(join(place, 'ours'), { recursive: true });
  writeFileSync(join(place, 'ours', 'file'), 'x');
  process.seteuid?.(ROOT);
  closed(join(place, 'theirs'));
  process.seteuid?.(OTHER_USER);
  await t.rejects(removeTree(place));
  t.notOk(existsSync(join(place, 'ours')));
  t.ok(existsSync(join(place, 'theirs')));
});

/** Reads a connector that announces what lies in its folder, and rows of another stream; tells whether that still lay there at the end. */
async function readAll(root: string, segments: NonNullable<ConnectorProcess['segments']>) {
  const lines = [RECORDS[0], SEGMENT, RECORDS[1], ...COMPLETE].map((line) => `${JSON.stringify(line)}\n`);
  const spool = createSpool({ dir: join(root, 'spool') });
  const exit = { code: 0, signal: undefined, oomKilled: false, stopped: false };
  let seen = false;
  const destroy = async () => {
    seen = existsSync(join(segments.path, '1.parquet'));
    await segments.destroy();
  };
  const connector: ConnectorProcess = {
    ...{ name: 'fake', pid: undefined, stdout: Readable.from([Buffer.from(lines.join(''))]) },
    segments: { ...segments, destroy },
    ...{ stderrTail: () => '', exit: Promise.resolve(exit), stop: async () => exit },
  };
  const reading = readSync({ connector, streams: [{ name: 'a' }, { name: 'b' }], spool });
  for await (const { release } of spool.segments()) release();
  return { streams: (await reading).streams, seen };
}
