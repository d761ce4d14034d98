import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runSource, type Source, SourceError, type Together } from '@weir/connector-sdk';
import t from 'tap';

const folder = await mkdtemp(join(tmpdir(), 'sdk-together-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const broken = new SourceError('line_torn', { type: 'transient_error', message: 'The line is torn' });

/** Runs a source of the streams a, b, c and alone, of which all but the last are read together. */
async function run(read: Together['read']) {
  const source: Source = {
    spec: { connectionSpecification: { type: 'object' } },
    check: async () => undefined,
    discover: async () => ({ streams: [] }),
    read: async ({ emit }) => emit.record({ id: 0 }),
    together: { isMember: (_config, { stream }) => stream.name !== 'alone', read },
  };
  const streams = ['a', 'b', 'alone', 'c'].map((name) => ({ stream: { name }, sync_mode: 'incremental' }));
  await writeFile(join(folder, 'config'), '{}');
  await writeFile(join(folder, 'catalog'), JSON.stringify({ streams }));
  const argv = ['read', '--config', join(folder, 'config'), '--catalog', join(folder, 'catalog')];
  const stdout = new PassThrough();
  const said = text(stdout);
  const code = await runSource(source, argv, { stdout, stderr: new PassThrough().resume() });
  stdout.end();
  const messages = (await said)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const words = messages.map(({ type, record, trace }) => {
    if (type === 'RECORD') return `${record.stream} record`;
    const { stream_status: status, error } = trace;
    return status === undefined
      ? `${error.stream_descriptor.name} ${error.internal_message}`
      : `${status.stream_descriptor.name} ${status.status}`;
  });
  return { code, words };
}

t.test('streams that are read together begin and end together, behind those that are read alone', async (t) => {
  const { code, words } = await run(async ([a, b]) => {
    await b?.emit.record({ id: 1 });
    await a?.emit.record({ id: 2 });
  });
  t.equal(code, 0);
  t.strictSame(words, [
    ...['alone STARTED', 'alone RUNNING', 'alone record', 'alone COMPLETE', 'a STARTED', 'b STARTED', 'c STARTED'],
    ...['b RUNNING', 'b record', 'a RUNNING', 'a record', 'a COMPLETE', 'b COMPLETE', 'c COMPLETE'],
  ]);
});

t.test(
  'one of them that fails does not end the rest, and an error of the whole is that of all that are open',
  async (t) => {
    const one = await run(async ([a, b], end) => {
      if (a !== undefined) await end(a, broken);
      await b?.emit.record({ id: 1 });
    });
    t.equal(one.code, 1);
    t.strictSame(one.words.slice(-7), [
      ...['c STARTED', 'a line_torn', 'a INCOMPLETE', 'b RUNNING', 'b record', 'b COMPLETE', 'c COMPLETE'],
    ]);
    const all = await run(async ([a], end) => {
      if (a !== undefined) await end(a);
      throw broken;
    });
    t.equal(all.code, 1);
    t.strictSame(all.words.slice(-5), ['a COMPLETE', 'b line_torn', 'b INCOMPLETE', 'c line_torn', 'c INCOMPLETE']);
  },
);
