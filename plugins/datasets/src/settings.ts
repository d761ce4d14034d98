import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Refusal, SecretSetting } from '@weir/kernel';
import { parseLocation, type StoreOptions, toLocation } from '@weir/lakehouse';
import { type Folders, foreignFolders } from './store/table-folders.ts';

/** Hours for which files of a run that ended are left alone, twice, unless told. */
const DEFAULT_SWEEP_GRACE_HOURS = 24;
const MAX_SWEEP_GRACE_HOURS = 8_760;

/** Iceberg's own default age, five days. */
const DEFAULT_SNAPSHOT_AGE_HOURS = 120;
const MAX_SNAPSHOT_AGE_HOURS = 87_600;
const DEFAULT_SNAPSHOTS_KEPT = 20;
const MAX_SNAPSHOTS_KEPT = 10_000;
/** Ten GiB. */
const DEFAULT_MAINTENANCE_BYTES = 10 * 2 ** 30;

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

/** Environment variables of the datasets plugin. Those of the service database are declared as the kernel declares them. */
export const datasetSettings = Type.Object({
  DB_HOST: Type.String({ default: '127.0.0.1', description: 'Host of the service database' }),
  DB_PORT: Type.Integer({ minimum: 1, maximum: 65535, default: 5432, description: 'Port of the service database' }),
  DB_NAME: Type.String({ default: 'weir', description: 'Name of the service database' }),
  TABLE_CATALOG: Type.String({
    minLength: 1,
    maxLength: 255,
    default: 'weir',
    description: 'Name of the table catalog',
  }),
  TABLE_CATALOG_URI: Type.Optional(
    Type.String({
      description:
        'Store of the table catalog: `https:` for an Iceberg REST catalog, `postgresql:` or nothing for the service database, and no other',
    }),
  ),
  WEIR_TABLE_CATALOG_TOKEN: Type.Optional(SecretSetting({ description: 'Bearer token for an Iceberg REST catalog' })),
  WEIR_WAREHOUSE: Type.String({
    minLength: 1,
    format: 'folder',
    description: 'Where the tables lie: an absolute path, a file URI, or `s3://<bucket>/<prefix>`',
  }),
  WEIR_FOREIGN_FOLDERS: text(
    'Folders below WEIR_WAREHOUSE in which tables of a tenant may lie beside its own: a JSON object of lists of locations by scope',
  ),
  WEIR_TABLE_CACHE_DIR: Type.Optional(
    Type.String({
      minLength: 1,
      format: 'folder',
      description: 'Folder for local copies of table files in S3; below the folder for temporary files when absent',
    }),
  ),
  OBJECT_STORE_ENDPOINT_URL: text('Base URL of the S3 service; that of the cloud for the region when absent'),
  OBJECT_STORE_ACCESS_KEY_ID: text('Access key of the S3 service'),
  OBJECT_STORE_SECRET_ACCESS_KEY: Type.Optional(SecretSetting({ description: 'Secret of that key' })),
  OBJECT_STORE_REGION: text('Region of the bucket'),
  WEIR_SWEEP_GRACE_HOURS: Type.Integer({
    minimum: 1,
    maximum: MAX_SWEEP_GRACE_HOURS,
    default: DEFAULT_SWEEP_GRACE_HOURS,
    description: 'Hours before files that no commit took are marked, and again before they are removed',
  }),
  WEIR_SNAPSHOT_MAX_AGE_HOURS: Type.Integer({
    minimum: 0,
    maximum: MAX_SNAPSHOT_AGE_HOURS,
    default: DEFAULT_SNAPSHOT_AGE_HOURS,
    description: 'Hours for which every snapshot of a table is kept; 0 keeps all of them for ever',
  }),
  WEIR_SNAPSHOT_MIN_KEPT: Type.Integer({
    minimum: 1,
    maximum: MAX_SNAPSHOTS_KEPT,
    default: DEFAULT_SNAPSHOTS_KEPT,
    description: 'Newest snapshots of a table that are kept whatever their age',
  }),
  WEIR_MAINTENANCE_BYTES_PER_HOUR: Type.Integer({
    minimum: 1,
    default: DEFAULT_MAINTENANCE_BYTES,
    description: 'Bytes that rewrites of the tables of one tenant may read in an hour',
  }),
  WEIR_MAINTENANCE_SLOTS: Type.Integer({
    minimum: 0,
    maximum: 100,
    default: 1,
    description: 'Tables of one tenant that are maintained at one time; 0 maintains none by itself',
  }),
  WEIR_MAINTENANCE_MEMORY_MIB: Type.Integer({
    minimum: 128,
    maximum: 65_536,
    default: 384,
    description: 'Memory in MiB that a rewrite may hold before it spills to disk',
  }),
});

export type DatasetSettings = Static<typeof datasetSettings>;

/** Where table pointers are kept. */
export type CatalogPlace =
  | { readonly kind: 'postgresql' }
  | { readonly kind: 'rest'; readonly uri: string; readonly token: string | undefined };

/** The settings in the forms in which they are used. */
export type CheckedSettings = {
  readonly store: StoreOptions;
  /** The warehouse in the one spelling of locations. */
  readonly warehouse: string;
  readonly catalog: CatalogPlace;
  readonly folders: Folders;
};

const POSTGRES_SCHEMES: readonly string[] = ['postgresql', 'postgres'];
const REST_SCHEMES: readonly string[] = ['http', 'https'];

/** When snapshots expire. */
export const expiryOf = (
  settings: Pick<DatasetSettings, 'WEIR_SNAPSHOT_MAX_AGE_HOURS' | 'WEIR_SNAPSHOT_MIN_KEPT'>,
) => ({
  maxAgeHours: settings.WEIR_SNAPSHOT_MAX_AGE_HOURS,
  minKept: settings.WEIR_SNAPSHOT_MIN_KEPT,
});

