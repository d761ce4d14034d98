import { randomUUID } from 'node:crypto';
import type { LoadedTable } from '../catalog/catalog.ts';
import { nextMetadataLocation, type TableMetadata } from '../metadata/metadata.ts';
import { stringifyExact } from '../metadata/metadata-json.ts';
import { newMetadata } from '../metadata/new-metadata.ts';
import { applyUpdates, meetsRequirement, type TableRequirement, type TableUpdate } from '../metadata/table-update.ts';
import type { TableSchema } from '../schema/types.ts';
import type { FileIO } from '../store/fileio.ts';

/** A request taken apart; `segments` are still percent-encoded. */
export type RestQuestion = {
  readonly method: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
};

type Answer = { readonly status: number; readonly body: unknown };

export type CatalogState = {
  readonly io: FileIO;
  readonly warehouse: string;
  readonly prefix: string;
  readonly manyTables: boolean;
  readonly pageSize: number;
  readonly namespaces: Set<string>;
  readonly tables: Map<string, LoadedTable>;
};

type Change = {
  readonly identifier: { readonly namespace: readonly string[]; readonly name: string };
  readonly requirements: readonly TableRequirement[];
  readonly updates: readonly TableUpdate[];
};

const fault = (status: number, type: string): Answer => ({
  status,
  body: { error: { message: type, type, code: status } },
});
const LEVELS = /%1F/i;
const dotted = (segment: string): string => segment.split(LEVELS).map(decodeURIComponent).join('.');

function configuration({ prefix, manyTables }: CatalogState): Answer {
  const endpoints = ['GET /v1/{prefix}/namespaces/{namespace}/tables/{table}'];
  if (manyTables) endpoints.push('POST /v1/{prefix}/transactions/commit');
  return { status: 200, body: { defaults: {}, overrides: prefix === '' ? {} : { prefix }, endpoints } };
}

async function store(state: CatalogState, metadata: TableMetadata, previous?: string): Promise<LoadedTable> {
  const metadataLocation = nextMetadataLocation(metadata.location, previous);
  await state.io.write(metadataLocation, Buffer.from(stringifyExact(metadata)));
  return { metadataLocation, metadata };
}

const shown = ({ metadataLocation, metadata }: LoadedTable): Answer => ({
  status: 200,
  body: { 'metadata-location': metadataLocation, metadata, config: {} },
});

async function create(state: CatalogState, namespace: string, body: unknown): Promise<Answer> {
  const { name, schema, location, properties } = body as {
    name: string;
    schema: TableSchema;
    location?: string;
    properties?: Record<string, string>;
  };
  if (!state.namespaces.has(namespace)) return fault(404, 'NoSuchNamespaceException');
  const key = `${namespace}.${name}`;
  if (state.tables.has(key)) return fault(409, 'AlreadyExistsException');
  const place = location ?? `${state.warehouse}/${namespace.replaceAll('.', '/')}/${name}-${randomUUID()}`;
  const made = newMetadata({ location: place, fields: schema.fields, properties: properties ?? {} });
  const table = await store(state, made);
  state.tables.set(key, table);
  return shown(table);
}

/** What a careful server refuses of a snapshot: one that does not follow the table's newest, or has no files. */
async function snapshotFault({ io }: CatalogState, { metadata }: LoadedTable, updates: readonly TableUpdate[]) {
  for (const update of updates) {
    if (update.action !== 'add-snapshot') continue;
    const { snapshot } = update;
    const follows = snapshot['sequence-number'] > metadata['last-sequence-number'];
    const known = metadata.snapshots.some((one) => one['snapshot-id'] === snapshot['snapshot-id']);
    const child = snapshot['parent-snapshot-id'] === metadata['current-snapshot-id'];
    if (!follows || known || !child) return fault(400, 'ValidationException');
    if (!(await io.exists(snapshot['manifest-list'] ?? ''))) return fault(400, 'NotFoundException');
  }
  return undefined;
}

