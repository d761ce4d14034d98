import { canonicalJson } from '@weir/kernel';
import type { DefinitionView } from '../contract.ts';
import type { TransformRow } from './entities.ts';

type Columns = Pick<
  TransformRow,
  'sql' | 'output' | 'materialization' | 'key' | 'partitionBy' | 'incremental' | 'checks' | 'origin'
>;

/** The definition in the columns of a transform: that in force, or the draft until one is. */
export const definitionOf = (row: Columns): DefinitionView => ({
  ...{ sql: row.sql, output: row.output, materialization: row.materialization, key: row.key },
  ...{ partition_by: row.partitionBy, incremental: row.incremental ?? null },
  ...{ checks: row.checks, origin: row.origin ?? null },
});

/** A definition as the columns of a transform. */
export const columnsOf = ({ partition_by, ...rest }: DefinitionView): Columns => ({
  ...rest,
  partitionBy: [...partition_by],
});

/** Whether a version is in force. */
export const isInForce = ({ artifactId }: Pick<TransformRow, 'artifactId'>): boolean => Boolean(artifactId);

/** The definition that is saved and not in force. */
export const draftOf = (row: TransformRow): DefinitionView | undefined =>
  isInForce(row) ? (row.draft ?? undefined) : definitionOf(row);

/** What a change adds to, and hydrating puts in force. */
export const candidateOf = (row: TransformRow): DefinitionView => draftOf(row) ?? definitionOf(row);

/** The etag of the draft, or that of the transform where there is none. */
export const candidateEtag = (row: TransformRow): string =>
  String(draftOf(row) === undefined ? row.version : (row.draftRevision ?? row.version));

export const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);

/** The columns of a transform without a draft. */
export const NO_DRAFT = { draft: null, draftRevision: null, draftedBy: null, draftedAt: null } as const;

/** The columns that keep a definition as the draft of a transform; one that is in force already is no draft. */
export function draftColumns(row: TransformRow, next: DefinitionView, { by, now }: { by: string; now: Date }) {
  if (isSame(next, candidateOf(row))) return {};
  const drafted = { draftRevision: row.version + 1, draftedBy: by, draftedAt: now };
  if (!isInForce(row)) return { ...columnsOf(next), ...drafted };
  return isSame(next, definitionOf(row)) ? NO_DRAFT : { draft: next, ...drafted };
}
