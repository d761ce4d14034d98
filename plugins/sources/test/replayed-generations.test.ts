import { listQuarantine } from '@weir/plugin-datasets/contract';
import t from 'tap';
import { getStream, resetStream } from '../src/contract.ts';
import { params, people, replayed, rowsOf } from './people-source.ts';
import { ok, synced, testPlatform } from './platform.ts';

t.test('lines of a generation that is gone are not tried again, and the outcome says how many', async (t) => {
  const platform = await testPlatform(t);
  const api = await platform.as('demo');
  const { source_id, stream_id, write, set } = await people(platform, api, 'id,name\n1,Ada\n,Grace\n');
  await set({ enabled: true, write_mode: 'merge', primary_key: [['id']] });
  const first = await synced(api, source_id);
  const { etag } = ok(await api(getStream, { params: { source_id, stream_id } }));
  ok(await api(resetStream, { params: { source_id, stream_id } }, { 'if-match': etag }));
  await write('id,name\n1,Ada\n,Joan\n');
  await synced(api, source_id);
  await set({ write_mode: 'append' });
  t.match((await replayed(api, { run_id: first.run_id })).outcome, { lines: 0, rows: 0, superseded: 1 });
  t.match((await replayed(api, {})).outcome, { lines: 1, rows: 1, superseded: 1 });
  t.strictSame(await rowsOf(api), [
    ['1', 'Ada'],
    [null, 'Joan'],
  ]);
  t.match(ok(await api(listQuarantine, { params })), { total: 1, items: [{ run_id: first.run_id }] });
});
