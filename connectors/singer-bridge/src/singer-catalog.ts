import type { Catalog, CatalogStream, ConfiguredCatalog, StreamDescriptor } from '@weir/connector-sdk';

/** What discovery of a tap says of a stream, or of one of its fields; `breadcrumb` is empty for the stream itself. */
export type SingerMetadata = {
  readonly breadcrumb: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
};

export type SingerStream = {
  readonly tap_stream_id: string;
  readonly stream?: string;
  readonly schema: { readonly properties?: Readonly<Record<string, unknown>>; readonly [key: string]: unknown };
  readonly key_properties?: readonly string[];
  readonly replication_key?: string;
  readonly replication_method?: string;
  readonly metadata?: readonly SingerMetadata[];
};

export type SingerCatalog = { readonly streams: readonly SingerStream[] };

const FULL_TABLE = 'FULL_TABLE';

/** The catalog that a tap printed, over as many lines as it liked; undefined when it is none. */
export function parseCatalog(text: string): SingerCatalog | undefined {
  try {
    const value = JSON.parse(text) as Partial<SingerCatalog>;
    const isCatalog =
      Array.isArray(value.streams) && value.streams.every((one) => typeof one.tap_stream_id === 'string');
    return isCatalog ? (value as SingerCatalog) : undefined;
  } catch {
    return undefined;
  }
}

const rootOf = ({ metadata = [] }: SingerStream) =>
  metadata.find(({ breadcrumb }) => breadcrumb.length === 0)?.metadata ?? {};

const words = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];

/** The stream's name here. Taps of databases put the schema before the name, and say so. */
export function descriptorOf(stream: SingerStream): StreamDescriptor {
  const schema = rootOf(stream)['schema-name'];
  const name = stream.tap_stream_id;
  if (typeof schema !== 'string' || schema === '' || schema === name) return { name };
  const plain = name.startsWith(`${schema}-`) ? name.slice(schema.length + 1) : name;
  return plain === '' || plain === schema ? { name } : { name: plain, namespace: schema };
}

/** The way of reading that a tap insists on, by its name in Singer; undefined when it can be chosen. */
function forcedMethod(stream: SingerStream): string | undefined {
  const { 'forced-replication-method': method } = rootOf(stream);
  return typeof method === 'string'
    ? method
    : (method as { 'replication-method'?: string } | undefined)?.['replication-method'];
}

function replicationKey(stream: SingerStream): string | undefined {
  const root = rootOf(stream);
  const key = root['replication-key'] ?? stream.replication_key ?? words(root['valid-replication-keys'])[0];
  return typeof key === 'string' ? key : undefined;
}

/** The stream as this protocol describes it. */
export function catalogStream(stream: SingerStream): CatalogStream {
  const root = rootOf(stream);
  const [forced, cursor] = [forcedMethod(stream), replicationKey(stream)];
  const keys = words(root['table-key-properties'] ?? stream.key_properties);
  const isIncremental = forced === undefined ? cursor !== undefined : forced !== FULL_TABLE;
  return {
    ...descriptorOf(stream),
    json_schema: { type: 'object', ...stream.schema, properties: stream.schema.properties ?? {} },
    supported_sync_modes: isIncremental ? ['full_refresh', 'incremental'] : ['full_refresh'],
    ...(isIncremental && { source_defined_cursor: true, default_cursor_field: cursor === undefined ? [] : [cursor] }),
    ...(keys.length > 0 && { source_defined_primary_key: keys.map((key) => [key]) }),
  };
}

export const catalogOf = ({ streams }: SingerCatalog): Catalog => ({ streams: streams.map(catalogStream) });

export const keyOf = ({ name, namespace }: StreamDescriptor): string => JSON.stringify([namespace ?? '', name]);

/**
 * The tap's own catalog with the wanted streams selected, every field of them, and the way of reading each. Streams that
 * the tap does not have any more are left out.
 */
export function selected(catalog: SingerCatalog, wanted: ConfiguredCatalog): SingerCatalog {
  const modes = new Map(wanted.streams.map(({ stream, sync_mode }) => [keyOf(stream), sync_mode]));
  const streams = catalog.streams.map((stream): SingerStream => {
    const mode = modes.get(keyOf(descriptorOf(stream)));
    const { metadata = [] } = stream;
    const fields = metadata.filter(({ breadcrumb }) => breadcrumb.length > 0);
    const root = { ...rootOf(stream), selected: mode !== undefined };
    const method = forcedMethod(stream) ?? (mode === 'incremental' ? 'INCREMENTAL' : FULL_TABLE);
    const key = replicationKey(stream);
    const how = { 'replication-method': method, ...(key !== undefined && { 'replication-key': key }) };
    return {
      ...stream,
      // The older of Singer's two ways to select.
      schema: { ...stream.schema, selected: mode !== undefined },
      replication_method: method,
      metadata: [
        { breadcrumb: [], metadata: mode === undefined ? root : { ...root, ...how } },
        ...fields.map(({ breadcrumb, metadata: field }) => ({
          breadcrumb,
          metadata: field.inclusion === 'unsupported' ? field : { ...field, selected: mode !== undefined },
        })),
      ],
    };
  });
  return { streams };
}
