import { randomUUID } from 'node:crypto';
import type { PinnedRows } from '@weir/lakehouse';
import t from 'tap';
import type { SelectBounds } from '../src/model/select/messages.ts';
import { selectWorld } from './select-kit.ts';

const ROWS = 2_000_000;
const HASTY_MS = 100;

t.test('what a merge of a result into its table may take', async (t) => {
  const { pin, selects } = await selectWorld(t);
  const { schema } = pin.plan as PinnedRows;
  const id = { ...schema, fields: schema.fields.filter(({ name }) => name === 'id') };
  const spec = { 'spec-id': 0, fields: [] };
  const [location = ''] = pin.metadataLocation.split('/metadata/');
  const folder = () => `${location}/data/${randomUUID()}`;
  const run = { sql: `select range as id from range(${ROWS})`, inputs: [], schema: id, store: pin.store };
  const { files } = await selects.run({ ...run, folder: folder() });
  const merging = async (more: Partial<SelectBounds>) => {
    const bounded = await selectWorld(t, more);
    const table = { metadataLocation: pin.metadataLocation, schema, spec, key: ['id'], store: pin.store };
    const signal = new AbortController().signal;
    return bounded.selects.merge({ ...table, batch: files, gone: [], folder: folder(), runId: 'r', signal });
  };

  await t.test('within its bounds → the rows of its keys are replaced', async (t) => {
    t.match(await merging({}), { updated: 3 });
  });
  await t.test('more spilled to disk than it may → spill_full', async (t) => {
    await t.rejects(merging({ memoryMiB: 320, spillMiB: 1 }), { code: 'spill_full' });
  });
  await t.test('longer than it may → query_deadline', async (t) => {
    await t.rejects(merging({ deadlineMs: HASTY_MS }), { code: 'query_deadline' });
  });
});
