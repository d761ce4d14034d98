import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { testPlatform } from '../platform.ts';
import { startServices } from '../services.ts';
import { apiCalls, type Check, type Lane } from './lane.ts';
import { sessionChecks } from './session-checks.ts';
import { REALM, startKeycloak } from './start-keycloak.ts';
import { addLaneClients, tokenChecks } from './token-checks.ts';

const CLI = path.resolve(import.meta.dirname, '../../cli/src/main.ts');
const FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
const USAGE = 2;
const WHAT_WIDTH = 88;

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** Runs `weir` as a process, in a home of its own. */
function commandLine(home: string): Lane['weir'] {
  return async (words, said) => {
    const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: path.join(home, 'config') };
    const child = spawn(process.execPath, [...FLAGS, CLI, ...words.split(' ')], {
      env,
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const out = { stdout: '', stderr: '' };
    child.stdout.on('data', (part) => {
      out.stdout += part;
    });
    child.stderr.on('data', (part) => {
      out.stderr += part;
      said?.(String(part));
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? -1, ...out };
  };
}

/** Runs checks in order and writes a line for each; answers how many failed. */
async function report(checks: readonly Check[], lane: Lane): Promise<number> {
  let failed = 0;
  for (const { what, expected, run } of checks) {
    const seen = await run(lane).catch((error: Error) => `error: ${error.message}`);
    const good = seen === expected;
    if (!good) failed++;
    const tail = good ? seen : `${seen}   expected: ${expected}`;
    process.stdout.write(`${good ? 'ok    ' : 'not ok'}  ${what.padEnd(WHAT_WIDTH)}  ${tail}\n`);
  }
  return failed;
}

const CLIENTS = {
  WEIR_SERVICE_PRINCIPALS: { 'weir-service': { tenants: ['acme'], capabilities: ['source:write'] } },
  WEIR_DELEGATION_CLIENTS: { 'weir-assistant': { tenants: ['acme'], capabilities: [] } },
};

/**
 * `npm run idp -- --keycloak`: the platform with a real Keycloak, whose realm is imported from `realm.json`; a table of
 * what was seen, and exit code 1 when something was not as it should be. Takes minutes.
 */
async function main(args: readonly string[]): Promise<number> {
  if (args.join() !== '--keycloak') {
    say('usage: npm run idp -- --keycloak');
    return USAGE;
  }
  const services = await startServices(process.env, say);
  Object.assign(process.env, services.addresses);
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-idp-'));
  const ends: (() => unknown)[] = [];
  const t = { teardown: (work: () => unknown) => void ends.unshift(work) };
  try {
    const keycloak = await startKeycloak(t, folder, say);
    const { api, database } = await testPlatform(t, folder, {
      IDP_URL: keycloak.url,
      IDP_REALM: REALM,
      IDP_ISSUER: keycloak.issuer,
      IDP_CLIENT_ID: 'weir-cli',
      ...Object.fromEntries(Object.entries(CLIENTS).map(([name, value]) => [name, JSON.stringify(value)])),
    });
    await database.tenant('third');
    await addLaneClients(keycloak);
    const home = path.join(folder, 'home');
    await mkdir(home);
    const lane: Lane = { keycloak, apiUrl: api.url, ...apiCalls(api.url), weir: commandLine(home), home };
    const checks = [...tokenChecks, ...sessionChecks];
    const failed = await report(checks, lane);
    process.stdout.write(`${checks.length - failed} of ${checks.length} as expected\n`);
    return failed === 0 ? 0 : 1;
  } finally {
    for (const end of ends) await end();
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main(process.argv.slice(2));
