import { canonicalSha256 } from '@weir/documents';
import { type Dialect, dialectOf } from '@weir/json-schemas';
import type { Kernel, Tenant, TenantTransaction } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { schemaProblems } from '../contract/problems.ts';
import type { RegisteredView, RegistrationBody } from '../contract/registry.ts';
import type { Compatibility, SchemaStatus } from '../contract/shapes.ts';
import type { Policy } from '../model/containment/judge.ts';
import { titleOf, wordsOf } from '../model/describe.ts';
import { SchemaVersionEntity, type StoredVerdict, SubjectEntity, type SubjectRow } from '../model/entities.ts';
import type { Node } from '../model/schema/places.ts';
import type { Earlier } from '../model/tasks.ts';
import type { SchemaThreads } from './threads.ts';

export const MAX_SUBJECTS = 2_000;
export const MAX_VERSIONS = 100;

export interface RegistryDeps {
  kernel: Pick<Kernel, 'db'>;
  threads: SchemaThreads;
}

/** What is known of a subject; `versions` in their order. */
interface Known {
  subject: SubjectRow | undefined;
  settings: { compatibility: Compatibility; policy: Policy; metadata: Record<string, string> };
  versions: { version: number; digest: string; status: SchemaStatus; schema: unknown; stored: StoredVerdict }[];
}

/** A registration that has been judged; stored only while the subject is as it was then. */
export interface Planned {
  result: 'created' | 'unchanged' | 'incompatible';
  registered: RegisteredView;
  /** The number of versions that it was judged by. */
  base: number;
  body: RegistrationBody;
  settings: Known['settings'];
  dialect: Dialect;
  status: SchemaStatus;
  /** Of the version that has the schema already. */
  was?: SchemaStatus;
}

/** Reads a subject as the database has it. */
async function knownOf(tx: TenantTransaction, subject: string): Promise<Known> {
  const row = await tx.findOne(SubjectEntity, { subject });
  const rows = row ? await tx.find(SchemaVersionEntity, { subject }, { orderBy: { version: 'asc' } }) : [];
  return {
    subject: row,
    settings: {
      compatibility: row?.compatibility ?? 'BACKWARD',
      policy: row?.policy ?? 'optional_friendly',
      metadata: row?.metadata ?? {},
    },
    versions: rows.map(({ version, digest, status, jsonSchema, verdict }) => ({
      version,
      digest,
      status,
      schema: jsonSchema.schema,
      stored: verdict,
    })),
  };
}

/** Versions that a new one is compared with. */
const comparedOf = ({ versions }: Known): Earlier[] =>
  versions.filter(({ status }) => status !== 'draft').map(({ version, schema }) => ({ version, schema }));

