import type { RunImage } from '@weir/connector-runtime';
import type { Kernel, Tenant } from '@weir/kernel';
import type { Pattern } from '../../model/pattern/pattern-file.ts';
import { SourceEntity, type SourceRow } from '../../model/source/entity.ts';
import { SyncRunEntity } from '../../model/sync/entity.ts';

/** The image that the next run of a source must be: what was run last under the name that the pattern has now. */
export function pinnedImage({ image }: Pick<SourceRow, 'image'>, reference: string): string | undefined {
  return image?.reference === reference ? image.digest : undefined;
}

/** Notes which image a sync runs, and of which version of its pattern. A source that none was noted for under this name is held to it from now on. */
export async function noteImage(
  kernel: Kernel,
  { tenant, runId, sourceId }: { tenant: Tenant; runId: string; sourceId: string },
  { version, image: reference }: Pick<Pattern, 'version' | 'image'>,
  found: RunImage,
): Promise<void> {
  const image = { reference, ...found };
  await kernel
    .db(tenant)
    .transaction(async (tx) => {
      const run = await tx.findOne(SyncRunEntity, { runId });
      if (run !== undefined) await tx.update(run, { image: { ...image, patternVersion: version } });
      const source = await tx.findOne(SourceEntity, { sourceId }, { lock: true });
      if (source !== undefined && source.image?.reference !== image.reference) await tx.update(source, { image });
    })
    .catch((error: unknown) => kernel.log.warn({ err: error }, 'the image of a sync could not be noted'));
}
