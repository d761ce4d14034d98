import { canonicalSha256 } from '@weir/documents';
import { dialectOf, isSchema } from '@weir/json-schemas';
import { titleOf, wordsOf } from './describe.ts';
import type { Node } from './schema/places.ts';

/** A library as its file has it. */
export interface LibraryFile {
  library_id: string;
  name: string;
  version: string;
  license: string;
  source: string;
  attribution: string;
  schemas: readonly LibraryFileSchema[];
}

/** What a schema does not say of itself is that of the library. */
export interface LibraryFileSchema {
  domain: string;
  name: string;
  version?: string;
  license?: string;
  attribution?: string;
  json_schema: unknown;
}

/** A row of `schemas.library_schema`. */
export interface LibraryRow {
  domain: string;
  schema_id: string;
  version: string;
  title: string;
  description: string;
  license: string;
  attribution: string;
  dialect: string;
  digest: string;
  properties: number;
  words: string;
  json_schema: string;
}

const LIBRARY_ID = /^(?!search$|schema$|validate$)[a-z][a-z0-9-]{0,39}$/;
const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,99}$/;
const MAX_DESCRIPTION = 500;
const FACTS = ['library_id', 'name', 'version', 'license', 'source', 'attribution'] as const;

/** What is wrong with a library, as places in it; empty when it can be loaded. */
export function libraryFaults(file: unknown): string[] {
  if (!isSchema(file)) return ['/'];
  const missing = FACTS.filter((name) => typeof file[name] !== 'string' || file[name] === '').map((name) => `/${name}`);
  const id = LIBRARY_ID.test(String(file.library_id)) ? [] : ['/library_id'];
  if (!Array.isArray(file.schemas)) return [...missing, '/schemas'];
  const seen = new Set<string>();
  const faulty = file.schemas.flatMap((one, at) => {
    const { domain, name, json_schema } = (isSchema(one) ? one : {}) as Partial<LibraryFileSchema>;
    const key = `${domain}:${name}`;
    const isFine = NAME.test(String(domain)) && NAME.test(String(name)) && isSchema(json_schema) && !seen.has(key);
    seen.add(key);
    return isFine ? [] : [`/schemas/${at}`];
  });
  return [...new Set([...missing, ...id, ...faulty])];
}

/** The rows of a library, and a digest that differs whenever one of them does. */
export function libraryRows(file: LibraryFile): { rows: LibraryRow[]; digest: string } {
  const rows = file.schemas.map((one): LibraryRow => {
    const { domain, name, version = file.version, license = file.license, attribution = file.attribution } = one;
    const schema = one.json_schema as Record<string, unknown>;
    const facts = { domain, schema_id: name, version, license, attribution, title: titleOf(schema, name) };
    const description = typeof schema.description === 'string' ? schema.description.slice(0, MAX_DESCRIPTION) : '';
    const { properties } = schema;
    return {
      ...facts,
      description,
      words: wordsOf(schema),
      properties: memberCount(schema, properties),
      dialect: dialectOf(schema as Node) ?? '2020-12',
      digest: canonicalSha256({ ...facts, schema }),
      json_schema: JSON.stringify(schema),
    };
  });
  const { schemas: _schemas, ...facts } = file;
  return { rows, digest: canonicalSha256({ facts, schemas: rows.map(({ digest }) => digest) }) };
}

/** Members of the schema itself and of those that it is made of. */
function memberCount(schema: Record<string, unknown>, properties: unknown): number {
  const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
  const lists = [properties, ...parts.map((part) => (isSchema(part) ? part.properties : undefined))];
  return new Set(lists.flatMap((list) => (isSchema(list) ? Object.keys(list) : []))).size;
}

/** The kind of NGSI attribute that descriptions of smart data models name. */
export function ngsiTypes(schema: unknown): Record<string, string> | undefined {
  if (!isSchema(schema)) return undefined;
  const parts = Array.isArray(schema.allOf) ? schema.allOf.filter(isSchema) : [];
  const members = [schema, ...parts].flatMap(({ properties }) =>
    isSchema(properties) ? Object.entries(properties) : [],
  );
  const found = members.flatMap(([name, member]) => {
    const kind = isSchema(member) ? member['x-ngsi'] : undefined;
    return isSchema(kind) && typeof kind.type === 'string' ? [[name, kind.type] as const] : [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
