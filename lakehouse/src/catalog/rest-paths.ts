import type { TableIdent } from './catalog.ts';

/** What the server's configuration says about its paths. */
export type RestLayout = {
  /** The first path segments of all resources; '' when there are none. */
  readonly prefix: string;
  /** What stands between the levels of a namespace in a path, percent-encoded. */
  readonly separator: string;
  /** Whether several tables can be changed in one request. */
  readonly manyTables: boolean;
};

/** The unit separator, which the specification takes unless the server says otherwise. */
const DEFAULT_SEPARATOR = '%1F';
const MANY_TABLES = 'POST /v1/{prefix}/transactions/commit';

type Properties = Readonly<Record<string, unknown>>;
const asProperties = (value: unknown): Properties =>
  typeof value === 'object' && value !== null ? (value as Properties) : {};

/**
 * Reads the answer of `GET /v1/config`. What the server overrides counts before its defaults. The address that it may
 * name for further requests is not followed: ours is the operator's, and the token is meant for that one.
 */
export function readLayout(body: unknown): RestLayout {
  const { defaults, overrides, endpoints } = asProperties(body);
  const merged = { ...asProperties(defaults), ...asProperties(overrides) };
  const text = (name: string): string | undefined =>
    typeof merged[name] === 'string' ? (merged[name] as string) : undefined;
  const prefix = (text('prefix') ?? '').replace(/^\/+|\/+$/g, '');
  return {
    prefix: prefix === '' ? '' : `/${encodeURI(prefix).replaceAll('%25', '%')}`,
    separator: text('namespace-separator') ?? DEFAULT_SEPARATOR,
    manyTables: Array.isArray(endpoints) && endpoints.includes(MANY_TABLES),
  };
}

/** The levels of a dotted namespace, as they stand in bodies. */
export const levelsOf = (namespace: string): string[] => namespace.split('.');

/** A table's name in a body. */
export const identifierOf = ({ namespace, name }: TableIdent) => ({ namespace: levelsOf(namespace), name });

/** Paths of a server's resources, percent-encoded. */
export function restPaths({ prefix, separator }: RestLayout) {
  const namespaces = `/v1${prefix}/namespaces`;
  const namespace = (name: string): string => `${namespaces}/${levelsOf(name).map(encodeURIComponent).join(separator)}`;
  const tables = (name: string): string => `${namespace(name)}/tables`;
  return {
    namespaces,
    namespace,
    tables,
    table: (ident: TableIdent): string => `${tables(ident.namespace)}/${encodeURIComponent(ident.name)}`,
    transactions: `/v1${prefix}/transactions/commit`,
  };
}
