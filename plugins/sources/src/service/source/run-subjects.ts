import type { Kernel } from '@weir/kernel';
import type { RunSubjects } from '@weir/plugin-runs/contract';
import { DISCOVERY_KIND, REPLAY_KIND, SYNC_KIND, VERIFY_KIND } from '../../model/run-kinds.ts';
import { SourceEntity } from '../../model/source/entity.ts';

/** The names of the sources that runs are about; a discovery of what is no source yet has none. */
export function sourceSubjects({ db }: Pick<Kernel, 'db'>): RunSubjects {
  return {
    subject: 'source',
    kinds: [SYNC_KIND, DISCOVERY_KIND, VERIFY_KIND, REPLAY_KIND].map(({ kind }) => kind),
    async names(tenant, ids) {
      const where = { sourceId: { $in: [...ids] } };
      const rows = await db(tenant).transaction((tx) => tx.find(SourceEntity, where));
      return new Map(rows.map(({ sourceId, name }) => [sourceId, name]));
    },
  };
}
