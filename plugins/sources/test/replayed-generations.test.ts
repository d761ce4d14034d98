import { listQuarantine } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { getStream, resetStream } from '../src/contract.ts';
import { people } from './people-source.ts';
import { ok, synced } from './platform.ts';

t.test('lines of a generation that is gone are not tried again, and the outcome says how many', async (t) => {
  const { api, source_id, stream_id, params, write, set, replayed, rows } = await people(t, 'id,name\n1,Ada\n,Grace\n');
  await set({ enabled: true, write_mode: 'merge', primary_key: [['id']] });
  const first = await synced(api, source_id);
  const { etag } = ok(await api(getStream, { params: { source_id, stream_id } }));
  ok(await api(resetStream, { params: { source_id, stream_id } }, { 'if-match': etag }));
  await write('id,name\n1,Ada\n,Joan\n');
  await synced(api, source_id);
  await set({ write_mode: 'append' });
  t.match((await replayed({ run_id: first.run_id })).outcome, { lines: 0, rows: 0, superseded: 1 });
  t.match((await replayed({})).outcome, { lines: 1, rows: 1, superseded: 1 });
  t.strictSame(await rows(), [
    ['1', 'Ada'],
    [null, 'Joan'],
  ]);
  t.match(ok(await api(listQuarantine, { params })), { total: 1, items: [{ run_id: first.run_id }] });
});
