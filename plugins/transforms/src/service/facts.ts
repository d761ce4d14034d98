import type { Kernel, PageOrders } from '@weir/kernel';
import type { TypedColumn } from '@weir/plugin-datasets/contract';
import type { ArtifactFacts, FactsService, GroupOutcome, TransformFacts } from '../contract.ts';
import { TransformEntity } from '../model/entities.ts';

type ColumnType = TypedColumn['type'];

const BY_NAME: PageOrders = { orders: { name: 'name' }, first: 'name', id: 'transformId' };

const TRANSFORMS = `
select transform_id, name, archived_at is not null as is_archived, output, artifact_id from transforms.transform
where tenant_id = $1 and transform_id = any ($2::uuid[]) order by transform_id`;

// Content is read in parts: a statement may be long.
const ARTIFACTS = `
select artifact_id, content ->> 'output' as output, content -> 'inputs' as inputs, content -> 'columns' as columns,
  coalesce(content -> 'reads', '[]') as reads
from transforms.artifact where tenant_id = $1 and artifact_id = any ($2)`;

const OUTCOMES = `
select step.group_run_id, run.output, run.output_snapshot_id, run.status
from transforms.step join transforms.transform_run run using (tenant_id, run_id)
where step.tenant_id = $1 and step.group_run_id = any ($2::uuid[]) order by step.group_run_id, step.position`;

/** What other plugins may know of transforms. */
export function factsService({ db }: Pick<Kernel, 'db'>): FactsService {
  return {
    async read(tx, { transformIds, artifactIds = [], lock = false }) {
      const own = tx.tenant.tenantId;
      const found = await tx.sql(lock ? `${TRANSFORMS} for share` : TRANSFORMS, [own, [...new Set(transformIds)]]);
      const transforms = found.rows.map(
        (row): TransformFacts => ({
          transformId: String(row.transform_id),
          name: String(row.name),
          output: String(row.output),
          isArchived: row.is_archived === true,
          artifactId: row.artifact_id === null ? null : String(row.artifact_id),
        }),
      );
      const ids = new Set([...artifactIds, ...transforms.flatMap(({ artifactId }) => artifactId ?? [])]);
      const { rows } = await tx.sql(ARTIFACTS, [own, [...ids]]);
      return {
        transforms: new Map(transforms.map((one) => [one.transformId, one])),
        artifacts: new Map(rows.map(artifactOf).map((one) => [one.artifactId, one])),
      };
    },

    search: (tenant, { search, ...request }) =>
      db(tenant).transaction(async (tx) => {
        const like = { $ilike: `%${(search ?? '').replace(/[\\%_]/g, '\\$&')}%` };
        const where = { archivedAt: null, ...(search !== undefined && { $or: [{ name: like }, { output: like }] }) };
        const page = await tx.page(TransformEntity, where, request, BY_NAME);
        const items = page.items.map(({ transformId, name, output, artifactId = null }) => {
          return { transformId, name, output, artifactId, isArchived: false };
        });
        return { ...page, items };
      }),

    async writers(tx, datasetId) {
      const { rows } = await tx.sql(
        'select transform_id from transforms.transform where tenant_id = $1 and lower(output) = lower($2)',
        [tx.tenant.tenantId, datasetId],
      );
      return rows.map(({ transform_id }) => String(transform_id));
    },

    async outcomes(tx, runIds) {
      const { rows } = await tx.sql(OUTCOMES, [tx.tenant.tenantId, runIds]);
      const byRun = Map.groupBy(rows, ({ group_run_id }) => String(group_run_id));
      return new Map([...byRun].map(([runId, steps]) => [runId, outcomeOf(steps)]));
    },
  };
}

function artifactOf(row: Record<string, unknown>): ArtifactFacts {
  const columns = row.columns as { name: string; type: ColumnType }[];
  return {
    artifactId: String(row.artifact_id),
    output: String(row.output),
    inputs: row.inputs as string[],
    columns: columns.map(({ name, type }) => ({ name, type: wordsOf(type) })),
    reads: row.reads as ArtifactFacts['reads'],
  };
}

function outcomeOf(steps: readonly Record<string, unknown>[]): GroupOutcome {
  const having = (wanted: string) => steps.filter(({ status }) => status === wanted).length;
  const published = steps.filter(({ output_snapshot_id }) => output_snapshot_id !== null);
  return {
    total: steps.length,
    succeeded: having('succeeded'),
    skipped: having('skipped'),
    failed: having('failed'),
    outputs: published.map(({ output, output_snapshot_id }) => ({
      dataset_id: String(output),
      snapshot_id: String(output_snapshot_id),
    })),
  };
}

/** A type in the words of the table format, as datasets show their columns. */
function wordsOf(type: ColumnType): string {
  if (typeof type === 'string') return type.replace(/,\s+/g, ',');
  if ('list' in type) return `list<${wordsOf(type.list)}>`;
  if ('map' in type) return `map<${wordsOf(type.map.key)}, ${wordsOf(type.map.value)}>`;
  return `struct<${type.struct.map((field) => `${field.name}: ${wordsOf(field.type)}`).join(', ')}>`;
}
