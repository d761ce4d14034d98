import { Refusal } from '@weir/kernel';
import t from 'tap';
import { readCapacities } from '../src/capacity.ts';
import { loadRoles } from '../src/roles.ts';

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
  t.match(roles, [{ door: { role: 'notes' }, plugin: { manifest: { id: 'notes' } }, capacity: { activities: 3 } }]);
  t.equal(roles.length, 1);
});

t.test('roles that are missing, doubled or empty are refused by name, all in one message', async (t) => {
  const platform = platformOf({
    one: { role: 'shared', worker: door('shared') },
    two: { role: 'shared', worker: door('shared') },
    odd: { role: 'odd', worker: { role: 'odd', workflowsPath: '/workflows.js' } },
    liar: { role: 'liar', worker: door('another') },
    bare: { role: 'bare' },
    wordy: { role: 'wordy', worker: { ...door('wordy'), slotMiB: '512' } },
    less: { role: 'less', worker: { ...door('less'), slotMiB: -1 } },
  });
  const wanted = readCapacities(['shared', 'odd', 'liar', 'bare', 'wordy', 'less', 'nobody'], {});
  const error: unknown = await loadRoles(platform, wanted).catch((e) => e);
  t.type(error, Refusal);
  t.strictSame((error as Refusal).faults, [
    'the role shared is brought by both one and two',
    'plugin odd declares role odd but ./worker does not bring it',
    'plugin liar declares role liar but ./worker does not bring it',
    'plugin bare declares role bare but ./worker does not bring it',
    'slotMiB of the role wordy of plugin wordy is no whole number of MiB',
    'slotMiB of the role less of plugin less is no whole number of MiB',
    'no plugin brings the role nobody',
  ]);
});
