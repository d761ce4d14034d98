import type { FilterQuery } from '@mikro-orm/core';
import { type PageOrders, requireMatch, type Tenant, type TenantTransaction } from '@weir/kernel';
import { type Input, kernelProblems, Problem } from '@weir/kernel/contract';
import { schemaProblems } from '../contract/problems.ts';
import type {
  bulkRegister,
  changeSchemaVersion,
  listSchemaVersions,
  listSubjects,
  RegisteredView,
  RegistrationBody,
  SchemaVersionView,
  SubjectView,
} from '../contract/registry.ts';
import type { SchemaStatus } from '../contract/shapes.ts';
import { editsOf } from '../model/describe.ts';
import { SchemaVersionEntity, type SchemaVersionRow, SubjectEntity, type SubjectRow } from '../model/entities.ts';
import type { Planned, Registering, RegistryDeps } from './registry.ts';

const SUBJECT_ORDERS: PageOrders = {
  orders: { subject: 'subject', created_at: 'createdAt', updated_at: 'updatedAt' },
  first: 'subject',
  id: 'subject',
};
const VERSION_ORDERS: PageOrders = { orders: { version: 'version' }, first: '-version', id: 'version' };
/** Times that a registration is judged again because another one came first. */
const ROUNDS = 3;

type BulkItems = Input<typeof bulkRegister>['body'];

/** Subjects and versions of a tenant. */
export function subjectService({ kernel: { db }, threads }: RegistryDeps, registry: Registering) {
  const register = async (tenant: Tenant, by: string, body: RegistrationBody, status: SchemaStatus = 'active') => {
    for (let round = 1; ; round += 1) {
      const planned = await registry.plan(tenant, body, '/schema', status);
      if (planned.result !== 'created') return planned;
      try {
        await registry.store(tenant, [planned], by);
        return planned;
      } catch (error) {
        if (!isConflict(error) || round === ROUNDS) throw error;
      }
    }
  };
  return {
    register,

    /** What a registration would say. */
    plan: registry.plan,

    async bulk(tenant: Tenant, by: string, { items, atomic = false }: BulkItems) {
      const planned: Planned[] = [];
      const answers: BulkAnswer[] = [];
      for (const [index, body] of items.entries()) {
        try {
          const one = await registry.planOn(tenant, body, `/items/${index}/schema`, atomic ? planned : []);
          if (!atomic) await registry.store(tenant, [one], by);
          planned.push(one);
          answers.push(answerOf(index, one));
        } catch (error) {
          answers.push(refusal(index, body.subject, error));
        }
      }
      const isWhole = answers.every(({ result }) => result === 'created' || result === 'unchanged');
      if (atomic && isWhole) await registry.store(tenant, planned, by);
      const stored = atomic && !isWhole ? 0 : planned.filter(({ result }) => result === 'created').length;
      return { stored, items: answers };
    },

    list: (tenant: Tenant, query: Input<typeof listSubjects>['query']) =>
      db(tenant).transaction(async (tx) => {
        const { subject, status, q, ...request } = query ?? {};
        const like = q === undefined ? undefined : { $ilike: `%${q.replace(/[\\%_]/g, '\\$&')}%` };
        const asked = [
          subject === undefined ? [] : [{ subject }],
          status === undefined ? [] : [{ status }],
          like === undefined ? [] : [{ $or: [{ subject: like }, { title: like }] }],
        ];
        const where = { $and: asked.flat() } as FilterQuery<SubjectRow>;
        const page = await tx.page(SubjectEntity, where, request, SUBJECT_ORDERS);
        return { items: page.items.map(subjectView), next_page_token: page.next_page_token, total: null };
      }),

    versions: (tenant: Tenant, subject: string, query: Input<typeof listSchemaVersions>['query']) =>
      db(tenant).transaction(async (tx) => {
        if ((await tx.findOne(SubjectEntity, { subject })) === undefined) throw kernelProblems.notFound();
        const page = await tx.page(SchemaVersionEntity, { subject }, query ?? {}, VERSION_ORDERS);
        return { items: page.items.map(versionView), next_page_token: page.next_page_token, total: null };
      }),

    /** A version with its schema; the newest one without a number. */
    version: (tenant: Tenant, subject: string, version?: number) =>
      db(tenant).transaction(async (tx) => {
        const head = version ?? (await tx.findOne(SubjectEntity, { subject }))?.latest;
        const row = await found(tx, subject, head);
        return { ...versionView(row), json_schema: row.jsonSchema.schema };
      }),

    /** Of a draft that becomes active the verdict is made, by the versions that are not drafts. */
    async change(
      tenant: Tenant,
      { subject, version }: { subject: string; version: number },
      { status, ifMatch }: Input<typeof changeSchemaVersion>['body'] & { ifMatch: string | undefined },
    ): Promise<SchemaVersionView> {
      const known = await registry.known(tenant, subject);
      const one = known.versions.find((candidate) => candidate.version === version);
      if (one === undefined) throw kernelProblems.notFound();
      if (one.status !== status && !NEXT[one.status].includes(status)) throw schemaProblems.statusUnclear();
      const earlier = known.versions.filter((other) => other.status !== 'draft');
      const judged =
        one.status === 'draft' && status === 'active'
          ? (await threads.run({ kind: 'judge', schema: one.schema, earlier, ...known.settings })).judged
          : undefined;
      if (judged !== undefined && judged.verdict.outcome !== 'compatible') throw incompatible({ subject, ...judged });
      return db(tenant).transaction(async (tx) => {
        const head = await tx.findOne(SubjectEntity, { subject }, { lock: true });
        const row = await found(tx, subject, version);
        requireMatch(ifMatch, String(row.etag));
        if (head === undefined || head.latest !== known.versions.at(-1)?.version || row.status !== one.status)
          throw kernelProblems.conflict();
        const now = new Date();
        const changes = { status, updatedAt: now, etag: row.etag + 1, ...(judged && { verdict: judged }) };
        const changed = one.status === status ? row : await tx.update(row, changes);
        if (head.latest === version && head.status !== status)
          await tx.update(head, { status, updatedAt: now, etag: head.etag + 1 });
        return versionView(changed);
      });
    },

    async difference(tenant: Tenant, { subject, version }: { subject: string; version: number }, newer?: number) {
      const known = await registry.known(tenant, subject);
      const to = newer ?? known.versions.at(-1)?.version;
      const [one, other] = [version, to].map((wanted) => known.versions.find((each) => each.version === wanted));
      if (one === undefined || other === undefined) throw kernelProblems.notFound();
      const { policy, compatibility } = known.settings;
      const mode = compatibility === 'NONE' ? 'FULL' : compatibility;
      const task = { kind: 'judge', schema: other.schema, earlier: [one], compatibility: mode, policy } as const;
      const { judged } = await threads.run(task);
      if (judged === undefined) throw kernelProblems.internal();
      return { subject, version, to: other.version, edits: editsOf(one.schema, other.schema), ...judged };
    },

    heads: (tenant: Tenant): Promise<SubjectRow[]> => db(tenant).transaction((tx) => tx.find(SubjectEntity, {})),
  };
}

