import { StorageUses } from '@weir/plugin-platform/contract';
import t from 'tap';
import { listDatasets } from '../src/contract.ts';
import { lake } from './kit.ts';

t.test(
  'what a tenant keeps is the bytes of its own tables as they are now; a damaged one counts nothing',
  async (t) => {
    const world = await lake(t);
    const [acme, other] = [await world.tenant('acme'), await world.tenant('other')];
    const [use] = world.kernel.contributions(StorageUses);
    if (use === undefined) throw new Error('nobody counts the tables');
    const kept = (tenant: typeof acme) => world.kernel.db(tenant).transaction((tx) => use(tx));
    t.equal(await kept(acme), 0n);
    await world.land(acme, 'orders', [{ id: 1 }]);
    await world.land(acme, 'orders', [{ id: 2 }]);
    await world.land(acme, 'people', [{ id: 1, name: 'a' }]);
    await world.land(other, 'orders', [{ id: 1 }]);
    const listed = await world.as('acme').call(listDatasets);
    const bytes = listed.ok ? listed.body.items.map(({ total_bytes }) => BigInt(total_bytes ?? -1)) : [];
    t.equal(bytes.length, 2);
    t.equal(
      await kept(acme),
      bytes.reduce((sum, size) => sum + size, 0n),
    );
    t.ok((await kept(other)) > 0n && (await kept(other)) < (await kept(acme)));
    await world.database.peek(
      `update catalog.iceberg_tables set metadata_location = metadata_location || '.gone' where table_namespace = 'bronze.other'`,
    );
    t.equal(await kept(other), 0n);
  },
);
