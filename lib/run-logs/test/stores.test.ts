import { mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { fileStore, type LogLine, lokiStore, RunLogError, readAll } from '../src/index.ts';
import { newRun } from '../src/testing/run-log-conformance.ts';
import { fakeLoki, memoryIndex, runLogConformance } from '../src/testing.ts';

const TOKEN = 'let-me-in';
const root = await mkdtemp(join(tmpdir(), 'weir-run-logs-'));
const loki = await fakeLoki({ token: TOKEN });
t.teardown(async () => {
  await loki.close();
  await rm(root, { recursive: true });
});

const line = (seq: number, message: string): LogLine => ({
  ...{ seq: 1_000_000_000 + seq, at: new Date().toISOString(), level: 'info', step: 'plan', attempt: 1, message },
});
const messages = async (store: ReturnType<typeof fileStore>, run: ReturnType<typeof newRun>) => {
  const found: string[] = [];
  for await (const some of readAll(store, run, {})) found.push(...some.map(({ message }) => message));
  return found;
};

t.test('files keep the rules of a log store', async (t) =>
  runLogConformance(t, fileStore({ root, index: memoryIndex(), segmentBytes: 256 })),
);
t.test('Loki keeps the rules of a log store', async (t) =>
  runLogConformance(t, lokiStore({ url: loki.url, token: TOKEN })),
);

t.test('more than Loki takes at a time is pushed and read in parts', async (t) => {
  const store = lokiStore({ url: loki.url, token: TOKEN });
  const run = newRun();
  const texts = Array.from({ length: 1_500 }, (_, n) => (n < 1_000 ? `${n}` : `${n} ${'ж'.repeat(8_000)}`));
  await store.append(
    run,
    texts.map((text, n) => line(n + 1, text)),
  );
  t.strictSame(await messages(store, run), texts);
});

t.test('files that will not grow any more are compressed, and those of one run lie in its folder', async (t) => {
  const store = fileStore({ root, index: memoryIndex(), segmentBytes: 20_000 });
  const run = newRun();
  const texts = Array.from({ length: 500 }, (_, n) => `${n} ${'text '.repeat(20)}`);
  for (let from = 0; from < texts.length; from += 50) {
    await store.append(
      run,
      texts.slice(from, from + 50).map((text, n) => line(from + n + 1, text)),
    );
  }
  await store.end(run, 1, 'work');
  const files = await readdir(join(root, run.tenantId, run.runId));
  t.ok(files.length > 2 && files.every((file) => file.endsWith('.jsonl.gz')), files.join(' '));
  t.strictSame(await messages(store, run), texts);
});

t.test('what a crash left behind the last batch is no line, and the next writer is not in its way', async (t) => {
  const index = memoryIndex();
  const run = newRun();
  await fileStore({ root, index }).append(run, [line(1, 'whole')]);
  const file = join(root, run.tenantId, run.runId, '1000000001.jsonl');
  await writeFile(file, '{"seq":1000000002,"message":"to', { flag: 'a' });
  const next = fileStore({ root, index });
  await next.append(run, [{ ...line(1, 'again'), seq: 2_000_000_001, attempt: 2 }]);
  t.strictSame(await messages(next, run), ['whole', 'again']);
});

t.test('an index that does not take a batch keeps it out, and the repetition brings it in once', async (t) => {
  const index = memoryIndex();
  let isDown = true;
  const put: typeof index.put = (run, segment) =>
    isDown ? Promise.reject(new Error('down')) : index.put(run, segment);
  const store = fileStore({ root, index: { ...index, put } });
  const run = newRun();
  await t.rejects(store.append(run, [line(1, 'one')]), new RunLogError('unavailable', ''));
  t.strictSame(await messages(store, run), []);
  isDown = false;
  await store.append(run, [line(1, 'one'), line(2, 'two')]);
  t.strictSame(await messages(store, run), ['one', 'two']);
});

t.test('a file that is gone, cut or a link is told of in its place', async (t) => {
  const store = fileStore({ root, index: memoryIndex(), segmentBytes: 1 });
  const run = newRun();
  for (const seq of [1, 2, 3, 4]) await store.append(run, [line(seq, `line ${seq}`)]);
  const file = (seq: number) => join(root, run.tenantId, run.runId, `${1_000_000_000 + seq}.jsonl`);
  await rm(file(1));
  await truncate(file(2), 10);
  await rm(file(3));
  await symlink('/etc/passwd', file(3));
  const lost = '1 lines are lost: their file is gone or damaged';
  t.strictSame(await messages(store, run), [lost, lost, lost, 'line 4']);
});

t.test('only ids become folders', async (t) => {
  const store = fileStore({ root, index: memoryIndex() });
  for (const runId of ['..', '../../etc', '', `${newRun().runId}/x`]) {
    await t.rejects(async () => store.append({ ...newRun(), runId }, [line(1, 'x')]));
  }
});

t.test('a store that does not answer is told apart from one that refuses', async (t) => {
  const run = newRun();
  const code = (store: ReturnType<typeof lokiStore>) =>
    store.append(run, [line(1, 'x')]).then(
      () => 'taken',
      (error: unknown) => (error instanceof RunLogError ? error.code : String(error)),
    );
  const store = lokiStore({ url: loki.url, token: TOKEN });
  for (const [status, wanted] of [
    [500, 'unavailable'],
    [429, 'unavailable'],
    [400, 'refused'],
    [413, 'refused'],
  ] as const) {
    loki.failing = status;
    t.equal(await code(store), wanted, `${status}`);
  }
  loki.failing = undefined;
  t.equal(await code(lokiStore({ url: loki.url, token: 'wrong' })), 'refused');
  t.equal(await code(lokiStore({ url: 'http://127.0.0.1:1' })), 'unavailable');
  t.equal(await code(store), 'taken');
  t.ok(loki.streams(run.tenantId).length <= 6, 'a tenant has a stream for each level, and no more');
});
