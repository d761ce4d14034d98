import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitBatch } from '@weir/engine';
import t from 'tap';
import { readRunLogs, startSync } from '../src/contract.ts';
import type { Sync } from '../src/model/process/sync-types.ts';
import { getsOn } from '../src/model/sync/sync-figures.ts';
import { ended, ok } from './platform.ts';
import { readySource } from './ready-source.ts';
import { sharedPlatform } from './shared-platform.ts';

t.test('a commit brings its stream forward by rows and another place, or as its last', async (t) => {
  const stream = (at: number, recordCount: number) =>
    JSON.stringify({
      type: 'STREAM',
      stream: { stream_descriptor: { name: 's' }, stream_state: { at } },
      sourceStats: { recordCount },
    });
  const shared = (at: number, weir_position: number) => JSON.stringify({ type: 'LEGACY', data: { at }, weir_position });
  const own = (data: string) => `{"type":"LEGACY","data":${data}}`;
  const table: readonly (readonly [
    string,
    { rows?: number; rejected?: number; whole?: boolean },
    string | undefined,
    string | undefined,
    boolean,
  ])[] = [
    ['rows behind a first state', { rows: 1 }, undefined, stream(1, 1), true],
    ['rows behind another place', { rows: 1 }, stream(1, 1), stream(2, 1), true],
    ['rejected lines behind another place', { rejected: 1 }, stream(1, 1), stream(2, 1), true],
    ['rows behind the same place', { rows: 2 }, stream(1, 1), stream(1, 2), false],
    ['rows behind the same place of all streams', { rows: 2 }, shared(1, 4), shared(1, 5), false],
    ['rows behind another place of all streams', { rows: 2 }, shared(1, 4), shared(2, 5), true],
    [
      'rows behind the same place in other words',
      { rows: 1 },
      own('{"at":1,"of":[1,2]}'),
      own('{"of":[1,2],"at":1}'),
      false,
    ],
    ['rows behind a place whose parts have changed their order', { rows: 1 }, own('[1,2]'), own('[2,1]'), true],
    [
      'rows behind a place that a double cannot tell apart',
      { rows: 1 },
      own('{"at":9007199254740993,"of":1}'),
      own('{"of":1,"at":9007199254740992}'),
      true,
    ],
    [
      'rows behind the same long place in other words',
      { rows: 1 },
      own('{"at":9007199254740993,"of":1}'),
      own('{"of":1,"at":9007199254740993}'),
      false,
    ],
    ['a place without rows', {}, stream(1, 1), stream(2, 0), false],
    ['rows without a state', { rows: 1 }, undefined, undefined, false],
    ['the end of a stream without rows', { whole: true }, undefined, undefined, true],
  ];
  for (const [name, { rows = 0, rejected = 0, whole: isWhole = false }, begunAt, state, wanted] of table) {
    const batch = { parts: [{ rows }], rejected, state } as unknown as CommitBatch<Sync>['batch'];
    t.equal(getsOn({ batch, isWhole }, begunAt), wanted, name);
  }
});

t.test('a sync goes on for as long as its attempts get on, and ends when they do not', async (t) => {
  const platform = await sharedPlatform(t);
  const { peek } = platform;
  const api = await platform.as('demo');
  const habit = join(platform.folder, 'habit');
  const body = {
    ...{ name: 'shop', pattern_id: 'hostile', source_config: { habit } },
    credential_values: { token: randomBytes(12).toString('hex') },
  };
  const source_id = await readySource(api, body, { sync_mode: 'incremental', write_mode: 'append' });
  // Attempts that a run of the source has behind it when it is made, so that nobody waits for them.
  const trigger = `attempts_before_${platform.alias('demo')}`;
  const begunWith = (before: number) =>
    peek(`create or replace function ${trigger}() returns trigger language plpgsql as
      'begin new.lease_epoch := ${before}; return new; end'`);
  await begunWith(0);
  await peek(`create trigger ${trigger} before insert on kernel.run for each row
    when (new.kind = 'source-sync' and new.subject_id = '${source_id}') execute function ${trigger}()`);
  t.teardown(() => peek(`drop function ${trigger} cascade`));
  const sync = async (before: number, ...habits: string[]) => {
    await begunWith(before);
    await writeFile(habit, habits.join('\n'));
    const { run_id } = ok(await api(startSync, { params: { source_id } }));
    return ended(api, source_id, run_id);
  };

  await t.test('the sixth in a row without a commit is the last, and says so', async (t) => {
    const run = await sync(5, 'has no luck', 'good');
    const failure = {
      code: 'connector_transient_error',
      retryable: true,
      detail: /\. The run was given up after 6 attempts, none/,
    };
    t.match(run, { status: 'failed', attempt: 6, failure });
    const { items } = ok(await api(readRunLogs, { params: { source_id, run_id: run.run_id }, query: { limit: 500 } }));
    const said = items.map(({ message }) => message);
    t.match(said.at(-1), /^the run has ended: failed: connector_transient_error: .*given up after 6 attempts/);
    t.notMatch(said.join('\n'), /it may be tried again/);
  });

  await t.test('one whose workers all died is ended by the next attempt, before it begins', async (t) => {
    const run = await sync(6, 'good');
    t.match(run, {
      status: 'failed',
      attempt: 7,
      rows_read: 0,
      failure: { code: 'worker_lost', detail: /given up after 6/ },
    });
  });

  await t.test(
    'an attempt that commits begins the count anew: the seventh attempt goes on, and is the last no more',
    async (t) => {
      const run = await sync(5, 'breaks', 'good');
      t.match(run, { status: 'succeeded', attempt: 7, rows_written: 15, failure: null });
    },
  );

  await t.test('a connector that breaks by its own fault has three tries in a row', async (t) => {
    const run = await sync(1, 'breaks at once', 'breaks at once', 'good');
    const detail =
      'The connector broke. It says: It broke. The run was given up after 3 attempts, none of which committed anything new.';
    t.strictSame(Object.keys(run.failure ?? {}).sort(), ['code', 'detail', 'hint', 'origin', 'retryable']);
    t.match(run, {
      status: 'failed',
      attempt: 3,
      failure: { code: 'connector_system_error', retryable: true, detail },
    });
    const [stored] = await peek('select failure from kernel.run where run_id = $1', [run.run_id]);
    for (const name of ['isOwnFault', 'isLast'])
      t.notOk(Object.hasOwn(Object(stored?.failure), name), 'what decides on tries is not kept');
  });

  await t.test('one that breaks twice by the same fault has two, one that is told to rest has one', async (t) => {
    const broken = await sync(0, 'breaks at once', 'breaks at once', 'good');
    const detail = /The connector broke\. It says: It broke\. The run was given up after 2 attempts/;
    t.match(broken, { status: 'failed', attempt: 2, failure: { code: 'connector_system_error', detail } });
    const rested = await sync(0, 'is asked to rest', 'good');
    const told = 'It broke. It takes no work before 2999-01-01T00:00:00Z.';
    t.match(rested, { status: 'failed', attempt: 1, failure: { code: 'rest_wanted', retryable: true, detail: told } });
  });

  await t.test('rows that every attempt reads again are no way forward', async (t) => {
    const again = 'breaks behind rows that it has sent before';
    const run = await sync(1, again, again, 'good');
    t.match(run, { status: 'failed', attempt: 3, rows_written: 2, failure: { detail: /after 3 attempts, none/ } });
  });
});
