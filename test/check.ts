import { unlessClean } from './checks/cache.ts';
import { type Check, judge } from './checks/check.ts';
import { commitSubjects } from './checks/commit-subjects.ts';
import { hashAll, listFiles } from './checks/files.ts';
import { lint } from './checks/lint.ts';
import { rooms } from './checks/rooms.ts';
import { sizes } from './checks/sizes.ts';
import { tenantLoops } from './checks/tenant-loops.ts';
import { timeInTests } from './checks/time-in-tests.ts';
import { types } from './checks/types.ts';
import { words } from './checks/words.ts';
import { staleLanes } from './soak-results.ts';
import { checkWalls, ROOT } from './walls.ts';

/** The walls stand between packages, so nothing else decides on them. */
async function walls(): Promise<string> {
  const key = await hashAll(
    ROOT,
    await listFiles(ROOT, '*.ts', '*.tsx', '*.mjs', '*.js', '*.json', ':!docs', ':!soak'),
  );
  return unlessClean(ROOT, 'walls', key, async () => {
    const { modules, faults } = await checkWalls(ROOT);
    return judge(faults, `${modules} modules`);
  });
}

/** A note and never a fault: which soak lanes have no result for their inputs of today. */
async function lanes(): Promise<string> {
  const stale = await staleLanes();
  return stale.length === 0 ? 'all passed with these inputs' : `${stale.length} to run\n${stale.join('\n')}`;
}

const CHECKS: Check[] = [
  { name: 'lint', look: () => lint(ROOT) },
  { name: 'types', look: () => types(ROOT) },
  { name: 'walls', look: walls },
  ...sizes(ROOT),
  ...rooms(ROOT),
  { name: 'time in tests', look: () => timeInTests(ROOT) },
  { name: 'loops over tenants', look: () => tenantLoops(ROOT) },
  ...words(ROOT),
  { name: 'commit subjects', look: () => commitSubjects(ROOT) },
  { name: 'soak lanes', look: lanes },
];

/** Runs all checks side by side, whatever the others say, and prints each; exit 1 when one found something. */
async function main(): Promise<number> {
  const looks = CHECKS.map(({ name, look }) => ({ name, result: Promise.allSettled([look()]) }));
  let failed = 0;
  for (const { name, result } of looks) {
    const [outcome] = await result;
    if (outcome.status === 'rejected') failed += 1;
    const [sign, word] =
      outcome.status === 'fulfilled' ? ['✓', outcome.value] : ['✗', `\n${(outcome.reason as Error).message}`];
    process.stderr.write(`  ${sign} ${name}: ${word}`.replaceAll('\n', '\n      ').concat('\n'));
  }
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main();