async function change(state: CatalogState, changes: readonly Change[]): Promise<Answer> {
  const next: { key: string; table: LoadedTable; metadata: TableMetadata }[] = [];
  for (const { identifier, requirements, updates } of changes) {
    const key = [...identifier.namespace, identifier.name].join('.');
    const table = state.tables.get(key);
    if (table === undefined) return fault(404, 'NoSuchTableException');
    if (!requirements.every((one) => meetsRequirement(table.metadata, one))) return fault(409, 'CommitFailedException');
    const wrong = await snapshotFault(state, table, updates);
    if (wrong !== undefined) return wrong;
    next.push({ key, table, metadata: applyUpdates(table.metadata, updates) });
  }
  const stored = new Map<string, LoadedTable>();
  for (const { key, table, metadata } of next) stored.set(key, await store(state, metadata, table.metadataLocation));
  for (const [key, table] of stored) state.tables.set(key, table);
  const [only] = stored.values();
  return changes.length === 1 && only ? shown(only) : { status: 204, body: undefined };
}

function createNamespace({ namespaces }: CatalogState, body: unknown): Answer {
  const { namespace } = body as { namespace: string[] };
  const name = namespace.join('.');
  const above = namespace.slice(0, -1).join('.');
  if (above !== '' && !namespaces.has(above)) return fault(404, 'NoSuchNamespaceException');
  if (namespaces.has(name)) return fault(409, 'AlreadyExistsException');
  namespaces.add(name);
  return { status: 200, body: { namespace, properties: {} } };
}

function list({ tables, namespaces, pageSize }: CatalogState, namespace: string, query: URLSearchParams): Answer {
  if (!namespaces.has(namespace)) return fault(404, 'NoSuchNamespaceException');
  const names = [...tables.keys()].filter((key) => key.slice(0, key.lastIndexOf('.')) === namespace).sort();
  const from = Number(query.get('pageToken') ?? 0);
  const page = names.slice(from, from + pageSize).map((key) => key.slice(namespace.length + 1));
  const next = from + pageSize < names.length ? String(from + pageSize) : null;
  const identifiers = page.map((name) => ({ namespace: namespace.split('.'), name }));
  return { status: 200, body: { identifiers, 'next-page-token': next } };
}

async function tableAnswer(state: CatalogState, at: { namespace: string; name: string }, question: RestQuestion) {
  const table = state.tables.get(`${at.namespace}.${at.name}`);
  if (question.method === 'POST') return change(state, [question.body as Change]);
  if (table === undefined) return fault(404, 'NoSuchTableException');
  if (question.method === 'GET') return shown(table);
  if (question.method !== 'DELETE') return fault(405, 'UnsupportedOperationException');
  state.tables.delete(`${at.namespace}.${at.name}`);
  return { status: 204, body: undefined };
}

/** What the catalog answers, after it made the change that it was asked for. */
export async function answerTo(state: CatalogState, question: RestQuestion): Promise<Answer> {
  const { method, segments, query, body } = question;
  if (segments[0] !== 'v1') return fault(404, 'NotFoundException');
  if (segments[1] === 'config') return configuration(state);
  const own = state.prefix === '' ? segments.slice(1) : segments.slice(2);
  if (state.prefix !== '' && segments[1] !== state.prefix) return fault(404, 'NotFoundException');
  const [kind, namespace, tables, name] = own;
  if (kind === 'transactions' && state.manyTables) {
    return change(state, (body as { 'table-changes': Change[] })['table-changes']);
  }
  if (kind !== 'namespaces') return fault(404, 'NotFoundException');
  if (namespace === undefined) return createNamespace(state, body);
  if (tables !== 'tables') return fault(404, 'NotFoundException');
  if (name !== undefined) {
    return tableAnswer(state, { namespace: dotted(namespace), name: decodeURIComponent(name) }, question);
  }
  return method === 'POST' ? create(state, dotted(namespace), body) : list(state, dotted(namespace), query);
}
