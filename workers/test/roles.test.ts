import { Refusal } from '@weir/kernel';
import t from 'tap';
import { readCapacities } from '../src/process/capacity.ts';
import { roleActivities } from '../src/role/role-activities.ts';
import { loadRoles, type Role } from '../src/role/roles.ts';

type Platform = Parameters<typeof loadRoles>[0];

/** A platform of plugins that each declare the role of their door, as far as roles are looked for. */
function platformOf(plugins: Record<string, { role: string; worker?: unknown }>): Platform {
  const loaded = Object.entries(plugins).map(([id, { role }]) => ({
    manifest: { id, workers: [{ role, entry: './worker' }] },
  }));
  const importDoor: Platform['importDoor'] = async ({ manifest }) => ({ worker: plugins[manifest.id]?.worker });
  return { plugins: loaded as unknown as Platform['plugins'], importDoor };
}

const door = (role: string) => ({ role, workflowsPath: '/workflows.js', activities: () => ({}) });

t.test('the doors of the wanted roles are loaded, and no other', async (t) => {
  const roles = await loadRoles(
    platformOf({
      notes: { role: 'notes', worker: door('notes') },
      other: { role: 'other', worker: 'a door that is not opened' },
    }),
    readCapacities(['notes'], { WORKFLOW_NOTES_MAX_CONCURRENT_ACTIVITIES: '3' }),
  );
  const parts = [{ door: { role: 'notes' }, plugin: { manifest: { id: 'notes' } } }];
  t.match(roles, [{ role: 'notes', parts, capacity: { activities: 3 }, slotMiB: 0 }]);
  t.equal(roles.length, 1);
});

t.test('plugins share a role: one capacity, and the largest slot of them', async (t) => {
  const roles = await loadRoles(
    platformOf({
      one: { role: 'shared', worker: { ...door('shared'), slotMiB: 64 } },
      two: { role: 'shared', worker: door('shared') },
    }),
    readCapacities(['shared'], {}),
  );
  t.match(roles, [{ role: 'shared', slotMiB: 64, capacity: { activities: 8 } }]);
  t.strictSame(
    roles[0]?.parts.map(({ plugin }) => plugin.manifest.id),
    ['one', 'two'],
  );
});

t.test('a role that takes fewer activities by itself → so many, unless a setting says how many', async (t) => {
  const platform = platformOf({
    one: { role: 'heavy', worker: { ...door('heavy'), slots: 3, slotMiB: () => 256 } },
    two: { role: 'heavy', worker: { ...door('heavy'), slots: 2 } },
  });
  const load = (environment: Record<string, string>) =>
    loadRoles(platform, readCapacities(['heavy'], environment), environment);
  t.match(await load({}), [{ slotMiB: 256, capacity: { activities: 2, activityWorkers: 8 } }]);
  t.match(await load({ WORKFLOW_HEAVY_MAX_CONCURRENT_ACTIVITIES: '8' }), [{ capacity: { activities: 8 } }]);
  const none = platformOf({ one: { role: 'heavy', worker: { ...door('heavy'), slots: 0 } } });
  await t.rejects(loadRoles(none, readCapacities(['heavy'], {})), { message: /slots of the role heavy/ });
});

t.test(
  'shared activities pass the gate of the plugin that brings them; a name that two bring is refused',
  async (t) => {
    const part = (id: string, tenancy: 'always' | 'opt-in', activities: object, more: object = {}) => ({
      door: { ...door('shared'), activities: () => activities, ...more },
      plugin: { manifest: { id, tenancy } } as Role['parts'][number]['plugin'],
    });
    const asked: string[] = [];
    const deps = {
      tenants: { byId: async (tenantId: string) => ({ tenantId, alias: 'a', scope: 'a' }) },
      tenantPlugins: { isEnabledNow: async (_: unknown, id: string) => asked.push(id) > 0 },
      log: { warn: () => undefined },
    } as unknown as Parameters<typeof roleActivities>[1];
    const join = (parts: Role['parts']) => roleActivities({ role: 'shared', parts }, deps, () => ({}) as never);
    const { activities, gate } = join([part('one', 'opt-in', { write: 1 }), part('two', 'opt-in', { send: 2 })]);
    t.strictSame(activities, { write: 1, send: 2 });
    await gate('send', { tenant_id: 't' });
    await gate('write', { tenant_id: 't' });
    t.strictSame(asked, ['two', 'one']);
    const exempt = { ungated: ['stop'], inert: ['beat'] };
    const wrong = [part('one', 'always', { end: 1 }), part('two', 'always', { end: 2 }, exempt)];
    const refusal = new Refusal('worker refused', [
      'plugin two exempts stop, which is not an activity of its own',
      'plugin two exempts beat, which is not an activity of its own',
      'both one and two bring the activity end to the role shared',
    ]);
    t.throws(() => join(wrong), refusal);
  },
);
