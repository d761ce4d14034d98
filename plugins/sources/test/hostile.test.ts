import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { previewDataset } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { inLane } from '../../../test/lane.ts';
import { createSource, startSync } from '../src/contract.ts';
import { firstFailure } from './first-failure.ts';
import { discovered, enableAll, ended, ok, refusal, synced } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

/** Of the form of a code, so that it could be taken for one. */
const TOKEN = 'zq8_hostile_token';
/** A value that is refused, of more digits than the id of a trace has in common with anything. */
const REFUSED = 471_108_154_711;
/** Rows of a sync, and those of them that have a state when it goes wrong. */
const [ROWS, KEPT] = [10, 5];
/** A workflow knows ids, not what a connector says. */
const MAX_HISTORY = 64 * 1024;

type Habits = readonly (readonly [string, string, string])[];

/** What a connector does, and what the run says then: one of each kind of verdict, and those that are reached here alone. */
const TABLE: Habits = [
  ['exits 0', 'stream_status_missing', 'source'],
  ['sends the state of another stream', 'state_of_other_stream', 'source'],
  ['keeps its secret in its state', 'state_holds_credential', 'source'],
  ['fails with a code of its secret', 'connector_spoke_of_credential', 'source'],
  ['fills its disk', 'connector_disk_full', 'platform'],
];
/** Verdicts that the tests of the connector runtime reach too. */
const MORE: Habits = [
  ['says COMPLETE without its rows', 'record_count_mismatch', 'source'],
  ['breaks off in a line', 'output_truncated', 'source'],
  ['tells a state for all streams beside its own', 'state_types_mixed', 'source'],
  ['forks without end', 'connector_processes_exhausted', 'platform'],
];

t.test(
  'whatever a connector does, the run says so by code, origin and hint, and no row is lost or doubled',
  async (t) => {
    const platform = await sharedPlatform(t);
    const api = await platform.as('demo');
    const habit = join(platform.folder, 'habit');
    const body = (more: object = {}) => ({
      ...{ name: 'shop', pattern_id: 'hostile', source_config: { habit, ...more } },
      credential_values: { token: TOKEN },
    });

    await t.test('a configuration that does not fit is refused by its place, without its value', async (t) => {
      const shown = new RegExp(`"[^"]*${REFUSED}[^"]*"(?!:)|: ?${REFUSED}`);
      for (const more of [{ level: REFUSED }, { level: `x${REFUSED}` }, { [`odd${REFUSED}`]: 1 }]) {
        const refused = await api(createSource, { body: body(more) });
        t.equal(refusal(refused), '422 source_config_invalid');
        const { errors, hint } = refused.ok ? {} : refused.problem;
        t.match(errors, [{ pointer: /^\/source_config/, code: String }]);
        t.match(hint, /\w/);
        t.notMatch(JSON.stringify(refused), shown);
      }
    });

    const { source_id } = ok(await api(createSource, { body: body() }));
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    await enableAll(api, source_id, { sync_mode: 'incremental', write_mode: 'append' });
    const rows = async () => {
      const query = { columns: 'id', order: 'id', limit: 500 };
      const { rows } = ok(await api(previewDataset, { params: { dataset_id: platform.bronze('shop__rows') }, query }));
      return rows.map(([id]) => Number(id));
    };
    const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
    const sync = async (how: string) => {
      await writeFile(habit, how);
      return synced(api, source_id);
    };
    t.match(await sync('good'), { status: 'succeeded', rows_written: ROWS });
    let held = ROWS;
    for (const [how, code, origin] of inLane('crashes') ? [...TABLE, ...MORE] : TABLE) {
      await t.test(`one that ${how}`, async (t) => {
        const before = held;
        await writeFile(habit, how);
        const run = await firstFailure(t, api, source_id);
        t.match(run.streams[0]?.failure, { code, origin, detail: /\.$/, hint: /\w/ });
        t.notMatch(JSON.stringify(run), TOKEN);
        held = (await rows()).length;
        t.ok((held - before) % KEPT === 0, 'only whole states are kept');
        t.strictSame(await rows(), upTo(held));
      });
    }
    await t.test('states that are told again, large ones and late ones are states', async (t) => {
      await writeFile(habit, 'tells states twice, large ones, and behind its end');
      const { run_id, workflow_id } = ok(await api(startSync, { params: { source_id } }));
      t.match(await ended(api, source_id, run_id), { status: 'succeeded', rows_written: ROWS });
      held += ROWS;
      t.strictSame(await rows(), upTo(held), 'every row once');
      const connection = await Connection.connect({ address: process.env.WEIR_TEST_TEMPORAL_ADDRESS ?? '' });
      t.teardown(() => connection.close());
      const history = await new Client({ connection }).workflow.getHandle(workflow_id).fetchHistory();
      t.ok(JSON.stringify(history).length < MAX_HISTORY, 'and none of it goes through the workflow');
    });
    t.match(await sync('floods'), { status: 'succeeded', rows_written: ROWS }, 'words beside the rows do no harm');
    t.strictSame(await rows(), upTo(held + ROWS), 'every row once');
  },
);
