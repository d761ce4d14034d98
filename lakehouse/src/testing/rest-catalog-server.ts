import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LoadedTable } from '../catalog/catalog.ts';
import { parseExact, stringifyExact } from '../metadata/metadata-json.ts';
import type { FileIO } from '../store/fileio.ts';
import { answerTo, type CatalogState, type RestQuestion } from './rest-catalog-answers.ts';

export type RestCatalogServerOptions = {
  /** Where metadata files are written. */
  readonly io: FileIO;
  /** Location below which tables without a location of their own lie. */
  readonly warehouse: string;
  /** Refuses requests without this bearer token. */
  readonly token?: string;
  /** First path segment of all resources, told by the configuration. */
  readonly prefix?: string;
  /** Whether several tables can be changed in one request, and the configuration says so. */
  readonly manyTables?: boolean;
  /** Tables that are there from the beginning, by `<namespace>.<name>`. */
  readonly tables?: ReadonlyMap<string, LoadedTable>;
  /** Names in one page of a listing. */
  readonly pageSize?: number;
};

export type RestCatalogServer = {
  readonly uri: string;
  /** The tables as they are now, by `<namespace>.<name>`. */
  readonly tables: ReadonlyMap<string, LoadedTable>;
  readonly namespaces: ReadonlySet<string>;
  close(): Promise<void>;
};

const DEFAULT_PAGE_SIZE = 100;

async function questionOf(incoming: IncomingMessage): Promise<RestQuestion> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  return {
    method: incoming.method ?? 'GET',
    segments: url.pathname.split('/').slice(1),
    query: url.searchParams,
    body: text === '' ? undefined : parseExact(text),
  };
}

/**
 * An Iceberg REST catalog in memory, for tests: it holds every requirement, checks what snapshots are added, and makes
 * the changes of one request all or not at all. Its metadata files are real.
 */
export async function startRestCatalog(options: RestCatalogServerOptions): Promise<RestCatalogServer> {
  const state: CatalogState = {
    io: options.io,
    warehouse: options.warehouse,
    prefix: options.prefix ?? '',
    manyTables: options.manyTables ?? false,
    pageSize: options.pageSize ?? DEFAULT_PAGE_SIZE,
    namespaces: new Set([...(options.tables?.keys() ?? [])].map((key) => key.slice(0, key.lastIndexOf('.')))),
    tables: new Map(options.tables),
  };
  // One request after the other: what is checked still holds when it is changed.
  let turn: Promise<unknown> = Promise.resolve();
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const question = await questionOf(incoming);
    const allowed = options.token === undefined || incoming.headers.authorization === `Bearer ${options.token}`;
    const answered = turn.then(() => (allowed ? answerTo(state, question) : { status: 401, body: undefined }));
    turn = answered.catch(() => undefined);
    const { status, body } = await answered;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? '' : stringifyExact(body));
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: Error) => response.writeHead(500).end(JSON.stringify(String(error))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tables: state.tables,
    namespaces: state.namespaces,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