/** Registers schemas: judged first, then stored in one step if nothing has changed meanwhile. */
export function registering({ kernel, threads }: RegistryDeps) {
  const judgeBy = async (known: Known, body: RegistrationBody, at: string, status: SchemaStatus): Promise<Planned> => {
    const { subject, schema, compatibility, policy, metadata, base_version: base } = body;
    const settings = {
      compatibility: compatibility ?? known.settings.compatibility,
      policy: policy ?? known.settings.policy,
      metadata: metadata ?? known.settings.metadata,
    };
    const digest = canonicalSha256(schema);
    const dialect = dialectOf(schema as Node) ?? '2020-12';
    const planned = { base: known.versions.length, body, settings, dialect, status };
    const same = known.versions.find((one) => one.digest === digest);
    if (same !== undefined) {
      const registered = { subject, version: same.version, digest, ...same.stored };
      return { result: 'unchanged', registered, ...planned, was: same.status };
    }
    const latest = known.versions.at(-1)?.version ?? 0;
    if (base !== undefined && base !== latest) throw schemaProblems.versionConflict();
    if (latest >= MAX_VERSIONS) throw schemaProblems.versionLimit({ values: { most: MAX_VERSIONS } });
    const earlier = status === 'draft' ? [] : comparedOf(known);
    const task = {
      kind: 'judge',
      schema,
      earlier,
      compatibility: settings.compatibility,
      policy: settings.policy,
    } as const;
    const { judged } = await threads.run(task, at);
    if (judged === undefined) throw kernelProblems.internal();
    const registered = { subject, version: latest + 1, digest, ...judged };
    const isCompatible = judged.verdict.outcome === 'compatible';
    return { result: isCompatible ? 'created' : 'incompatible', registered, ...planned };
  };

  /** Writes the version; throws `conflict` when the subject has changed since it was judged. */
  const store = async (tx: TenantTransaction, planned: Planned, by: string): Promise<void> => {
    const { registered, body, settings, base, dialect, status } = planned;
    const { subject, version, digest, verdict, changes } = registered;
    const row = await tx.findOne(SubjectEntity, { subject }, { lock: true });
    if ((row?.latest ?? 0) !== base) throw kernelProblems.conflict();
    const now = new Date();
    const title = titleOf(body.schema, subject);
    const head = {
      ...settings,
      latest: version,
      digest,
      dialect,
      title,
      words: wordsOf(body.schema),
      status,
      updatedAt: now,
    };
    if (row === undefined) {
      await assertRoom(tx);
      await tx.insert(SubjectEntity, { subject, ...head, createdAt: now, etag: 1 });
    } else await tx.update(row, { ...head, etag: row.etag + 1 });
    await tx.insert(SchemaVersionEntity, {
      ...{
        subject,
        version,
        digest,
        dialect,
        title,
        status,
        registeredBy: by,
        createdAt: now,
        updatedAt: now,
        etag: 1,
      },
      jsonSchema: { schema: body.schema },
      verdict: { verdict, changes },
    });
  };

  return {
    /** What would come of a registration; nothing is stored. */
    async plan(tenant: Tenant, body: RegistrationBody, at = '/schema', status: SchemaStatus = 'active') {
      const known = await kernel.db(tenant).transaction((tx) => knownOf(tx, body.subject));
      return judgeBy(known, body, at, status);
    },

    /** The same on top of registrations that are not stored yet. */
    async planOn(tenant: Tenant, body: RegistrationBody, at: string, before: readonly Planned[]) {
      const known = await kernel.db(tenant).transaction((tx) => knownOf(tx, body.subject));
      const own = before.filter(({ result, body: { subject } }) => result === 'created' && subject === body.subject);
      for (const { registered, body: earlier, settings, status } of own) {
        const { version, digest, verdict, changes } = registered;
        known.settings = settings;
        known.versions.push({ version, digest, status, schema: earlier.schema, stored: { verdict, changes } });
      }
      return judgeBy(known, body, at, 'active');
    },

    /** Stores what was planned, all or none; throws `conflict` when a subject has changed since. */
    async store(tenant: Tenant, planned: readonly Planned[], by: string): Promise<void> {
      const work = async (tx: TenantTransaction) => {
        for (const one of planned) if (one.result === 'created') await store(tx, one, by);
      };
      await kernel
        .db(tenant)
        .transaction(work)
        .catch((error: Error) => {
          // Two that register the same subject for the first time meet at its key.
          throw error.name === 'UniqueViolation' ? kernelProblems.conflict({ cause: error }) : error;
        });
    },

    known: (tenant: Tenant, subject: string): Promise<Known> =>
      kernel.db(tenant).transaction((tx) => knownOf(tx, subject)),
  };
}

export type Registering = ReturnType<typeof registering>;

async function assertRoom(tx: TenantTransaction): Promise<void> {
  const { rows } = await tx.sql('select count(*)::int as subjects from schemas.subject', []);
  if (Number(rows[0]?.subjects) >= MAX_SUBJECTS) throw schemaProblems.subjectLimit({ values: { most: MAX_SUBJECTS } });
}
