import { LakehouseError } from '../error/error.ts';
import { sameSpelling } from '../manifest/match-deletes.ts';
import { completeMetadata } from '../metadata/metadata-versions.ts';
import type { CommitOutcome, LoadedTable, NewTable, RemoteCatalog, TableIdent } from './catalog.ts';
import { NoAnswer, type RestAnswer, type RestCallerOptions, restCaller, unavailable } from './rest-caller.ts';
import { identifierOf, levelsOf, type RestLayout, readLayout, restPaths } from './rest-paths.ts';

export type RestCatalogOptions = RestCallerOptions & {
  /** The catalog's name inside its server: the `warehouse` of the specification. */
  readonly catalogName: string;
};

const OK = { from: 200, to: 299 };
const NOT_FOUND = 404;
const CONFLICT = 409;
const PAGE_SIZE = 500;
/** A listing is given up after so many pages: a server that never ends it is at fault. */
const MAX_PAGES = 10_000;

type Paths = ReturnType<typeof restPaths>;

const isUnavailable = (error: unknown): boolean =>
  error instanceof LakehouseError && error.code === 'store_unavailable';

const isOk = ({ status }: RestAnswer): boolean => status >= OK.from && status <= OK.to;

const refused = ({ status }: RestAnswer): LakehouseError =>
  new LakehouseError('catalog_refused', `The table catalog refuses the request (${status})`);

function asLoaded({ body }: RestAnswer): LoadedTable {
  const { 'metadata-location': metadataLocation, metadata } = (body ?? {}) as Record<string, unknown>;
  if (typeof metadataLocation !== 'string') {
    throw new LakehouseError('metadata_invalid', 'The table catalog names no metadata file');
  }
  return { metadataLocation, metadata: completeMetadata(metadata) };
}

function asPage({ body }: RestAnswer): { names: TableIdent[]; next: string | undefined } {
  const { identifiers, 'next-page-token': next } = (body ?? {}) as Record<string, unknown>;
  const names = Array.isArray(identifiers) ? (identifiers as { namespace: string[]; name: string }[]) : [];
  return {
    names: names.map(({ namespace, name }) => ({ namespace: namespace.join('.'), name })),
    next: typeof next === 'string' && next !== '' ? next : undefined,
  };
}

const byName = (a: TableIdent, b: TableIdent): number => {
  const [left, right] = [JSON.stringify([a.namespace, a.name]), JSON.stringify([b.namespace, b.name])];
  return left < right ? -1 : Number(left > right);
};

/** A namespace and those above it, outermost first. */
const lineage = (namespace: string): string[] =>
  levelsOf(namespace).map((_level, at, all) => all.slice(0, at + 1).join('.'));

/**
 * A table catalog behind the Iceberg REST protocol. Its configuration is read once, at the first request. What reads,
 * and what can be made again without harm, is tried again within bounds; a commit is sent once, as only the table can
 * tell what became of one whose answer was lost.
 */
export function restCatalog({ catalogName, ...server }: RestCatalogOptions): RemoteCatalog {
  const { call, once } = restCaller(server);
  let known: Promise<RestLayout> | undefined;
  const layout = (): Promise<RestLayout> => {
    known ??= call({ method: 'GET', path: `/v1/config?warehouse=${encodeURIComponent(catalogName)}` }).then(
      (answer) => {
        if (!isOk(answer)) throw refused(answer);
        return readLayout(answer.body);
      },
    );
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
  const paths = async () => restPaths(await layout());

  const commit = async (pathOf: (all: Paths) => string, body: object): Promise<CommitOutcome> => {
    try {
      const answer = await once({ method: 'POST', path: pathOf(await paths()), body });
      if (isOk(answer)) return 'committed';
      if (answer.status === CONFLICT) return 'conflict';
      if (answer.status !== NOT_FOUND) throw refused(answer);
      throw new LakehouseError('table_missing', 'The table catalog has no such table');
    } catch (error) {
      if (error instanceof NoAnswer || isUnavailable(error)) return 'unknown';
      throw error;
    }
  };

  const list = async (namespace: string): Promise<TableIdent[]> => {
    const path = (await paths()).tables(namespace);
    const found: TableIdent[] = [];
    let token = '';
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const query = new URLSearchParams({ pageToken: token, pageSize: String(PAGE_SIZE) });
      const answer = await call({ method: 'GET', path: `${path}?${query}` });
      if (answer.status === NOT_FOUND) return [];
      if (!isOk(answer)) throw refused(answer);
      const { names, next } = asPage(answer);
      found.push(...names);
      if (next === undefined) return found;
      token = next;
    }
    throw new LakehouseError('metadata_invalid', 'The table catalog does not end its listing');
  };

  return {
    async loadTable(ident) {
      const answer = await call({ method: 'GET', path: (await paths()).table(ident) });
      if (answer.status === NOT_FOUND) return undefined;
      if (!isOk(answer)) throw refused(answer);
      return asLoaded(answer);
    },

    async createTable(ident, table) {
      const path = (await paths()).tables(ident.namespace);
      const answer = await once({ method: 'POST', path, body: bodyOf(ident, table) }).catch((error) => {
        throw error instanceof NoAnswer ? unavailable(error) : error;
      });
      if (answer.status === CONFLICT) throw new LakehouseError('table_exists', 'A table of this name exists already');
      if (!isOk(answer)) throw refused(answer);
      const made = asLoaded(answer);
      // There are catalogs that answer with the table of that name which they have, as if it had just been made.
      if (table.location !== undefined && sameSpelling(made.metadata.location) !== sameSpelling(table.location)) {
        throw new LakehouseError('table_exists', 'A table of this name lies elsewhere already');
      }
      return made;
    },

    commitTable: (ident, { requirements, updates }) =>
      commit((all) => all.table(ident), { identifier: identifierOf(ident), requirements, updates }),

    commitsManyTables: async () => (await layout()).manyTables,

    commitTables(changes) {
      const tables = changes.map(({ ident, requirements, updates }) => ({
        identifier: identifierOf(ident),
        requirements,
        updates,
      }));
      return commit((all) => all.transactions, { 'table-changes': tables });
    },

    async listTables(namespaces) {
      const found: TableIdent[] = [];
      for (const namespace of namespaces) found.push(...(await list(namespace)));
      return found.sort(byName);
    },

    async ensureNamespace(namespace) {
      const { namespaces } = await paths();
      for (const one of lineage(namespace)) {
        const body = { namespace: levelsOf(one), properties: {} };
        const answer = await call({ method: 'POST', path: namespaces, body });
        if (!isOk(answer) && answer.status !== CONFLICT) throw refused(answer);
      }
    },

    async dropTable(ident) {
      const answer = await call({ method: 'DELETE', path: `${(await paths()).table(ident)}?purgeRequested=false` });
      if (answer.status === NOT_FOUND) return false;
      if (!isOk(answer)) throw refused(answer);
      return true;
    },
  };
}

function bodyOf(ident: TableIdent, { location, schema, partitionSpec, properties }: NewTable): object {
  return {
    name: ident.name,
    schema,
    ...(location !== undefined && { location }),
    ...(partitionSpec !== undefined && { 'partition-spec': partitionSpec }),
    properties: properties ?? {},
    'stage-create': false,
  };
}
