import type { TenantTransaction } from '@weir/kernel';
import type { VersionDocumentView } from '../../contract/documents.ts';
import { EntityTypeEntity, TypeVersionEntity } from '../../model/rows.ts';
import type { Mapping } from '../../model/sync/mapping.ts';

export const indexedIn = ({ properties }: VersionDocumentView): string[] =>
  properties.filter(({ indexed }) => indexed).map(({ code }) => code);

/** The indexed properties of a version of a type; none of one that is not there. */
export async function indexedOf(tx: TenantTransaction, code: string, version: number): Promise<string[]> {
  const found = await tx.findOne(TypeVersionEntity, { code, version });
  return found === undefined ? [] : indexedIn(found.document);
}

/** The keys of types, in their newest versions. */
export async function keysOf(tx: TenantTransaction, codes: readonly string[]): Promise<Mapping['targets']> {
  const types = codes.length === 0 ? [] : await tx.find(EntityTypeEntity, { code: { $in: [...new Set(codes)] } });
  const targets: Record<string, Mapping['targets'][string]> = {};
  for (const { code, version } of types) {
    const found = await tx.findOne(TypeVersionEntity, { code, version });
    const { properties = [], primary_key = [] } = found?.document ?? {};
    targets[code] = primary_key.flatMap((key) => properties.filter((one) => one.code === key));
  }
  return targets;
}
