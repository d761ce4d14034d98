import { canonicalSha256, type Kernel, requireMatch, type TenantTransaction } from '@weir/kernel';
import { kernelProblems, type Output, type Tenant } from '@weir/kernel/contract';
import type { ProducersService, TablesService } from '@weir/plugin-datasets/contract';
import type { DefinitionView, hydrateTransform } from '../../contract.ts';
import { candidateEtag, candidateOf } from '../../model/definition.ts';
import type { TransformRow } from '../../model/entities.ts';
import { needsFullRun } from '../../model/materialization.ts';
import { tableRefOf } from '../../model/output.ts';
import { asSelectProblems } from '../select/select-problem.ts';
import { type ContentDeps, contentOf } from './artifact-of.ts';
import { claimOutput, whereTaken } from './claim-output.ts';
import { type PublishDeps, publishChange } from './publish-change.ts';
import { putInForce } from './put-in-force.ts';
import { foundTransform } from './rows.ts';
import { transformView } from './transform-views.ts';
import { foundVersion } from './versions.ts';

export interface HydrateDeps extends ContentDeps, PublishDeps {
  kernel: Pick<Kernel, 'db' | 'runs' | 'contributions' | 'contributionsFor'>;
  producers: ProducersService;
  tables: Pick<TablesService, 'describe'>;
}

/** Who puts a definition in force, as they have read it. */
interface Asked {
  by: string;
  ifMatch: string | undefined;
  signal: AbortSignal;
}

/** A definition that is to be in force, of a transform as it was read. */
interface Wanted {
  row: TransformRow;
  definition: DefinitionView;
  restoredFrom?: number;
}

type Hydrated = Output<typeof hydrateTransform>;

/** Puts definitions in force, each with its artifact. */
export function hydrateService({ kernel, inputs, selects, tables, producers, events }: HydrateDeps) {
  const { db } = kernel;
  /** Throws `conflict` when the transform was changed meanwhile. */
  const put = async (tenant: Tenant, { by, signal }: Asked, wanted: Wanted): Promise<Hydrated> => {
    const { row: found, definition, restoredFrom } = wanted;
    const { transformId } = found;
    const content = await asSelectProblems(
      () => contentOf({ inputs, selects }, tenant, definition, signal),
      definition.checks,
    );
    const isDivided = definition.partition_by.length > 0;
    const output = isDivided ? await tables.describe(tenant, tableRefOf(definition.output)) : undefined;
    const isDividedOtherwise = output?.partitionBy !== undefined && needsFullRun(definition, output.partitionBy);
    return whereTaken(() =>
      db(tenant).transaction(async (tx) => {
        const row = await foundTransform(tx, transformId, { lock: true });
        if (!isAsRead(row, found)) throw kernelProblems.conflict();
        await claimOutput({ kernel, producers }, tx, { transformId, output: definition.output });
        const artifact = { artifactId: canonicalSha256(content), content };
        const changed = await putInForce(tx, row, { definition, artifact, by, restoredFrom });
        await publishChange({ kernel, events }, tx, changed, 'hydrated');
        const full_run_needed = isDividedOtherwise ? ('partitions_differ' as const) : null;
        return { ...(await transformView(kernel, tx, changed)), artifact: content, full_run_needed };
      }),
    );
  };
  const read = <T>(tenant: Tenant, transformId: string, work: (tx: TenantTransaction, row: TransformRow) => T) =>
    db(tenant).transaction(async (tx) => work(tx, await foundTransform(tx, transformId)));
  return {
    /** Puts the draft in force; without one, what is in force once more, with its inputs as they are now. */
    async hydrate(tenant: Tenant, transformId: string, asked: Asked): Promise<Hydrated> {
      const row = await read(tenant, transformId, (_, found) => found);
      requireMatch(asked.ifMatch, candidateEtag(row));
      return put(tenant, asked, { row, definition: candidateOf(row) });
    },

    /** Puts the definition of a version in force; a draft stays beside it. */
    async restore(tenant: Tenant, transformId: string, version: number, asked: Asked): Promise<Hydrated> {
      const wanted = await read(tenant, transformId, async (tx, row) => {
        requireMatch(asked.ifMatch, String(row.version));
        return { row, definition: (await foundVersion(tx, transformId, version)).definition, restoredFrom: version };
      });
      return put(tenant, asked, wanted);
    },
  };
}

/** Whether the draft and what is in force are those that were read; a name may have changed. */
function isAsRead(row: TransformRow, found: TransformRow): boolean {
  const { currentVersion, artifactId, draftRevision } = found;
  return row.currentVersion === currentVersion && row.artifactId === artifactId && row.draftRevision === draftRevision;
}
