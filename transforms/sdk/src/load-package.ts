import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { DocumentFault, strictJson, strictYaml } from '@weir/documents';
import { Ajv, type ValidateFunction } from 'ajv';
import { type CheckTemplate, checkTemplate, namedParameters } from './checks.ts';
import { PatternDocument, type SqlTransformDocument, SqlTransformsDocument } from './documents.ts';
import { type Fault, faultsOf, type ParameterReader, parameterReader } from './parameters.ts';
import { type SqlTemplate, sqlTemplate, TemplateInvalid } from './template.ts';

/** A transform pattern of a package. */
export interface TransformPattern {
  readonly document: PatternDocument;
  readonly version: string;
  readonly docs: string;
  readonly reader: ParameterReader;
  readonly template: SqlTemplate;
  readonly checks: readonly CheckTemplate[];
}

/** A SQL expression over one column, of a package. */
export interface SqlTransform {
  readonly document: SqlTransformDocument;
  readonly version: string;
  readonly reader: ParameterReader;
  readonly template: SqlTemplate;
  readonly statement: SqlTemplate;
}

/** What a folder holds; a fault in one part does not hide the others. */
export interface LoadedPackage {
  /** The name of the folder. */
  readonly name: string;
  readonly pattern?: TransformPattern;
  readonly sqlTransforms: readonly SqlTransform[];
  readonly faults: readonly Fault[];
}

const VERSION = /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/;
const MAX_FILE_BYTES = 1_048_576;
const NO_PARAMETERS = { type: 'object', properties: {}, additionalProperties: false } as const;
const FROM = 'from {{ input | dataset }}';

/** Reads the transform package in a folder. */
export async function loadPackage(folder: string): Promise<LoadedPackage> {
  const faults: Fault[] = [];
  const part = async <T>(pointer: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      faults.push(...(error instanceof Faulty ? error.faults : [{ pointer, ...unreadable(error) }]));
      return undefined;
    }
  };
  const files = await readdir(folder);
  const version = (await part('/package.json', () => packageVersion(folder))) ?? '';
  const [patternFile, listFile] = ['pattern', 'sql-transforms'].map((name) =>
    files.find((file) => file === `${name}.json` || file === `${name}.yaml`),
  );
  if (patternFile === undefined && listFile === undefined) {
    faults.push({ pointer: '/pattern.json', code: 'missing', message: 'is missing, and so is sql-transforms.json' });
  }
  const pattern =
    patternFile && (await part(`/${patternFile}`, () => readPattern(folder, { file: patternFile, version })));
  const sqlTransforms =
    listFile && (await part(`/${listFile}`, () => readSqlTransforms(folder, { file: listFile, version })));
  return {
    name: basename(folder),
    ...(pattern ? { pattern } : {}),
    sqlTransforms: sqlTransforms || [],
    faults,
  };
}

/** Faults of a document, thrown together. */
class Faulty extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super('The document has faults');
    this.faults = faults;
  }
}

const unreadable = (error: unknown) => {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'ENOENT') return { code: 'missing', message: 'is missing' };
  if (error instanceof DocumentFault) return { code: error.code, message: 'cannot be read' };
  if (error instanceof TemplateInvalid) return { code: 'template_invalid', message: error.message };
  return { code: 'unreadable', message: code ?? message ?? 'cannot be read' };
};

async function packageVersion(folder: string): Promise<string> {
  const { version } = (await document(join(folder, 'package.json'))) as { version?: unknown };
  if (typeof version === 'string' && VERSION.test(version)) return version;
  throw new Faulty([{ pointer: '/package.json/version', code: 'pattern', message: 'must be as 1.2.3' }]);
}

interface Part {
  file: string;
  version: string;
}

async function readPattern(folder: string, { file, version }: Part): Promise<TransformPattern> {
  const read = await checked<PatternDocument>(join(folder, file), `/${file}`, PatternDocument);
  const { template = 'template.sql', ...members } = read;
  const reader = readerOf(members.parameters, `/${file}/parameters`);
  for (const member of ['materialization', 'key', 'partition_by', 'incremental'] as const) {
    const name = members[member];
    if (typeof name !== 'string' || !name.startsWith('/') || reader.names.includes(name.slice(1))) continue;
    throw new Faulty([{ pointer: `/${file}/${member}`, code: 'unknown', message: 'names no parameter' }]);
  }
  const checks = await Promise.all(
    (members.checks ?? []).map((check, at) => {
      const pointer = `/${file}/checks/${at}`;
      for (const [member, parameter] of namedParameters(check)) {
        if (reader.names.includes(parameter)) continue;
        throw new Faulty([{ pointer: `${pointer}/${member}`, code: 'unknown', message: 'names no parameter' }]);
      }
      return named(check, pointer, async (document) => checkTemplate(document, reader.names));
    }),
  );
  const text = await named(join(folder, template), `/${template}`, bounded);
  const docs = await named(join(folder, 'README.md'), '/README.md', bounded);
  return {
    ...{ document: read, version, reader, docs: docs.toString(), checks },
    template: await named(text.toString(), `/${template}`, async (sql) => sqlTemplate(sql, reader.names)),
  };
}

async function readSqlTransforms(folder: string, { file, version }: Part): Promise<SqlTransform[]> {
  const schema = SqlTransformsDocument;
  const { sql_transforms: list } = await checked<{ sql_transforms: SqlTransformDocument[] }>(
    join(folder, file),
    `/${file}`,
    schema,
  );
  return Promise.all(
    list.map(async (one, at) => {
      const pointer = `/${file}/sql_transforms/${at}`;
      if (list.findIndex(({ id }) => id === one.id) !== at) {
        throw new Faulty([{ pointer: `${pointer}/id`, code: 'repeated', message: 'is given twice' }]);
      }
      const reader = readerOf(one.parameters ?? NO_PARAMETERS, `${pointer}/parameters`);
      const compile = async (sql: string) => sqlTemplate(sql, ['column', ...reader.names]);
      const template = await named(one.expression, `${pointer}/expression`, compile);
      return { document: one, version, reader, template, statement: sqlTemplate(FROM, ['input']) };
    }),
  );
}

function readerOf(schema: Readonly<Record<string, unknown>>, pointer: string): ParameterReader {
  try {
    return parameterReader(schema);
  } catch (error) {
    throw new Faulty([{ pointer, code: 'not_a_schema', message: (error as Error).message }]);
  }
}

/** Does one thing with one value; what it throws becomes a fault at this place. */
async function named<A, T>(value: A, pointer: string, work: (value: A) => Promise<T>): Promise<T> {
  try {
    return await work(value);
  } catch (error) {
    throw error instanceof Faulty ? error : new Faulty([{ pointer, ...unreadable(error) }]);
  }
}

const validators = new Map<TSchema, ValidateFunction>();

async function checked<T>(path: string, pointer: string, schema: TSchema): Promise<T> {
  const read = await named(path, pointer, document);
  const validate = validators.get(schema) ?? new Ajv({ allErrors: true, validateSchema: false }).compile(schema);
  validators.set(schema, validate);
  if (validate(read)) return read as T;
  throw new Faulty(faultsOf(validate.errors).map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` })));
}

const document = async (path: string): Promise<unknown> =>
  path.endsWith('.yaml') ? strictYaml(await bounded(path)) : strictJson(await bounded(path));

async function bounded(path: string): Promise<Buffer> {
  const content = await readFile(path);
  if (content.byteLength > MAX_FILE_BYTES) throw new Error('is larger than 1 MiB');
  return content;
}
