import type { TenantTransaction } from '@weir/kernel';
import type { DefinitionView } from '../../contract.ts';
import type { ArtifactContent } from '../../model/artifact-content.ts';
import { changedWords } from '../../model/changed-words.ts';
import { columnsOf, definitionOf, draftOf, isInForce, isSame, NO_DRAFT } from '../../model/definition.ts';
import { type TransformRow, TransformVersionEntity } from '../../model/entities.ts';

interface Forced {
  definition: DefinitionView;
  artifact: { artifactId: string; content: ArtifactContent };
  by: string;
  restoredFrom: number | undefined;
}

/**
 * Makes a definition that of the transform, with its artifact and, unless both are in force already, as its next
 * version. A draft that says the same goes.
 */
export async function putInForce(tx: TenantTransaction, row: TransformRow, forced: Forced): Promise<TransformRow> {
  const { definition, artifact } = forced;
  const { artifactId } = artifact;
  const now = new Date();
  await keepArtifact(tx, row.transformId, { ...artifact, now });
  const before = isInForce(row) ? definitionOf(row) : undefined;
  const isThere = row.artifactId === artifactId && isSame(before, definition) ? row.currentVersion : undefined;
  const currentVersion = isThere ?? (await addVersion(tx, row, { ...forced, before, now }));
  const draft = draftOf(row);
  const isLeft = draft !== undefined && !isSame(draft, definition);
  return tx.update(row, {
    ...{ ...columnsOf(definition), artifactId, hydratedAt: now, currentVersion },
    ...(isLeft ? { draft } : NO_DRAFT),
    ...{ version: row.version + 1, updatedAt: now },
  });
}

type Added = Forced & { before: DefinitionView | undefined; now: Date };

async function addVersion(tx: TenantTransaction, { transformId }: TransformRow, added: Added): Promise<number> {
  const { rows } = await tx.sql(
    `select coalesce(max(version), 0) + 1 as next from transforms.transform_version
     where tenant_id = $1 and transform_id = $2`,
    [tx.tenant.tenantId, transformId],
  );
  const version = Number(rows[0]?.next);
  const { definition, before, by: createdBy, now: createdAt, restoredFrom = null } = added;
  const isSameWords = before !== undefined && isSame(before, definition);
  const changes = isSameWords ? ['columns of the inputs'] : changedWords(before, definition);
  const { artifactId } = added.artifact;
  const row = { transformId, version, artifactId, definition, changes, restoredFrom, createdBy, createdAt };
  await tx.insert(TransformVersionEntity, row);
  return version;
}

interface Kept {
  artifactId: string;
  content: ArtifactContent;
  now: Date;
}

async function keepArtifact(tx: TenantTransaction, transformId: string, { artifactId, content, now }: Kept) {
  const { tenantId } = tx.tenant;
  await tx.sql(
    `insert into transforms.artifact (tenant_id, artifact_id, runtime, content, created_at)
     values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [tenantId, artifactId, content.runtime, JSON.stringify(content), now],
  );
  await tx.sql(
    `insert into transforms.hydration (tenant_id, transform_id, artifact_id, hydrated_at) values ($1, $2, $3, $4)
     on conflict (tenant_id, transform_id, artifact_id) do update set hydrated_at = excluded.hydrated_at`,
    [tenantId, transformId, artifactId, now],
  );
}
