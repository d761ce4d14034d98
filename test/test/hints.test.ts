import { readEvents } from '@weir/plugin-platform/contract';
import { createSource, deleteSource, updateSource } from '@weir/plugin-sources/contract';
import t from 'tap';
import { testPlatform } from '../platform.ts';
import { until } from '../until.ts';

const FOLDER = new URL('../fixtures/shop', import.meta.url).pathname;

t.test('each change of a source is a hint with its new etag, for its own tenant alone', async (t) => {
  const world = await testPlatform(t, t.testdir());
  const who = async (tenant: string) => ({ token: await world.token(tenant), tenant });
  const [acme, other] = [await who('acme'), await who('other')];
  const hintsOf = async (reader: typeof acme, last_event_id: string) => {
    const answer = await world.call(reader, readEvents, { query: { topics: 'source', last_event_id } });
    if (!answer.ok) throw new Error(answer.problem.code);
    return answer.body;
  };
  const begin = await world.call(acme, readEvents, { query: {} });
  const start = begin.ok ? begin.body.last_event_id : '';
  const made = await world.call(acme, createSource, {
    body: { name: 'shop', pattern_id: 'files', source_config: { path: FOLDER } },
  });
  if (!made.ok) throw new Error(made.problem.code);
  const { source_id, etag } = made.body;
  await world.call(acme, updateSource, { params: { source_id }, body: { name: 'store' } });
  await world.call(acme, updateSource, { params: { source_id }, body: { name: 'Not a name' } });
  await world.call(acme, deleteSource, { params: { source_id } });
  const hint = (version: string) => ({ topic: 'source', id: source_id, version });
  // A hint is told once nothing that began before it is under way, whosever it is in this database.
  const items = await until('the hint of the last change', async () => {
    const { items: found } = await hintsOf(acme, start);
    return found.some(({ version }) => version === String(Number(etag) + 2)) && found;
  });
  t.match(items, [hint(etag), hint(String(Number(etag) + 1)), hint(String(Number(etag) + 2))]);
  t.equal(items.length, 3, 'a change that was refused is none');
  t.strictSame((await hintsOf(other, start)).items, []);
});
