import { createRequire } from 'node:module';
import { Ajv, type Options } from 'ajv';
import addFormats from 'ajv-formats';
import { LINEAR } from './compile-schema.ts';
import type { Schema } from './schema-nodes.ts';

/** Few processes need more than one dialect: each is loaded with its first validator. */
const load = createRequire(import.meta.url);

/** The dialects of JSON Schema that are read, the oldest first. */
export const DIALECTS = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12'] as const;
export type Dialect = (typeof DIALECTS)[number];

const URIS: Readonly<Record<string, Dialect>> = {
  'http://json-schema.org/draft-04/schema': 'draft-04',
  'http://json-schema.org/draft-06/schema': 'draft-06',
  'http://json-schema.org/draft-07/schema': 'draft-07',
  'http://json-schema.org/schema': 'draft-07',
  'https://json-schema.org/draft/2019-09/schema': '2019-09',
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
};

/** The dialect that a schema names; the newest one without a name, undefined for one that is not read. */
export function dialectOf(schema: Schema | boolean): Dialect | undefined {
  const named = typeof schema === 'boolean' ? undefined : schema.$schema;
  if (named === undefined) return '2020-12';
  const uri = String(named).replace(/#$/, '');
  return URIS[uri] ?? URIS[uri.replace(/^https:/, 'http:')];
}

/** A validator that knows one dialect. It fetches nothing: a reference that leaves the document throws. Patterns run in linear time. */
export function validatorOf(dialect: Dialect): Ajv {
  const options: Options = {
    strict: false,
    allErrors: true,
    validateFormats: true,
    logger: false,
    addUsedSchema: false,
    code: { regExp: LINEAR },
  };
  const ajv = MAKERS[dialect](options);
  addFormats.default(ajv);
  return ajv;
}

type AjvClass = new (options: Options) => Ajv;

const MAKERS: Readonly<Record<Dialect, (options: Options) => Ajv>> = {
  'draft-04': (options) => new (load('ajv-draft-04') as AjvClass)(options),
  'draft-06': (options) => new Ajv(options).addMetaSchema(load('ajv/dist/refs/json-schema-draft-06.json')),
  'draft-07': (options) => new Ajv(options),
  '2019-09': (options) => new (load('ajv/dist/2019.js') as AjvClass)(options),
  '2020-12': (options) => new (load('ajv/dist/2020.js') as AjvClass)(options),
};
