import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findTemporal, type PostgresBinaries, startPostgres, startTemporal } from '@weir/embedded';
import { serverFolder } from '@weir/embedded/testing';
import * as migrations from '@weir/migrations';
import { templateDatabase } from '../kernel/src/testing/test-database.ts';
import { ENGINE_VARIABLES, MachineUnfit, NO_ENGINES_VARIABLE, startRootful, startRootless } from './engines/index.ts';
import { findObjectStore, startObjectStore } from './object-store.ts';
import { testPython } from './python.ts';
import { findSecretStore, startSecretStore } from './secret-store.ts';

export type TestServices = {
  /**
   * The variables by which a test file finds the services: `WEIR_TEST_DATABASE_URL` (superuser's; a test makes its own
   * database), `WEIR_TEST_TEMPORAL_ADDRESS`, `WEIR_TEST_TEMPORAL_BINARY`, `WEIR_TEST_PYTHON`,
   * `WEIR_TEST_S3_ENDPOINT` with `WEIR_TEST_S3_ACCESS_KEY_ID` and `WEIR_TEST_S3_SECRET_ACCESS_KEY`, an Iceberg REST
   * catalog at `WEIR_TEST_ICEBERG_REST_URI`, `WEIR_TEST_SECRET_STORE_ADDR` with `WEIR_TEST_SECRET_STORE_CACERT` and
   * `WEIR_TEST_SECRET_STORE_TOKEN` (its operator's), `WEIR_TEST_POSTGRES_15_URL` where that release is installed, and
   * `WEIR_TEST_ROOTLESS_SOCKET` with `WEIR_TEST_ROOTFUL_SOCKET`, or `WEIR_TEST_NO_ENGINES` with the reason why not.
   */
  addresses: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

/** The tenant wall is tested on the oldest Postgres that is supported too, where Debian's packages brought it. */
const DEBIAN_15 = '/usr/lib/postgresql/15/bin/initdb';

const COMPILE_WORKFLOWS = fileURLToPath(new URL('compile-workflows.ts', import.meta.url));
const NO_DURABILITY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
/** The workflow engine computes a third less on it, as no write waits for the disk. What it has written outlives its process. */
export const ENGINE_NO_DURABILITY = { journal_mode: 'wal', synchronous: 'off' };
/** A queue of the workflow engine is for a few tasks: in four parts, as it is by default, it costs a third more. */
const ONE_PARTITION = { 'matching.numTaskqueueReadPartitions': 1, 'matching.numTaskqueueWritePartitions': 1 };
/** A source of change data is read from the same servers. */
const CHANGE_DATA = { wal_level: 'logical', max_replication_slots: '40', max_wal_senders: '20' };

/**
 * Starts what a test run needs and `env` does not name yet: Postgres and Temporal's development server without
 * durability, an S3 store, a Python with independent readers, and a secret store and two container engines where they are
 * wanted. Workflows are compiled beside them, which otherwise each of the first workers would do.
 * All data lie in a temporary folder that `stop` removes, in memory where there is plenty. When a start fails, what has
 * been started is stopped again.
 */
export async function startServices(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  { secretStore: withSecretStore = false, engines: withEngines = false } = {},
): Promise<TestServices> {
  const folder = await serverFolder('weir-test-', { inMemory: true });
  const addresses: Record<string, string> = {};
  const started: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    await Promise.allSettled(started.map((service) => service.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  const postgres = async (variable: string, binaries: PostgresBinaries) => {
    const server = await startPostgres({
      dataDir: path.join(folder, `postgres-${binaries}`),
      logFile: path.join(folder, `postgres-${binaries}.log`),
      superuserPassword: 'weir-test',
      settings: { ...NO_DURABILITY, ...CHANGE_DATA },
      binaries,
    });
    started.push(server);
    await templateDatabase(server.url, migrations);
    addresses[variable] = server.url;
    say(`  ✓ Postgres (${binaries}), port ${server.port}`);
  };
  const temporal = async () => {
    const { binary, version, origin } = await findTemporal();
    const [dbFile, logFile] = [path.join(folder, 'temporal.db'), path.join(folder, 'temporal.log')];
    const settings = { pragmas: ENGINE_NO_DURABILITY, dynamicConfig: ONE_PARTITION };
    const server = await startTemporal({ binary, dbFile, logFile, ...settings });
    started.push(server);
    addresses.WEIR_TEST_TEMPORAL_ADDRESS = server.address;
    addresses.WEIR_TEST_TEMPORAL_BINARY = binary;
    say(`  ✓ workflow engine ${version} (${origin}), port ${server.port}`);
  };
  const python = async () => {
    addresses.WEIR_TEST_PYTHON = await testPython();
    say('  ✓ independent readers (PyIceberg, DuckDB for Python)');
  };
  const workflows = async () => {
    // By a process of its own, whose kernel nobody else here needs.
    await promisify(execFile)(process.execPath, [...process.execArgv, COMPILE_WORKFLOWS]);
    say('  ✓ workflows, compiled once for all workers');
  };
  const objectStore = async () => {
    const server = await startObjectStore({
      binary: await findObjectStore(),
      folder: path.join(folder, 'object-store'),
    });
    started.push(server);
    addresses.WEIR_TEST_S3_ENDPOINT = server.endpoint;
    addresses.WEIR_TEST_S3_ACCESS_KEY_ID = server.accessKeyId;
    addresses.WEIR_TEST_S3_SECRET_ACCESS_KEY = server.secretAccessKey;
    addresses.WEIR_TEST_ICEBERG_REST_URI = server.catalogUri;
    say(`  ✓ object store (SeaweedFS), port ${server.port}`);
  };
  const secretStore = async () => {
    const server = await startSecretStore({
      binary: await findSecretStore(),
      folder: path.join(folder, 'secret-store'),
    });
    started.push(server);
    addresses.WEIR_TEST_SECRET_STORE_ADDR = server.address;
    addresses.WEIR_TEST_SECRET_STORE_CACERT = server.caFile;
    addresses.WEIR_TEST_SECRET_STORE_TOKEN = server.token;
    say(`  ✓ secret store (OpenBao), ${server.address}`);
  };
  const engines = async () => {
    for (const start of [startRootless, startRootful]) {
      const engine = await start();
      started.push(engine);
      addresses[ENGINE_VARIABLES[engine.kind]] = engine.socketPath;
    }
    say('  ✓ container engines: rootless, and rootful with user namespaces in a network of its own');
  };
  const enginesIfFit = () =>
    engines().catch((fault: Error) => {
      if (!(fault instanceof MachineUnfit)) throw fault;
      addresses[NO_ENGINES_VARIABLE] = fault.message;
      say(`  - tests on container engines are skipped: ${fault.message}`);
    });
  const outcomes = await Promise.allSettled([
    env.WEIR_TEST_DATABASE_URL ? undefined : postgres('WEIR_TEST_DATABASE_URL', 'embedded'),
    existsSync(DEBIAN_15) ? postgres('WEIR_TEST_POSTGRES_15_URL', 'debian') : undefined,
    env.WEIR_TEST_TEMPORAL_ADDRESS ? undefined : temporal(),
    env.WEIR_TEST_PYTHON ? undefined : python(),
    workflows(),
    env.WEIR_TEST_S3_ENDPOINT ? undefined : objectStore(),
    !withEngines || env[ENGINE_VARIABLES.rootless] || env[NO_ENGINES_VARIABLE] ? undefined : enginesIfFit(),
    !withSecretStore || env.WEIR_TEST_SECRET_STORE_ADDR ? undefined : secretStore(),
  ]);
  const faults = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (faults.length > 0) {
    await stop();
    throw new AggregateError(faults, faults.map((fault) => (fault as Error).message).join('\n'));
  }
  return { addresses, stop };
}
