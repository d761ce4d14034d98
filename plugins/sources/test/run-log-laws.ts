import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { keyFile } from '../../../test/key-file.ts';
import { createSource, downloadRunLogs, readRunLogs, startSync } from '../src/contract.ts';
import { discovered, enableAll, ended, ok, refusal, testPlatform } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

const TOKEN = 'Zq8-TALK/9+token"of\\the=source';
const ALL = { limit: 500 } as const;
/** As the shared platform has it. */
const KEPT_LINES = 1_000;

type StoreSettings = (folder: string) => Record<string, string>;

/** A platform with a worker whose logs lie in the store that the settings name; they are given the platform's folder. */
async function platformWith(t: Test, settings: StoreSettings) {
  const platform = await testPlatform(t, async (folder) => ({
    WEIR_PLATFORM: join(import.meta.dirname, 'fixtures/platform-talkative.json'),
    WEIR_CREDENTIAL_KEY_FILE: keyFile(folder),
    WEIR_RUN_LOG_MAX_LINES: String(KEPT_LINES),
    ...settings(folder),
  }));
  await platform.startWorker();
  return { ...platform, alias: (name: string) => name };
}

/** What the log of a run keeps through the API: in files on the shared platform, or in the store of the settings. */
export async function runLogLaws(t: Test, storeSettings?: StoreSettings): Promise<void> {
  const platform = await (storeSettings === undefined ? sharedPlatform(t) : platformWith(t, storeSettings));
  const api = await platform.as('demo');
  const made = async (name: string, more: Record<string, unknown>) => {
    const body = { name, pattern_id: 'talkative', source_config: more, credential_values: { token: TOKEN } };
    const { source_id } = ok(await api(createSource, { body }));
    await discovered(api, source_id);
    await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
    return source_id;
  };
  const started = async (source_id: string) => ok(await api(startSync, { params: { source_id } })).run_id;
  const gate = join(platform.folder, 'gate');
  const source_id = await made('talker', { until: gate });
  const run_id = await started(source_id);
  const params = { source_id, run_id };
  const read = async (query: object) => ok(await api(readRunLogs, { params, query }));

  await t.test('is followed while the run goes on: what comes next, and at last the end', async (t) => {
    const seen: string[] = [];
    for (let [after, hasEnded] = [0, false]; !hasEnded; ) {
      const page = await read({ after, wait_seconds: 10 });
      seen.push(...page.items.map(({ step, message }) => `${step}: ${message}`));
      after = page.items.at(-1)?.seq ?? after;
      hasEnded = page.ended;
      // The connector ends when its lines have been seen, so that they came while it ran.
      if (seen.some((line) => line.includes('on stderr'))) await writeFile(gate, '');
    }
    t.equal(seen[0], 'attempt: attempt 1 started');
    t.equal(seen.at(-1), 'end: the run has ended: succeeded');
    t.ok(seen.some((line) => /^commit: committed 1 rows as snapshot \d+$/.test(line)));
    t.ok(seen.includes('stream: all of it is committed'));
  });

  await t.test('holds every line of the connector, plain, marked and without its credential', async (t) => {
    const { items, levels, next_page_token } = await read(ALL);
    t.equal(next_page_token, null);
    const told = items.filter(({ untrusted }) => untrusted);
    const messages = told.map(({ level, message }) => `${level} ${message}`);
    for (const line of [
      'debug stream status STARTED',
      'info the token is [secret]',
      'warn red and [secret]',
      'error first line',
      'error second line',
      'info (object)',
      'info plain output with [secret] in it',
      'error ERROR on stderr, [secret] in it',
      'info without an end [secret]',
    ])
      t.ok(messages.includes(line), line);
    t.notOk(JSON.stringify(items).includes('TALK'), 'no part of the credential is anywhere');
    t.ok(told.every(({ step }) => step === 'connector'));
    t.notOk(items.some(({ message }) => /[\u0000-\u001f\u007f-\u009f]/.test(message)));
    t.equal(items.filter(({ step }) => step === 'end').length, 1, 'a forged end is a line of the connector');
    t.equal(
      Object.values(levels ?? {}).reduce((sum, count) => sum + count, 0),
      items.length,
    );
    t.equal(told.find(({ message }) => message.includes('STARTED'))?.stream, 'rows');
  });

  await t.test('tells of a connector that ran out of memory: it is tried once more, with twice as much', async (t) => {
    const attemptsOf = async (memory_mib: number) => {
      const source_id = await made(`hungry-${memory_mib}`, { memory_mib });
      const run = await ended(api, source_id, await started(source_id));
      return { status: run.status, code: run.failure?.code, attempts: run.attempt };
    };
    t.strictSame(await Promise.all([2_048, 4_096].map(attemptsOf)), [
      { status: 'succeeded', code: undefined, attempts: 2 },
      { status: 'failed', code: 'connector_out_of_memory', attempts: 2 },
    ]);
  });

  await t.test('tells of a discovery that ran out of memory: it is tried once more, with twice as much', async (t) => {
    const endOf = async (describe_memory_mib: number) => {
      const source_config = { describe_memory_mib };
      const body = { pattern_id: 'talkative', source_config, credential_values: { token: TOKEN } };
      const { source_id } = ok(
        await api(createSource, { body: { name: `describes-${describe_memory_mib}`, ...body } }),
      );
      const { run_id, status, failure } = await discovered(api, source_id);
      const { items } = ok(await api(readRunLogs, { params: { source_id, run_id }, query: ALL }));
      const starts = items.filter(({ message }) => message.startsWith('the connector starts'));
      return { status, code: failure?.code, retryable: failure?.retryable, starts: starts.length };
    };
    t.strictSame(await Promise.all([2_048, 4_096].map(endOf)), [
      { status: 'succeeded', code: undefined, retryable: undefined, starts: 2 },
      { status: 'failed', code: 'connector_out_of_memory', retryable: false, starts: 2 },
    ]);
  });

  await t.test('is searched by the server, and read page by page both ways', async (t) => {
    const messages = async (query: object) => (await read({ ...ALL, ...query })).items.map(({ message }) => message);
    t.strictSame(await messages({ search: 'SECOND line' }), ['second line']);
    t.strictSame(await messages({ pattern: '^(first|second) line$' }), ['first line', 'second line']);
    t.ok((await read({ level: 'error' })).items.every(({ level }) => level === 'error'));
    t.ok((await read({ stream: 'rows' })).items.every(({ stream }) => stream === 'rows'));
    t.strictSame(await messages({ attempt: 2 }), []);
    t.strictSame(await messages({ to: '2020-01-01T00:00:00Z' }), []);
    const all = (await read(ALL)).items.map(({ seq }) => seq);
    for (const order of ['seq', '-seq'] as const) {
      const wanted = order === 'seq' ? all : all.toReversed();
      const forth: number[][] = [];
      let page = await read({ limit: 4, order });
      for (;;) {
        forth.push(page.items.map(({ seq }) => seq));
        if (page.next_page_token === null) break;
        page = await read({ limit: 4, order, page_token: page.next_page_token });
      }
      t.strictSame(forth.flat(), wanted);
      const back: number[][] = [];
      while (page.previous_page_token !== null) {
        page = await read({ limit: 4, order, page_token: page.previous_page_token });
        back.unshift(page.items.map(({ seq }) => seq));
      }
      t.strictSame(back.flat(), wanted.slice(0, back.flat().length), order);
      t.equal(back.flat().length, forth.slice(0, -1).flat().length);
    }
  });

  await t.test('is downloaded as text and as documents', async (t) => {
    const file = async (accept: string) =>
      fetch(`${platform.url}/api/v1/sources/${source_id}/runs/${run_id}/logs/download`, {
        headers: {
          accept,
          authorization: `Bearer ${await platform.token('demo')}`,
          'x-tenant-id': platform.alias('demo'),
        },
      });
    const { items } = await read(ALL);
    const documents = await file('application/x-ndjson');
    t.equal(documents.headers.get('content-disposition'), `attachment; filename="run-${run_id}.ndjson"`);
    t.strictSame(
      (await documents.text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      items,
    );
    const text = await file('text/plain');
    t.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8');
    t.equal(text.headers.get('x-content-type-options'), 'nosniff');
    const lines = (await text.text()).trimEnd().split('\n');
    t.equal(lines.length, items.length);
    t.match(lines.at(-1), /^\S+Z INFO {2}#1 end: the run has ended: succeeded/);
    t.equal((await file('image/png')).status, 406);
  });

  await t.test('of a run that says too much keeps the first and the last, and says what is missing', async (t) => {
    const flooding = await made('flooder', { lines: 20_000 });
    const flood = { source_id: flooding, run_id: await started(flooding) };
    t.equal((await ended(api, flooding, flood.run_id)).status, 'succeeded');
    const lines = async (query: object) => ok(await api(readRunLogs, { params: flood, query })).items;
    const [marker] = await lines({ search: 'dropped', step: 'log' });
    t.match(marker?.message, /^dropped \d+ lines$/);
    const [first] = await lines({ search: 'flood', limit: 1 });
    const [last] = await lines({ search: 'flood', limit: 1, order: '-seq' });
    t.equal(first?.message, 'flood 1');
    t.equal(last?.message, 'flood 20000');
    const { levels } = ok(await api(readRunLogs, { params: flood }));
    const kept = levels?.debug ?? 0;
    t.ok(kept > KEPT_LINES / 2 && kept <= 3 * KEPT_LINES, `${kept}`);
    t.equal(Number(marker?.fields.dropped_lines) + kept, 20_000 + 2, 'every line is kept or counted');
  });

  await t.test('is there for nobody else, and bad requests say what is wrong with them', async (t) => {
    const stranger = await platform.as('other');
    const absent = '01900000-0000-7000-8000-000000000000';
    t.equal(refusal(await stranger(readRunLogs, { params })), '404 not_found');
    t.equal(refusal(await stranger(downloadRunLogs, { params }, { accept: 'text/plain' })), '404 not_found');
    t.equal(refusal(await api(readRunLogs, { params: { ...params, source_id: absent } })), '404 not_found');
    t.equal(refusal(await api(readRunLogs, { params: { ...params, run_id: absent } })), '404 not_found');
    const asked = async (query: object) => refusal(await api(readRunLogs, { params, query }));
    t.equal(await asked({ pattern: '(' }), '400 validation_failed');
    t.equal(await asked({ pattern: '(((a{99}){99}){99})' }), '400 validation_failed');
    t.equal(await asked({ after: 1, order: '-seq' }), '400 validation_failed');
    t.equal(await asked({ page_token: 'bm9uc2Vuc2U' }), '400 invalid_page_token');
    const { next_page_token } = await read({ limit: 1 });
    t.equal(await asked({ page_token: next_page_token, search: 'x' }), '400 invalid_page_token', 'of another search');
  });
}