export type Subjects = ReturnType<typeof subjectService>;

const NEXT: Readonly<Record<SchemaStatus, readonly SchemaStatus[]>> = {
  draft: ['active'],
  active: ['deprecated'],
  deprecated: ['active'],
};

/** The refusal, with the rules as faults and all that is known of them as `changes`. */
export function incompatible({ subject, verdict, changes }: Pick<RegisteredView, 'subject' | 'verdict' | 'changes'>) {
  const errors = changes.map(({ pointer, rule, change }) => ({
    pointer: `/schema${pointer}`,
    code: rule,
    message: change,
  }));
  return schemaProblems.schemaIncompatible({ errors, members: { subject, verdict, changes } });
}

const isConflict = (error: unknown): boolean => error instanceof Problem && error.code === 'conflict';

async function found(tx: TenantTransaction, subject: string, version: number | undefined): Promise<SchemaVersionRow> {
  const row = version === undefined ? undefined : await tx.findOne(SchemaVersionEntity, { subject, version });
  if (row === undefined) throw kernelProblems.notFound();
  return row;
}

interface BulkAnswer extends Pick<RegisteredView, 'subject' | 'changes'> {
  index: number;
  result: Planned['result'] | 'error';
  version: number | null;
  digest: string | null;
  verdict: RegisteredView['verdict'] | null;
  code: string | null;
  detail: string | null;
  errors: { pointer: string; code: string }[];
}

function answerOf(index: number, { result, registered }: Planned): BulkAnswer {
  const refused = result === 'incompatible' ? schemaProblems.schemaIncompatible() : undefined;
  const { version, ...facts } = registered;
  return {
    index,
    result,
    ...facts,
    version: refused === undefined ? version : null,
    code: refused?.code ?? null,
    detail: refused?.message ?? null,
    errors: [],
  };
}

/** A problem of one item; whatever else is thrown fails the call. */
function refusal(index: number, subject: string, error: unknown): BulkAnswer {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  const { code, message: detail, details } = error;
  return {
    index,
    subject,
    result: 'error',
    version: null,
    digest: null,
    verdict: null,
    changes: [],
    code,
    detail,
    errors: (details.errors ?? []).map(({ pointer, code: rule }) => ({ pointer, code: rule })),
  };
}

function subjectView(row: SubjectRow): SubjectView {
  const { subject, latest: version, digest, dialect, title, compatibility, policy, status, metadata } = row;
  return {
    subject,
    version,
    digest,
    dialect,
    title,
    compatibility,
    policy,
    status,
    metadata,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    etag: String(row.etag),
  };
}

function versionView(row: SchemaVersionRow): SchemaVersionView {
  const { subject, version, digest, dialect, title, status, registeredBy } = row;
  return {
    subject,
    version,
    digest,
    dialect,
    title,
    status,
    verdict: row.verdict.verdict,
    registered_by: registeredBy,
    created_at: row.createdAt.toISOString(),
    etag: String(row.etag),
  };
}
