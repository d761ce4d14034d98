import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startServices } from '../services.ts';
import { fuzzPlatform, succeeded } from './fuzz-platform.ts';

const ALL_PHASES = ['examples', 'coverage', 'fuzzing', 'stateful'];
const WANTED_SHARE = 0.9;

/** `npm run fuzz [-- --examples N --seconds S --seed N --phases a,b]`: all phases of Schemathesis against the platform as deployed. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      examples: { type: 'string', default: '40' },
      seconds: { type: 'string', default: '1200' },
      seed: { type: 'string', default: '1' },
      phases: { type: 'string', default: ALL_PHASES.join(',') },
    },
  });
  const effort = {
    phases: values.phases.split(','),
    examples: Number(values.examples),
    maxSeconds: Number(values.seconds),
    seed: Number(values.seed),
  };
  const services = await startServices(process.env, (line) => void process.stderr.write(`${line}\n`));
  Object.assign(process.env, services.addresses);
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-fuzz-'));
  const ends: (() => unknown)[] = [];
  try {
    const report = await fuzzPlatform({ teardown: (end) => void ends.unshift(end) }, folder, [effort]);
    for (const { tenant, said } of report.runs) process.stdout.write(`\n# ${tenant}\n\n${said}\n`);
    const good = report.operations.filter(succeeded);
    for (const operation of report.operations)
      if (!good.includes(operation))
        process.stdout.write(`no 2xx: ${operation.name} ${JSON.stringify(operation.statuses)}\n`);
    process.stdout.write(`${good.length} of ${report.operations.length} operations reached a 2xx\n`);
    const enough = good.length / report.operations.length >= WANTED_SHARE;
    return enough && report.runs.every(({ passed }) => passed) ? 0 : 1;
  } finally {
    for (const end of ends) await end();
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
