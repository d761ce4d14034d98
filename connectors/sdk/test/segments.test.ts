import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Emit, MAX_SEGMENT_BYTES, runSource, SEGMENT_OFFER } from '@weir/connector-sdk';
import { connectorConformance } from '@weir/connector-sdk/testing';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { invoke } from '../src/testing-invoke.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sdk-segments-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
}
const offer = (place: string) => ({
  [SEGMENT_OFFER.channelVariable]: SEGMENT_OFFER.channel,
  [SEGMENT_OFFER.folderVariable]: place,
});

/** Runs a read of one stream; `said` are its lines so far. */
async function start(read: (emit: Emit) => Promise<void>, env: NodeJS.ProcessEnv) {
  const inputs = await folder();
  const catalog = { streams: [{ stream: { name: 'a', namespace: 'n', json_schema: {} }, sync_mode: 'incremental' }] };
  await writeFile(join(inputs, 'config'), '{}');
  await writeFile(join(inputs, 'catalog'), JSON.stringify(catalog));
  const stdout = new PassThrough();
  const said = text(stdout);
  const source = {
    spec: { connectionSpecification: {} },
    check: async () => undefined,
    discover: async () => ({ streams: [] }),
    read: ({ emit }: { emit: Emit }) => read(emit),
  };
  const argv = ['read', '--config', join(inputs, 'config'), '--catalog', join(inputs, 'catalog')];
  const ended = runSource(source, argv, { stdout, stderr: new PassThrough().resume(), env }).finally(() =>
    stdout.end(),
  );
  return async () => {
    const code = await ended;
    const messages = (await said)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { code, messages };
  };
}

t.test('without the offer there are no segments', async (t) => {
  const place = await folder();
  const [channel, path] = Object.entries(offer(place));
  for (const env of [
    {},
    Object.fromEntries([channel ?? []]),
    Object.fromEntries([path ?? []]),
    { ...offer(place), [SEGMENT_OFFER.channelVariable]: 'socket/9' },
  ]) {
    const end = await start(async (emit) => void t.equal(emit.segment, undefined), env);
    t.equal((await end()).code, 0);
  }
});

t.test('a file is announced with what it is, and counts in the next state', async (t) => {
  const place = await folder();
  const end = await start(async (emit) => {
    await emit.record({ id: 1 });
    const write = async (path: string) => {
      await writeFile(path, 'content');
      return { rows: 3 };
    };
    t.equal(await emit.segment?.(write), 'sent');
    await emit.state({});
  }, offer(place));
  const { code, messages } = await end();
  t.equal(code, 0);
  t.match(messages[3], {
    type: 'SEGMENT',
    segment: {
      stream: 'a',
      namespace: 'n',
      file: '0.parquet',
      format: 'parquet',
      rows: 3,
      bytes: 7,
      sha256: createHash('sha256').update('content').digest('hex'),
      schema_id: /^[0-9a-f]{32}$/,
      emitted_at: messages[2].record.emitted_at,
    },
  });
  t.equal(messages[4].state.sourceStats.recordCount, 4);
});

t.test('who wrote a file may say its digest, which is not made again then', async (t) => {
  const sha256 = 'ab'.repeat(32);
  const end = await start(
    async (emit) => {
      const write = async (path: string) => {
        await writeFile(path, 'content');
        return { rows: 1, sha256 };
      };
      t.equal(await emit.segment?.(write), 'sent');
    },
    offer(await folder()),
  );
  const { messages } = await end();
  t.match(
    messages.find(({ type }) => type === 'SEGMENT'),
    { segment: { bytes: 7, sha256 } },
  );
});

t.test('a file that is too large, empty or broken is not announced and does not stay', async (t) => {
  const place = await folder();
  const end = await start(async (emit) => {
    const sized = (bytes: number, rows: number) => async (path: string) => {
      await writeFile(path, '');
      await truncate(path, bytes);
      return { rows };
    };
    t.equal(await emit.segment?.(sized(MAX_SEGMENT_BYTES + 1, 2)), 'too_large');
    t.equal(await emit.segment?.(sized(9, 0)), 'sent');
    const broken = async () => {
      await emit.segment?.(async (path) => {
        await writeFile(path, 'half');
        throw new Error('broke');
      });
    };
    await t.rejects(broken, { message: 'broke' });
    t.strictSame(await readdir(place), []);
  }, offer(place));
  t.notOk((await end()).messages.some(({ type }) => type === 'SEGMENT'));
});

