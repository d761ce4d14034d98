import path from 'node:path';
import { rememberPlace } from '../folder/data-folder.ts';
import type { DevFolder, DevSecrets } from '../folder/folder.ts';
import type { Part } from './part.ts';
import type { Reporter } from './reporter.ts';
import type { Timings } from './timings.ts';

export interface ServiceDeps {
  env: Record<string, string | undefined>;
  folder: DevFolder;
  secrets: DevSecrets;
  report: Reporter;
  timings: Timings;
  /** Takes over a part that runs: it is watched from now on and stopped at the end. */
  keep(part: Part): Promise<void>;
  /** The port to use for a part: that of the last start when it is free. */
  port(name: string): Promise<number>;
}

/** Where the relational store is; `superuserUrl` only when it is the embedded one. */
export interface Database {
  host: string;
  port: number;
  name: string;
  superuserUrl?: string;
  /** Folder of the embedded server; it may lie outside of the data folder. */
  dataDir?: string;
}

const DEFAULT_DB_PORT = 5432;
const DEFAULT_WORKFLOW_PORT = 7233;

/** The relational store: the one that DB_HOST names, else an embedded Postgres. */
export async function startDatabase(deps: ServiceDeps): Promise<Database> {
  const { env, folder, secrets, report, timings, keep, port } = deps;
  const name = env.DB_NAME ?? 'weir';
  if (env.DB_HOST) return { host: env.DB_HOST, port: Number(env.DB_PORT ?? DEFAULT_DB_PORT), name };
  const { startPostgres } = await import('@weir/embedded');
  const started = performance.now();
  const logFile = path.join(folder.logs, 'postgres.log');
  const server = await report.during(
    'relational store',
    startPostgres({
      dataDir: folder.postgres,
      port: await port('postgres'),
      logFile,
      superuserPassword: secrets.superuser,
    }),
  );
  await rememberPlace(folder, server.dataDir);
  await keep({ name: 'postgres', pid: server.pid, logFile, exited: server.exited, stop: () => server.stop() });
  timings.mark('postgres');
  report.done('relational store, table catalog', started);
  return { host: '127.0.0.1', port: server.port, name, superuserUrl: server.url, dataDir: server.dataDir };
}

/** Where the workflow engine is; `ui_url` where it shows pages of its own. */
export interface WorkflowEngine {
  host: string;
  port: number;
  namespace: string;
  ui_url?: string;
}

/** The workflow engine: the one that WORKFLOW_HOST names, else the real development server of Temporal with its pages. */
export async function startWorkflowEngine(deps: ServiceDeps): Promise<WorkflowEngine> {
  const { env, folder, report, timings, keep, port } = deps;
  const namespace = env.WORKFLOW_NAMESPACE ?? 'default';
  if (env.WORKFLOW_HOST) {
    return { host: env.WORKFLOW_HOST, port: Number(env.WORKFLOW_PORT ?? DEFAULT_WORKFLOW_PORT), namespace };
  }
  const { findTemporal, startTemporal } = await import('@weir/embedded');
  const started = performance.now();
  const found = await findTemporal((event) => {
    if (event.state === 'trying' && event.origin !== 'PATH' && event.origin !== 'tool cache') {
      report.begin(`workflow engine: ${event.origin}`);
    }
  });
  timings.mark('parts');
  const logFile = path.join(folder.logs, 'workflow-engine.log');
  const [enginePort, uiPort] = [await port('workflow-engine'), await port('workflow-engine-pages')];
  const server = await report.during(
    'workflow engine',
    startTemporal({ binary: found.binary, dbFile: folder.temporalDb, port: enginePort, uiPort, logFile }),
  );
  await keep({ name: 'workflow-engine', pid: server.pid, logFile, exited: server.exited, stop: () => server.stop() });
  timings.mark('workflow_engine');
  report.done(`workflow engine ${found.version} (${found.origin})`, started);
  const ui_url = `http://127.0.0.1:${uiPort}`;
  return { host: '127.0.0.1', port: server.port, namespace: server.namespace, ui_url };
}

/** Who signs tokens: `issuer` is compared with tokens, `url` is where keys come from. */
export interface Identity {
  issuer: string;
  url: string;
  /** A token of the demo user; undefined with an identity provider that is not ours. */
  token?: () => Promise<string>;
}

/** Whose token the profile of the development server has. */
export const DEMO_USER = 'ada@demo';

/** The identity provider: the one that IDP_URL names, else ours with the demo users. */
export async function startIdentity(deps: ServiceDeps): Promise<Identity> {
  const { env, folder, report, keep, port } = deps;
  if (env.IDP_URL) {
    return { issuer: env.IDP_ISSUER ?? env.IDP_URL, url: env.IDP_URL };
  }
  const { developmentToken, startIdentityProvider } = await import('@weir/embedded');
  const started = performance.now();
  const logFile = path.join(folder.logs, 'identity-provider.log');
  const server = await report.during(
    'identity provider',
    startIdentityProvider({ dataDir: folder.identity, port: await port('identity-provider'), logFile }),
  );
  await keep({ name: 'identity-provider', pid: server.pid, logFile, exited: server.exited, stop: () => server.stop() });
  report.done(`identity provider, demo user ${DEMO_USER}`, started);
  return { issuer: server.issuer, url: server.issuer, token: () => developmentToken(server.issuer, DEMO_USER) };
}
