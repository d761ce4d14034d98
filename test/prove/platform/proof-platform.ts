import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TestCollector, type TestIssuer, testCollector, testIssuer } from '@weir/kernel/testing';
import pg from 'pg';
import { bringWorkflows } from '../../compiled-workflows.ts';
import { platformEnvironment } from '../../platform.ts';
import type { Look } from '../look.ts';
import type { ProofMode } from '../proof.ts';
import type { SentRequest } from '../search/likely-texts.ts';
import { type Caller, openCaller } from './caller.ts';
import { type Errand, type Identities, type Programs, runErrand, startPrograms } from './programs.ts';
import { type ProofFolder, proofFolder } from './proof-folder.ts';
import { type ProofServices, startServices, TENANTS } from './proof-services.ts';
import type { Stopping } from './stopping.ts';

/** A platform that nobody else uses: servers, programs, a trace collector, an identity provider, one folder. */
export interface ProofPlatform {
  readonly folder: ProofFolder;
  readonly services: ProofServices;
  readonly collector: TestCollector;
  /** What must be undone at the end. */
  readonly stopping: Stopping;
  /** Name of the task queue of sources; it is shown with the figures. */
  readonly queue: string;
  /** Starts API and worker in a mode, on the same data; those of another mode have stopped. */
  start(mode: ProofMode, identities: Identities): Promise<void>;
  /** Runs a program of the checkout to its end as the API would be run in a mode; answers its exit code. */
  errand(mode: ProofMode, errand: Omit<Errand, 'environment'>): Promise<number | undefined>;
  /** Runs the command line as an admin of the tenant; answers its exit code. */
  weir(name: string, words: readonly string[]): Promise<number | undefined>;
  /** Ends API and worker. */
  stopPrograms(): Promise<void>;
  /** Calls the API; every answer is looked through. */
  readonly call: Caller;
  /** One statement as superuser. */
  sql(text: string, params?: unknown[]): Promise<Record<string, unknown>[]>;
}

export interface PlatformOptions {
  /** Looks through the answers of the API. */
  answers: Look;
  /** Told of every request with a body before it is sent. */
  sends(request: SentRequest): void;
  /** Part of the name of the task queue. */
  queue: string;
  stopping: Stopping;
}

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const PATTERNS = fileURLToPath(new URL('../connectors', import.meta.url));
const MINUTES_10 = '600';

/** Starts the servers and prepares what the programs need; none of them runs yet. */
export async function proofPlatform({ answers, sends, queue, stopping }: PlatformOptions): Promise<ProofPlatform> {
  try {
    const folder = await proofFolder();
    stopping.last(() => folder.remove());
    const teardown = { teardown: stopping.finally };
    const [issuer, collector] = [await testIssuer(teardown), await testCollector(teardown)];
    const services = await startServices(stopping, folder);
    const platformFile = await deployment(folder);
    await bringWorkflows(folder.cache);
    const environment = programEnvironment({ folder, issuer, collector, services, queue, platformFile });
    return assemble({ folder, services, collector, stopping, queue }, { issuer, environment, answers, sends });
  } catch (error) {
    await stopping.stop().catch(() => undefined);
    throw error;
  }
}

type Parts = Pick<ProofPlatform, 'folder' | 'services' | 'collector' | 'stopping' | 'queue'>;

function assemble(
  parts: Parts,
  {
    issuer,
    environment,
    ...looks
  }: { issuer: TestIssuer; environment: Record<string, string> } & Pick<PlatformOptions, 'answers' | 'sends'>,
): ProofPlatform {
  const { stopping: ending, folder, services } = parts;
  let programs: Programs | undefined;
  let known: Identities = { api: {}, worker: {} };
  const stopPrograms = async () => {
    const running = programs;
    programs = undefined;
    await running?.stop();
  };
  ending.finally(stopPrograms);
  const client = new pg.Pool({ connectionString: services.databaseUrl, max: 1 });
  // The server is stopped before the files are searched; a session that idles then is told so.
  client.on('error', () => undefined);
  ending.finally(() => client.end());
  return {
    ...parts,
    errand(mode, errand) {
      const env = { ...environment, SOURCE_CREDENTIAL_MODE: mode, ...(mode === 'secret_store' ? known.api : {}) };
      return runErrand(folder, { ...errand, environment: env });
    },
    async weir(name, words) {
      const [tenant] = TENANTS;
      const token = await issuer.userToken({ subject: 'cli', organizations: [tenant], roles: ['admin'] });
      const env = { WEIR_URL: programs?.url ?? '', WEIR_TENANT: tenant, WEIR_TOKEN: token, NO_COLOR: '1' };
      return runErrand(folder, { name, script: 'cli/src/main.ts', words, environment: env });
    },
    async start(mode, identities) {
      known = identities;
      programs = await startPrograms(folder, mode, { ...environment, SOURCE_CREDENTIAL_MODE: mode }, identities);
    },
    stopPrograms,
    call: openCaller({ issuer, ...looks, url: () => programs?.url ?? '' }),
    sql: async (text, params = []) => (await client.query(text, params)).rows,
  };
}

/** The deployment manifest of this repository with the fixture patterns beside the installed ones. */
async function deployment({ root }: ProofFolder): Promise<string> {
  await mkdir(join(root, 'deployment'));
  await symlink(join(REPOSITORY, 'node_modules'), join(root, 'deployment', 'node_modules'));
  const file = join(root, 'deployment', 'platform.json');
  const { default: manifest } = await import('../../../platform.json', { with: { type: 'json' } });
  const installed = manifest.patterns.map((folder) => join(REPOSITORY, folder));
  await writeFile(file, JSON.stringify({ ...manifest, patterns: [...installed, PATTERNS] }));
  return file;
}

interface Known {
  folder: ProofFolder;
  issuer: TestIssuer;
  collector: TestCollector;
  services: ProofServices;
  queue: string;
  platformFile: string;
}

/** As talkative as can be: every level of the log, and every span. */
function programEnvironment({ folder, issuer, collector, services, queue, platformFile }: Known) {
  const { temporal, app } = services;
  return {
    ...platformEnvironment({ database: { name: app.database, app }, issuer, folder: folder.root }),
    ...{ WEIR_PLATFORM: platformFile, WEIR_LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    ...{ WORKFLOW_HOST: '127.0.0.1', WORKFLOW_PORT: String(temporal.port), WORKFLOW_SOURCE_TASK_QUEUE: queue },
    // What it keeps there is looked through like all the rest.
    WEIR_CACHE_DIR: folder.cache,
    ...{ WEIR_CREDENTIAL_KEY_FILE: folder.keyFile, WEIR_SYNC_COMMIT_SECONDS: MINUTES_10 },
  };
}
