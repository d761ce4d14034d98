import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { testPlatform } from '../platform.ts';
import { startServices } from '../services.ts';
import { comparisonTable } from './print-comparison.ts';
import { readPlatform } from './read-platform.ts';
import { compareWithSpecification } from './specification.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** `npm run spec`: boots the platform as deployed and prints how much of the specification it has, as Markdown. */
async function main(): Promise<number> {
  const services = await startServices(process.env, (line) => void process.stderr.write(`${line}\n`));
  Object.assign(process.env, services.addresses);
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-spec-'));
  const ends: (() => unknown)[] = [];
  try {
    const world = await testPlatform({ teardown: (work) => void ends.unshift(work) }, folder);
    const comparison = compareWithSpecification(await readPlatform(world, ROOT));
    process.stdout.write(`${comparisonTable(comparison)}\n`);
    return comparison.unplanned.length + comparison.misplaced.length > 0 ? 1 : 0;
  } finally {
    for (const end of ends) await end();
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
