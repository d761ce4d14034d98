import {
  DEFAULTS,
  MAX_LOOKBACK_SECONDS,
  MAX_NAME_CHARS,
  MAX_PARALLEL_READS,
  MAX_PEM_CHARS,
  MAX_SCHEMAS,
  METHODS,
  SLOT_PATTERN,
  SSL_MODES,
} from './config-schema.ts';
import { fault } from './fault.ts';

export type SslMode = (typeof SSL_MODES)[number];
export type PostgresConfig = {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly username: string;
  readonly password: string;
  readonly sslMode: SslMode;
  readonly sslCa: string | undefined;
  readonly schemas: readonly string[];
  readonly method: (typeof METHODS)[number];
  readonly publication: string;
  readonly slot: string;
  readonly lookbackSeconds: number;
  readonly parallelReads: number;
};

const KEYS: readonly string[] = [
  ...['host', 'port', 'database', 'username', 'password', 'ssl_mode', 'ssl_ca', 'schemas', 'method'],
  ...['publication', 'slot', 'lookback_seconds', 'parallel_reads'],
];
const MAX_HOST_CHARS = 253;
const MAX_PASSWORD_CHARS = 1024;
const MAX_PORT = 65_535;

/** Reads the configuration strictly: `config_invalid` names the key, never the value. */
export function parseConfig(value: unknown): PostgresConfig {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault('config_invalid');
  const config = value as Record<string, unknown>;
  if (Object.keys(config).some((key) => !KEYS.includes(key))) throw fault('config_invalid', 'an unknown key');
  const text = (key: string, otherwise?: string, most = MAX_NAME_CHARS): string => {
    const found = config[key] ?? otherwise;
    const isText = typeof found === 'string' && found !== '' && found.length <= most && !found.includes('\0');
    if (!isText) throw fault('config_invalid', key);
    return found;
  };
  const integer = (key: string, otherwise: number, [least, most]: readonly [number, number]): number => {
    const found = config[key] ?? otherwise;
    if (!Number.isInteger(found) || Number(found) < least || Number(found) > most) throw fault('config_invalid', key);
    return Number(found);
  };
  const oneOf = <T extends string>(key: string, known: readonly T[], otherwise: T): T => {
    const found = known.find((word) => word === (config[key] ?? otherwise));
    if (found === undefined) throw fault('config_invalid', key);
    return found;
  };
  const slot = text('slot', DEFAULTS.slot);
  if (!new RegExp(SLOT_PATTERN).test(slot)) throw fault('config_invalid', 'slot');
  return {
    host: text('host', undefined, MAX_HOST_CHARS),
    port: integer('port', DEFAULTS.port, [1, MAX_PORT]),
    database: text('database'),
    username: text('username'),
    password: text('password', undefined, MAX_PASSWORD_CHARS),
    sslMode: oneOf('ssl_mode', SSL_MODES, DEFAULTS.ssl_mode),
    sslCa: config.ssl_ca === undefined ? undefined : text('ssl_ca', undefined, MAX_PEM_CHARS),
    schemas: schemasOf(config.schemas),
    method: oneOf('method', METHODS, DEFAULTS.method),
    publication: text('publication', DEFAULTS.publication),
    slot,
    lookbackSeconds: integer('lookback_seconds', DEFAULTS.lookback_seconds, [0, MAX_LOOKBACK_SECONDS]),
    parallelReads: integer('parallel_reads', DEFAULTS.parallel_reads, [1, MAX_PARALLEL_READS]),
  };
}

function schemasOf(value: unknown): readonly string[] {
  if (value === undefined) return [DEFAULTS.schema];
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_SCHEMAS;
  const names: unknown[] = isList ? value : [];
  const sound = names.every((name) => typeof name === 'string' && name !== '' && name.length <= MAX_NAME_CHARS);
  if (!isList || !sound || new Set(names).size !== names.length) throw fault('config_invalid', 'schemas');
  return names as string[];
}