t.test('a fifth file is written when one of four was taken', async (t) => {
  const place = await folder();
  let written = 0;
  const end = await start(async (emit) => {
    for (let index = 0; index < 6; index += 1) {
      await emit.segment?.(async (path) => {
        await writeFile(path, 'content');
        written += 1;
        return { rows: 1 };
      });
    }
  }, offer(place));
  await until('four files', () => written >= 4, 'often');
  await new Promise(setImmediate);
  t.equal(written, 4);
  for (const name of ['0', '1']) await rm(join(place, `${name}.parquet`));
  const { code, messages } = await end();
  t.equal(code, 0);
  t.equal(messages.filter(({ type }) => type === 'SEGMENT').length, 6);
  t.ok((await stat(join(place, '5.parquet'))).isFile());
});

t.test('a connector that is stopped does not wait for room', async (t) => {
  const place = await folder();
  const end = await start(async (emit) => {
    for (let index = 0; index < 5; index += 1) {
      const writing = emit.segment?.(async (path) => {
        await writeFile(path, 'content');
        return { rows: 1 };
      });
      if (index === 4) process.emit('SIGTERM');
      await writing;
    }
  }, offer(place));
  t.equal((await end()).code, 143);
});

t.test('the conformance cases tell a connector that overruns its bounds from one that keeps them', async (t) => {
  const program = (patience: string) => `import { writeFile } from 'node:fs/promises';
    import { createHash } from 'node:crypto';
    import { runSource } from '${new URL('../src/index.ts', import.meta.url).href}';
    const content = 'PAR1' + 'x'.repeat(20);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const place = process.env.WEIR_SEGMENT_DIR;
    const read = async ({ emit }) => {
      const lines = [];
      for (let index = 0; index < 9; index += 1) {
        ${patience}
        else await emit.record({});
      }
      await emit.state({});
    };
    const discover = async () => ({ streams: [{ name: 'a', json_schema: { properties: {} }, supported_sync_modes: ['full_refresh'] }] });
    process.exit(await runSource({ spec: { connectionSpecification: { type: 'object' } }, read, discover, check: async () => {} }, process.argv.slice(2)));`;
  const verdict = async (patience: string) => {
    const path = join(await folder(), 'program.ts');
    await writeFile(path, program(patience));
    const options = { config: {}, badConfig: {}, segments: true };
    const cases = connectorConformance({ ...options, command: [process.execPath, '--conditions=@weir/source', path] });
    const own = cases.find(({ name }) => name.startsWith('segments '));
    return own?.run().then(
      () => 'passes',
      (error: Error) => error.message,
    );
  };
  const send = `await emit.segment(async (path) => { await writeFile(path, content); return { rows: 1 }; });`;
  t.equal(await verdict(`if (emit.segment !== undefined) ${send}`), 'passes');
  const facts = `{ stream: 'a', file: index + '.parquet', format: 'parquet', rows: 1, bytes: content.length, sha256, schema_id: 's' }`;
  // Told of together once all are written: a reader as fast as the writer would never find too many of them.
  const rush = `if (place !== undefined) {
    await writeFile(place + '/' + index + '.parquet', content);
    lines.push(JSON.stringify({ type: 'SEGMENT', segment: ${facts} }));
    if (index === 8) console.log(lines.join('\\n'));
  }`;
  t.match(await verdict(rush), /more segments than may wait/);
  t.match(await verdict('if (false) {}'), /none was sent/);
});

t.test('a connector whose reader gives up has ended before the error is passed on', async (t) => {
  const forever = `console.log(JSON.stringify({ type: 'PID', pid: process.pid })); setInterval(() => console.log('{}'), 1);`;
  let pid = 0;
  const giveUp = async (line: object) => {
    pid = 'pid' in line ? Number(line.pid) : pid;
    throw new Error('too many');
  };
  const reading = invoke({ command: [process.execPath, '-e', forever], verb: 'read', inputs: {}, onLine: giveUp });
  await t.rejects(reading, { message: 'too many' });
  t.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});
