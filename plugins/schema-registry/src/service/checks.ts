import type { Tenant } from '@weir/kernel';
import { type Input, kernelProblems } from '@weir/kernel/contract';
import type { CheckResultView, validateSchema } from '../contract/checks.ts';
import { schemaProblems } from '../contract/problems.ts';
import type { DatasetRows } from './rows.ts';
import type { SchemaThreads } from './threads.ts';

/** Errors that one answer shows. */
const MAX_ERRORS = 200;

type Asked = Input<typeof validateSchema>['body'];

/** Where a schema comes from that a call names. */
export interface SchemaSources {
  subject(tenant: Tenant, subject: string, version?: number): Promise<{ json_schema: unknown }>;
  library(fullId: string): Promise<{ json_schema: unknown }>;
}

export interface CheckDeps {
  threads: SchemaThreads;
  datasets: DatasetRows;
  sources: SchemaSources;
}

const NOTHING = { valid: true, errors: [], truncated: false, checked: 0, truncated_rows: false, columns: [] };

/** Checks schemas and documents. */
export function checkService({ threads, sources, datasets }: CheckDeps) {
  const schemaOf = async (tenant: Tenant, asked: Asked): Promise<unknown> => {
    oneOf(asked, ['schema', 'subject', 'full_id'], 1);
    if (asked.version !== undefined && asked.subject === undefined) throw unclear('/version');
    if (asked.subject !== undefined) return (await sources.subject(tenant, asked.subject, asked.version)).json_schema;
    if (asked.full_id !== undefined) return (await sources.library(asked.full_id)).json_schema;
    return asked.schema;
  };
  const instances = async (
    schema: unknown,
    list: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<CheckResultView> => {
    const task = { kind: 'check', schema, instances: list, most: MAX_ERRORS } as const;
    const { check } = await threads.run(task, '/schema', signal);
    if (check === undefined) throw kernelProblems.internal();
    const errors = check.faults.map(({ index, pointer, keyword, message }) => ({ index, pointer, keyword, message }));
    return { ...NOTHING, valid: check.invalid === 0, errors, truncated: check.truncated, checked: list.length };
  };
  const dataset = async (
    tenant: Tenant,
    schema: unknown,
    id: string,
    signal: AbortSignal,
  ): Promise<CheckResultView> => {
    const { columns, values, more } = await datasets.rows(tenant, id, signal);
    const { table } = await threads.run({ kind: 'table', schema, columns, values }, '/schema', signal);
    if (table === undefined) throw kernelProblems.internal();
    const facts = { valid: table.invalid === 0, checked: table.rows, truncated_rows: more, columns: table.columns };
    return { ...NOTHING, ...facts };
  };
  return {
    instances,

    async byLibrary(fullId: string, asked: Pick<Asked, 'instance' | 'instances'>, signal: AbortSignal) {
      const { json_schema } = await sources.library(fullId);
      oneOf(asked, ['instance', 'instances'], 1);
      return instances(json_schema, asked.instances ?? [asked.instance], signal);
    },

    async check(tenant: Tenant, asked: Asked, signal: AbortSignal): Promise<CheckResultView> {
      const schema = await schemaOf(tenant, asked);
      oneOf(asked, ['instance', 'instances', 'dataset_id'], 0);
      if ('instance' in asked) return instances(schema, [asked.instance], signal);
      if (asked.instances !== undefined) return instances(schema, asked.instances, signal);
      if (asked.dataset_id !== undefined) return dataset(tenant, schema, asked.dataset_id, signal);
      return lint(threads, schema, signal);
    },
  };
}

export type Checks = ReturnType<typeof checkService>;

/** Of a schema that cannot be used the faults are the answer. */
async function lint(threads: SchemaThreads, schema: unknown, signal: AbortSignal): Promise<CheckResultView> {
  try {
    await threads.run({ kind: 'lint', schema }, '', signal);
    return NOTHING;
  } catch (error) {
    const { code, details } = error as ReturnType<typeof schemaProblems.schemaNotSupported>;
    if (code !== schemaProblems.schemaNotSupported.entry.code) throw error;
    const errors = (details.errors ?? []).map(({ pointer, code: keyword, message = '' }) => ({
      index: null,
      pointer,
      keyword,
      message,
    }));
    return { ...NOTHING, valid: false, errors };
  }
}

const unclear = (...pointers: string[]) =>
  schemaProblems.sourceUnclear({ errors: pointers.map((pointer) => ({ pointer, code: 'choose_one' })) });

function oneOf(asked: Asked, names: readonly (keyof Asked)[], least: number): void {
  const given = names.filter((name) => Object.hasOwn(asked, name));
  if (given.length > 1 || given.length < least)
    throw unclear(...(given.length > 1 ? given : names).map((name) => `/${name}`));
}
