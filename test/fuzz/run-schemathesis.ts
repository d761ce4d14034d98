import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pythonWith } from '../python.ts';
import { PATIENT_MS } from '../until.ts';
import type { Document } from './with-examples.ts';

const REQUIREMENTS = ['schemathesis==4.32.5'];
const HOOKS = fileURLToPath(new URL('hooks.py', import.meta.url));
/** What each answer is held to. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'ignored_auth',
];

/** The line of `hooks.py` before a call. */
const CALL = /^[A-Z]+ \/\S*$/;

export interface FuzzOptions {
  /** Address of the API. */
  url: string;
  /** The configuration file, as TOML. */
  configuration: string;
  /** What of the API's document is tried, with examples. */
  tried(document: Document): Document;
  /** Folder of the files that sources may read. */
  data: string;
  /** Folder for configuration and reports. */
  folder: string;
  /** Generated requests per operation in the fuzzing phase. */
  examples: number;
  phases: readonly string[];
  seed: number;
  /** Bound of the run in seconds. */
  maxSeconds: number;
  /** Gets the name of each call, such as `GET /api/v1/sources`, before it is made. */
  calling(name: string): void;
}

/** Runs Schemathesis as one caller; answers whether it found nothing, and what it said. */
export async function runSchemathesis(options: FuzzOptions): Promise<{ passed: boolean; said: string }> {
  const python = await pythonWith('schemathesis', REQUIREMENTS);
  const { url, folder } = options;
  await mkdir(folder, { recursive: true });
  const [config, schema] = [path.join(folder, 'schemathesis.toml'), path.join(folder, 'openapi.json')];
  const document = (await (await fetch(new URL('/openapi.json', url))).json()) as Document;
  await writeFile(config, options.configuration, { mode: 0o600 });
  await writeFile(schema, JSON.stringify(options.tried(document)));
  const args = [
    ...['-m', 'schemathesis.cli', '--config-file', config, 'run', schema, '--url', url],
    ...['--checks', CHECKS.join(','), '--phases', options.phases.join(','), '--workers', '1'],
    ...['--max-examples', String(options.examples), '--seed', String(options.seed), '--no-shrink'],
    ...['--max-time', String(options.maxSeconds), '--request-timeout', String(PATIENT_MS / 1_000)],
    ...['--suppress-health-check', 'all'],
    ...['--report', 'junit', '--report-dir', folder, '--no-color', '--warnings', 'off', '--continue-on-failure'],
  ];
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SCHEMATHESIS_HOOKS: HOOKS,
    WEIR_FUZZ_DATA: options.data,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const child = spawn(python, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const parts: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text) => parts.push(text));
  createInterface(child.stderr).on('line', (line) => {
    if (CALL.test(line)) options.calling(line);
    else parts.push(`${line}\n`);
  });
  const [code] = await once(child, 'close');
  return { passed: code === 0, said: parts.join('') };
}
