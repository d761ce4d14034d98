import t from 'tap';
import { syncWorld, vehicle } from './sync-kit.ts';

t.test('rows become entities once; a run that finds nothing new is skipped', async (t) => {
  const { land, type, backing, sync, entitiesOf, row } = await syncWorld(t);
  await land([vehicle(1), vehicle(2), vehicle(10)]);
  await type('Vehicle');
  const id = await backing('fleet');
  const first = await sync(id);
  t.match(first, {
    ...{ status: 'succeeded', mode: 'full', replayReason: 'initial', effectiveSpecChanged: false },
    counts: { read: 3, upserted: 3, deleted: 0, unchanged: 0, rejected: 0 },
  });
  t.strictSame(await entitiesOf(), {
    '1': { vin: '1', label: 'n1' },
    '10': { vin: '10', label: 'n10' },
    '2': { vin: '2', label: 'n2' },
  });
  t.match(await row(id), {
    appliedSyncSpecFingerprint: first.attemptedSyncSpecFingerprint,
    appliedSnapshotId: first.snapshotId,
    dirtyRunId: null,
  });
  t.match(await sync(id), { status: 'skipped', mode: 'skip', counts: { read: 0, upserted: 0 } });
});
