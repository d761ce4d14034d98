import type { Kernel } from '@weir/kernel';
import { type RunInput, tenantOf } from '@weir/work';
import { DiscoveryEntity } from '../../model/discovery/entity.ts';

/** The source of a discovery, for its log lines; a configuration that is no source yet has none. */
export function discoveredSource(kernel: Pick<Kernel, 'tenants' | 'db'>) {
  return async (input: RunInput): Promise<{ source_id?: string | undefined }> => {
    const { db } = kernel;
    const find = db(await tenantOf(kernel, input)).transaction((tx) =>
      tx.findOne(DiscoveryEntity, { runId: input.run_id }),
    );
    return { source_id: (await find)?.sourceId ?? undefined };
  };
}
