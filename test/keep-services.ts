import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SERVICES, type ServiceName } from './service-table.ts';
import { testServices } from './services.ts';
import { SERVICES_FILE, type StandingServices } from './standing-services.ts';

const say = (line: string) => void process.stderr.write(`${line}\n`);
const NAMES = Object.keys(SERVICES) as ServiceName[];

/** `npm run services [name…]`: keeps these services of tests up, all by default, for the `npm test` of this checkout until Ctrl-C. */
async function main(given: readonly string[]): Promise<void> {
  const unknown = given.filter((name) => !NAMES.includes(name as ServiceName));
  if (unknown.length > 0) throw new Error(`unknown service ${unknown.join(', ')}; there are ${NAMES.join(', ')}`);
  const services = testServices(process.env, say);
  const ended = new Promise<void>((resolve) => {
    // Not `once`: a supervisor of servers ends the process when it finds no other listener.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  try {
    const addresses = await services.start(...(given.length > 0 ? (given as ServiceName[]) : NAMES));
    const standing: StandingServices = { pid: process.pid, addresses };
    await mkdir(path.dirname(SERVICES_FILE), { recursive: true });
    await writeFile(SERVICES_FILE, JSON.stringify(standing), { mode: 0o600 });
    say('  services are up; npm test in this checkout uses them. Ctrl-C stops them');
    await ended;
  } finally {
    await rm(SERVICES_FILE, { force: true });
    await services.stop();
  }
}

await main(process.argv.slice(2));