/** Checks what a schema cannot: kinds, places, and what belongs together. Throws a `Refusal` with all faults. */
export function checkSettings(settings: Partial<DatasetSettings> & { WEIR_WAREHOUSE: string }): CheckedSettings {
  const faults: string[] = [];
  const catalog = catalogOf(settings, faults);
  const warehouse = warehouseOf(settings.WEIR_WAREHOUSE, faults);
  const s3 = warehouse?.startsWith('s3:') ? s3Of(settings, faults) : undefined;
  const foreign = foreignFolders(settings.WEIR_FOREIGN_FOLDERS, warehouse ?? '', faults);
  if (warehouse === undefined || catalog === undefined || faults.length > 0) {
    throw new Refusal('configuration refused', faults);
  }
  const scratch = settings.WEIR_TABLE_CACHE_DIR ?? join(tmpdir(), 'weir-table-copies');
  return { warehouse, catalog, folders: { warehouse, foreign }, store: { warehouse, scratch, ...(s3 && { s3 }) } };
}

function catalogOf(settings: Partial<DatasetSettings>, faults: string[]): CatalogPlace | undefined {
  const { TABLE_CATALOG_URI: uri, WEIR_TABLE_CATALOG_TOKEN: token } = settings;
  const scheme = (/^([a-z][a-z0-9.-]*)(\+[a-z0-9]+)?:/i.exec(uri ?? '')?.[1] ?? 'no').toLowerCase();
  if (uri !== undefined && REST_SCHEMES.includes(scheme)) {
    if (isBase(uri)) return { kind: 'rest', uri, token: token?.reveal() };
    faults.push('TABLE_CATALOG_URI must be a URL without credentials, query and fragment');
    return undefined;
  }
  if (token !== undefined) faults.push('WEIR_TABLE_CATALOG_TOKEN needs a TABLE_CATALOG_URI of an Iceberg REST catalog');
  if (uri === undefined) return { kind: 'postgresql' };
  if (POSTGRES_SCHEMES.includes(scheme)) {
    if (isServiceDatabase(uri, settings)) return { kind: 'postgresql' };
    faults.push(
      'TABLE_CATALOG_URI names another database than DB_HOST, DB_PORT and DB_NAME; name that one, or remove TABLE_CATALOG_URI',
    );
    return undefined;
  }
  faults.push(`TABLE_CATALOG_URI has the scheme ${scheme}; tables are kept in postgresql, or behind http or https`);
  return undefined;
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]', '::1'];
const POSTGRES_PORT = '5432';

/** Whether a Postgres URI names no other place than the service database; what it leaves out is not another one. */
function isServiceDatabase(uri: string, { DB_HOST, DB_PORT, DB_NAME }: Partial<DatasetSettings>): boolean {
  if (/^[a-z0-9+.-]+:(\/\/)?$/i.test(uri)) return true;
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url === undefined || ['host', 'hostaddr', 'port', 'dbname', 'service'].some((name) => url.searchParams.has(name)))
    return false;
  const oneName = (host: string) => (LOOPBACK.includes(host.toLowerCase()) ? 'localhost' : host.toLowerCase());
  const isHost = url.hostname === '' || oneName(decoded(url.hostname)) === oneName(String(DB_HOST));
  const isPort = url.hostname === '' || (url.port || POSTGRES_PORT) === String(DB_PORT);
  const database = decoded(url.pathname.replace(/^\//, ''));
  return isHost && isPort && (database === '' || database === DB_NAME);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Whether paths can be put behind a URL. Credentials in it would end up in messages. */
function isBase(uri: string): boolean {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  return url !== undefined && `${url.username}${url.password}${url.search}${url.hash}` === '' && !uri.endsWith('?');
}

function warehouseOf(location: string, faults: string[]): string | undefined {
  try {
    const place = parseLocation(location);
    if (place.kind === 'file' || place.key !== '') return toLocation(location);
    faults.push('WEIR_WAREHOUSE names a bucket without a prefix; write s3://<bucket>/<prefix>');
  } catch {
    faults.push('WEIR_WAREHOUSE must be an absolute path, a file URI or s3://<bucket>/<prefix>');
  }
  return undefined;
}

function s3Of(settings: Partial<DatasetSettings>, faults: string[]): StoreOptions['s3'] | undefined {
  const {
    OBJECT_STORE_ENDPOINT_URL: endpoint,
    OBJECT_STORE_REGION: region,
    OBJECT_STORE_ACCESS_KEY_ID: accessKeyId,
    OBJECT_STORE_SECRET_ACCESS_KEY: secret,
  } = settings;
  if (accessKeyId === undefined) faults.push('OBJECT_STORE_ACCESS_KEY_ID is needed by a WEIR_WAREHOUSE in S3');
  if (secret === undefined) faults.push('OBJECT_STORE_SECRET_ACCESS_KEY is needed by a WEIR_WAREHOUSE in S3');
  if (endpoint === undefined && region === undefined) {
    faults.push('OBJECT_STORE_ENDPOINT_URL or OBJECT_STORE_REGION is needed by a WEIR_WAREHOUSE in S3');
  }
  if (endpoint !== undefined && !(/^https?:/i.test(endpoint) && isBase(endpoint))) {
    faults.push('OBJECT_STORE_ENDPOINT_URL must be an http or https URL without credentials, query and fragment');
  }
  if (accessKeyId === undefined || secret === undefined) return undefined;
  return {
    ...{ accessKeyId, secretAccessKey: secret.reveal() },
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
  };
}
