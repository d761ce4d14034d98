import { type Access, Closed, problem } from '@weir/kernel/contract';
import t from 'tap';
import { scheduleEndpoints } from '../src/contract.ts';

const access = (permission: string) => ({ role: 'viewer', permission }) as unknown as Access;

t.test('a kind of two words → parameters and members of two words, as any parameter is written', async (t) => {
  const gone = problem({ code: 'gone', status: 409, title: 'Gone', detail: 'It is gone.', hint: 'Make it again.' });
  const routes = scheduleEndpoints({
    ...{
      kind: 'backing-dataset',
      run: 'refresh',
      plugin: 'ontology',
      below: '/backing-datasets',
      cli: 'backing schedule',
    },
    list: { path: '/backing-dataset-schedules', id: 'list_schedules', cli: 'backing schedule list' },
    access: { read: access('a:read'), write: access('a:write'), run: access('a:run') },
    start: { route: 'POST /backing-datasets/{backing_dataset_id}/refresh', location: '/runs/:run_id', errors: [gone] },
  });
  t.equal(routes.put.path, '/backing-datasets/:backing_dataset_id/schedule');
  for (const one of [routes.put, routes.remove, routes.pause, routes.resume, routes.get, routes.trigger])
    t.strictSame(Object.keys((one.params ?? Closed({})).properties), ['backing_dataset_id'], one.id);
  t.ok(Object.keys(routes.list.query?.properties ?? {}).includes('backing_dataset_id'));
  const members = Object.keys(routes.get.response?.properties ?? {});
  t.strictSame(members.slice(0, 2), ['backing_dataset_id', 'backing_dataset_name']);
  t.match(routes.put.summary, 'a backing-dataset');
});
