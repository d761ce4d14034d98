import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startServices } from '../services.ts';
import { FUZZ_ROLES, fuzzPlatform } from './fuzz-platform.ts';
import { enough, reasonOf, union, unreached } from './reached.ts';

const ALL_PHASES = ['examples', 'coverage', 'fuzzing', 'stateful'];

/** `npm run fuzz [-- --examples N --seconds S --seed N --phases a,b]`: all phases of Schemathesis as three roles of two tenants against the platform as deployed, and as three of one where credentials lie in a secret store. */
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
    roles: FUZZ_ROLES,
  };
  const services = await startServices(process.env, (line) => void process.stderr.write(`${line}\n`));
  Object.assign(process.env, services.addresses);
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-fuzz-'));
  const ends: (() => unknown)[] = [];
  try {
    const t = { teardown: (end: () => unknown) => void ends.unshift(end) };
    const say = (line: string) => void process.stderr.write(`  ${line}\n`);
    const vaulted = { ...effort, tenants: ['acme'] } as const;
    const reports = [
      await fuzzPlatform(t, path.join(folder, 'inline'), { mode: 'legacy_inline', efforts: [effort] }, say),
      await fuzzPlatform(t, path.join(folder, 'vaulted'), { mode: 'secret_store', efforts: [vaulted] }, say),
    ];
    const runs = reports.flatMap((report) => report.runs);
    for (const { caller, said } of runs) process.stdout.write(`\n# ${caller}\n\n${said}\n`);
    const operations = union(reports);
    const missed = unreached(operations);
    for (const { name, statuses } of missed)
      process.stdout.write(`no 2xx: ${name} ${JSON.stringify(statuses)}: ${reasonOf(name)}\n`);
    process.stdout.write(`${operations.length - missed.length} of ${operations.length} operations reached a 2xx\n`);
    return enough(operations) && runs.every(({ passed }) => passed) ? 0 : 1;
  } finally {
    for (const end of ends) await end();
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
