import type { CallContext, Tenant } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import { listStreams } from '@weir/plugin-sources/contract';
import { schemaProblems } from '../contract/problems.ts';
import type { discoverAndRegister } from '../contract/registry.ts';
import { schemaOfColumns, schemaOfDocuments } from '../model/infer.ts';
import type { DatasetRows } from './rows.ts';
import type { Subjects } from './subjects.ts';

type Asked = Input<typeof discoverAndRegister>['body'];
const KINDS = ['dataset_id', 'source_id', 'sample_documents'] as const;

/** Makes drafts of what is there; streams are asked for as the caller. */
export function discoverService({ datasets, subjects }: { datasets: DatasetRows; subjects: Subjects }) {
  return async (tenant: Tenant, by: string, asked: Asked, call: CallContext['call']) => {
    const { subject, dry_run: isDry = false } = asked;
    const schema = await schemaOf(datasets, tenant, asked, call);
    const body = { subject, schema };
    const planned = isDry
      ? await subjects.plan(tenant, body, '', 'draft')
      : await subjects.register(tenant, by, body, 'draft');
    const { version, digest } = planned.registered;
    const answer = { subject, version, digest, status: planned.was ?? ('draft' as const), json_schema: schema };
    return { answer, isMade: planned.result === 'created' && !isDry };
  };
}

async function schemaOf(datasets: DatasetRows, tenant: Tenant, asked: Asked, call: CallContext['call']) {
  const given = KINDS.filter((name) => asked[name] !== undefined);
  const isStream = asked.source_id !== undefined;
  if (given.length !== 1 || isStream !== (asked.stream !== undefined)) {
    const at = given.length === 1 ? ['stream'] : given.length === 0 ? KINDS : given;
    throw schemaProblems.sourceUnclear({ errors: at.map((name) => ({ pointer: `/${name}`, code: 'choose_one' })) });
  }
  if (asked.sample_documents !== undefined) return schemaOfDocuments(asked.sample_documents, asked.subject);
  if (asked.dataset_id !== undefined)
    return schemaOfColumns(await datasets.columns(tenant, asked.dataset_id), asked.subject);
  return schemaOfStream(asked, call);
}

async function schemaOfStream({ source_id = '', stream = '' }: Asked, call: CallContext['call']) {
  const { status, body } = await call(listStreams, { params: { source_id }, query: { name: stream } });
  const [found] = (status === 200 ? (body as { items: { schema: Record<string, unknown> }[] }) : { items: [] }).items;
  if (found === undefined) throw kernelProblems.notFound();
  return found.schema;
}
