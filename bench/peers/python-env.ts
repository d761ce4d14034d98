import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { pythonWith } from '../../test/python.ts';

/** What each peer is installed from, all from PyPI and pinned; each in an environment of its own in the tool cache. */
export const PEER_REQUIREMENTS = {
  dlt: ['dlt[parquet]==1.31.0', 'orjson==3.13.0'],
  'dlt-postgres': [
    'dlt[parquet,sql-database,pyiceberg]==1.31.0',
    'connectorx==0.4.6',
    'psycopg2-binary==2.9.13',
    'sqlalchemy==2.0.44',
  ],
  airbyte: ['airbyte==0.71.0'],
  faker: ['airbyte-source-faker==7.2.1'],
  sling: ['sling-linux-amd64==1.4.11'],
  duckdb: ['duckdb-cli==1.5.5'],
  iceberg: [
    'pyiceberg[sql-postgres,pyarrow]==0.12.0',
    'duckdb==1.5.5',
    'duckdb-extension-avro==1.5.5',
    'duckdb-extension-httpfs==1.5.5',
    'duckdb-extension-iceberg==1.5.5',
  ],
} as const;

export type PeerName = keyof typeof PEER_REQUIREMENTS;

const EXECUTABLE = 0o755;
const BINARIES: Partial<Record<PeerName, [module: string, file: string]>> = {
  sling: ['sling_linux_amd64', 'bin/sling-linux-amd64'],
  duckdb: ['duckdb_cli', 'duckdb'],
};

/** The program of a peer, installed at the first call: a Python interpreter, or the binary that the package brought. */
export async function peerProgram(name: PeerName): Promise<string> {
  const python = await pythonWith(`bench-${name}`, PEER_REQUIREMENTS[name]);
  const [module, file] = BINARIES[name] ?? [];
  if (module === undefined || file === undefined) return python;
  const find = `import importlib.util as u; print(u.find_spec('${module}').submodule_search_locations[0])`;
  const { stdout } = await promisify(execFile)(python, ['-c', find]);
  const binary = path.join(stdout.trim(), file);
  if (((await stat(binary)).mode & EXECUTABLE) !== EXECUTABLE) await chmod(binary, EXECUTABLE);
  return binary;
}
