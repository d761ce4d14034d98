import { canonicalJson } from '@weir/documents';
import { type PageOrders, type TenantTransaction, unchanged } from '@weir/kernel';
import { type Input, type Output, type Principal, subjectOf, type Tenant } from '@weir/kernel/contract';
import { ontologyProblems } from '../contract/problems.ts';
import type {
  createEntityTypeVersion,
  differEntityTypeVersions,
  listEntityTypeVersions,
} from '../contract/type-versions.ts';
import { type EntityTypeRow, TypeVersionEntity } from '../model/rows.ts';
import { compareVersions, verdictOf } from '../model/type/compare.ts';
import { labelsOf, typeFingerprint, wholeDocument } from '../model/type/document.ts';
import { documentFaults } from '../model/type/faults.ts';
import { declareType } from './declare-type.ts';
import { foundType, foundVersion, lockTypes, mappedOf, referenceFaults, versionView } from './type-rows.ts';
import { MAX_TYPE_VERSIONS, MAX_TYPES, shortened, type TypeDeps } from './types.ts';

const ORDERS: PageOrders = { orders: { version: 'version' }, first: '-version', id: 'version' };

type GivenVersion = Input<typeof createEntityTypeVersion>['body'];
type StoredVersion = Output<typeof createEntityTypeVersion>;

/** A version that nothing forbids; `isSame` when the newest one says it already. */
interface AdmittedVersion {
  row: EntityTypeRow;
  answer: StoredVersion;
  isSame: boolean;
}

/** Versions of entity types. */
export function versionService({ kernel: { db }, tenants, store }: TypeDeps) {
  return {
    list: (tenant: Tenant, code: string, query: Input<typeof listEntityTypeVersions>['query']) =>
      db(tenant).transaction(async (tx) => {
        const { include, ...request } = query ?? {};
        await foundType(tx, code, { retired: include === 'retired' });
        const { items, next_page_token } = await tx.page(TypeVersionEntity, { code }, request, ORDERS);
        return { items: items.map(versionView), next_page_token, total: null };
      }),

    /** A dry run stores nothing. Throws `entity_type_invalid`, `version_conflict`, `incompatible_version`, `ontology_refused`. */
    async create(tenant: Tenant, principal: Principal, code: string, body: GivenVersion): Promise<StoredVersion> {
      const ontologyTenant = tenants.boundTenant(tenant, principal);
      const errors = documentFaults(body.document, '/document');
      if (errors.length > 0) throw ontologyProblems.entityTypeInvalid({ errors });
      if (body.dry_run === true)
        return db(tenant).transaction(async (tx) => unchanged((await admit(tx, code, body)).answer));
      const document = wholeDocument(body.document);
      await declareType(store, { tenant, ontologyTenant }, async () => {
        const { answer } = await db(tenant).transaction((tx) => admit(tx, code, body));
        return { code, version: answer.version, fingerprint: answer.fingerprint, document };
      });
      return db(tenant).transaction(async (tx) => {
        const { row, answer, isSame } = await admit(tx, code, body);
        const labels = labelsOf(document);
        const now = new Date();
        const counted = { labels, updatedAt: now, etag: row.etag + 1 };
        if (isSame) {
          if (canonicalJson(labels) !== canonicalJson(row.labels)) await tx.update(row, counted);
          return unchanged(answer);
        }
        const { version, fingerprint, verdict, changes } = answer;
        await tx.update(row, {
          version,
          fingerprint,
          propertiesCount: document.properties.length,
          relationships: shortened(document.relationships),
          ...counted,
        });
        const made = { note: body.note ?? null, createdBy: subjectOf(principal), createdAt: now };
        await tx.insert(TypeVersionEntity, { code, version, fingerprint, document, verdict, changes, ...made });
        return answer;
      });
    },

    difference: (
      tenant: Tenant,
      { code, version }: { code: string; version: number },
      { to, include }: NonNullable<Input<typeof differEntityTypeVersions>['query']>,
    ) =>
      db(tenant).transaction(async (tx) => {
        const row = await foundType(tx, code, { retired: include === 'retired' });
        const [from, other] = [await foundVersion(tx, code, version), await foundVersion(tx, code, to ?? row.version)];
        const changes = compareVersions(from.document, other.document);
        return { code, from: from.version, to: other.version, verdict: verdictOf(changes), changes };
      }),
  };
}

/** The version that a document becomes, by what is stored now. */
async function admit(tx: TenantTransaction, code: string, body: GivenVersion): Promise<AdmittedVersion> {
  await lockTypes(tx);
  const row = await foundType(tx, code, { lock: true });
  const document = wholeDocument(body.document);
  const fingerprint = typeFingerprint(document);
  if (fingerprint === row.fingerprint) {
    const answer = { code, version: row.version, fingerprint, verdict: 'compatible' as const, changes: [] };
    return { row, answer, isSame: true };
  }
  if (body.base_version !== row.version)
    throw ontologyProblems.versionConflict({ values: { version: row.version }, members: { version: row.version } });
  const values = { types: MAX_TYPES, versions: MAX_TYPE_VERSIONS };
  if (row.version >= MAX_TYPE_VERSIONS) throw ontologyProblems.entityTypeLimit({ values });
  const faults = await referenceFaults(tx, code, document, '/document');
  if (faults.length > 0) throw ontologyProblems.entityTypeInvalid({ errors: faults });
  const before = await foundVersion(tx, code, row.version);
  const named = body.document.properties.flatMap(({ code: now, renamed_from: was }) =>
    was === undefined ? [] : [[now, was] as const],
  );
  const changes = compareVersions(before.document, document, {
    renamed: new Map(named),
    mapped: await mappedOf(tx, code),
  });
  const verdict = verdictOf(changes);
  if (verdict === 'breaking' && body.allow_breaking !== true && body.dry_run !== true)
    throw ontologyProblems.incompatibleVersion({ members: { changes } });
  return { row, answer: { code, version: row.version + 1, fingerprint, verdict, changes }, isSame: false };
}

export type VersionService = ReturnType<typeof versionService>;
