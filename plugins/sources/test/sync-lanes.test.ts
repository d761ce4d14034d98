import { createServer, type ServerResponse } from 'node:http';
import t from 'tap';
import { until } from '../../../test/until.ts';
import { createSource, getSyncStatus, startSync } from '../src/contract.ts';
import { type Api, discovered, enableAll, ended, ok } from './platform.ts';
import { sharedPlatform } from './shared-platform.ts';

t.test('a sync that has to wait is pending, holds up no other tenant, and goes on by itself', async (t) => {
  const held: ServerResponse[] = [];
  let holds = false;
  const server = createServer((request, answer) => {
    if (holds && request.url === '/slow.csv') held.push(answer);
    else answer.end('id\n1\n');
  });
  const platform = await sharedPlatform(t);
  const port = await platform.listen(server);
  const [acme, globex] = [await platform.as('acme'), await platform.as('globex')];
  const sourceOf = async (api: Api, name: string) => {
    const source_config = { urls: [`http://127.0.0.1:${port}/${name}.csv`], streams: [{ name: 'rows', glob: '**' }] };
    const { source_id } = ok(await api(createSource, { body: { name, pattern_id: 'files', source_config } }));
    t.match(await discovered(api, source_id), { status: 'succeeded' });
    await enableAll(api, source_id, { sync_mode: 'full_refresh', write_mode: 'overwrite' });
    return source_id;
  };
  const quick = await sourceOf(acme, 'quick');
  const other = await sourceOf(globex, 'quick');
  const slow = await sourceOf(acme, 'slow');
  const start = async (api: Api, source_id: string) => ok(await api(startSync, { params: { source_id } })).run_id;

  holds = true;
  const first = await start(acme, slow);
  await until('the slow sync to read', async () => held[0]);
  const second = await start(acme, quick);
  t.match(await ended(globex, other, await start(globex, other)), { status: 'succeeded' }, 'another tenant goes on');
  const { run } = ok(await acme(getSyncStatus, { params: { source_id: quick }, query: { run_id: second } }));
  t.match(run, { status: 'pending' });
  holds = false;
  for (const answer of held) answer.end('id\n1\n');
  t.match(await ended(acme, slow, first), { status: 'succeeded' });
  t.match(await ended(acme, quick, second), { status: 'succeeded', rows_written: 1 });
});
