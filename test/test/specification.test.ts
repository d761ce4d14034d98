import { readFile } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { testPlatform } from '../platform.ts';
import { dueAreas } from '../spec/due.ts';
import { limits } from '../spec/limits.ts';
import { phases } from '../spec/metrics.ts';
import { innerVariables, ourVariables } from '../spec/ours.ts';
import { summaryLine } from '../spec/print-comparison.ts';
import { promises } from '../spec/promises.ts';
import { readPlatform } from '../spec/read-platform.ts';
import type { Proof } from '../spec/rows.ts';
import { compareWithSpecification, routeAreas } from '../spec/specification.ts';
import { variableProofs } from '../spec/variable-proofs.ts';
import { variables } from '../spec/variables.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** As counted in the specification itself. */
const COUNTS = { routes: 176, variables: 53, phases: 16 };

const found = await readPlatform(await testPlatform(t, t.testdir()), ROOT);
const comparison = compareWithSpecification(found);
t.comment(summaryLine(comparison));

/** The settings of the platform that many test files share. */
const shared = await readFile(path.join(ROOT, 'test/shared-platform.ts'), 'utf8');

/** Whether the file has a test of that name, and names what it is about, or runs on the shared platform that sets it. */
async function holds({ file, test }: Proof, word: string): Promise<boolean> {
  const text = await readFile(path.join(ROOT, file), 'utf8').catch(() => '');
  const isSetThere = text.includes("from './shared-platform.ts'") && shared.includes(word);
  return text.includes(test) && (text.includes(word) || isSetThere);
}

t.test('the tables hold every row of the specification once', async (t) => {
  const routes = routeAreas.flatMap((area) => area.routes);
  t.equal(new Set(routes).size, COUNTS.routes);
  t.equal(routes.length, COUNTS.routes);
  t.equal(new Set(variables.map(({ name }) => name)).size, COUNTS.variables);
  t.equal(variables.length, COUNTS.variables);
  t.equal(new Set(phases).size, COUNTS.phases);
});

t.test('no route and no variable exists that is neither in the specification nor declared as ours', async (t) => {
  t.ok(found.routes.length > 20 && found.variables.size > 20, 'something was found at all');
  t.strictSame(comparison.unplanned, []);
});

t.test(
  'each part is brought by the plugin and package that the tables name, and what is declared as ours exists',
  async (t) => {
    t.strictSame(comparison.misplaced, []);
  },
);

t.test('every route that is due is there', async (t) => {
  const due = comparison.rows.filter(({ area }) => dueAreas.includes(area));
  t.ok(due.length > 0);
  t.strictSame(
    due.filter(({ implemented }) => !implemented).map(({ name }) => name),
    [],
  );
});

t.test('each variable that is read has a test in which changing it changes behaviour', async (t) => {
  const specified = comparison.rows.filter(({ kind, implemented }) => kind === 'variable' && implemented);
  for (const name of [...specified.map((row) => row.name), ...ourVariables.keys()]) {
    const proof = variableProofs.get(name);
    t.ok(proof !== undefined && (await holds(proof, name)), `${name}: ${proof?.file ?? 'no test'}`);
  }
  const read = new Set(found.variables.keys());
  for (const name of variableProofs.keys())
    t.ok(read.has(name) || read.has(name.replace(/_FILE$/, '')), `${name} is read by something`);
  for (const name of innerVariables.keys()) t.notOk(variableProofs.has(name), `${name} is nobody's setting`);
});

t.test('each limit and promise that is kept names the test that says so', async (t) => {
  for (const { name, proof } of [...limits, ...promises]) if (proof !== undefined) t.ok(await holds(proof, ''), name);
});

t.test('a route that answers only that its feature is missing is no route of the specification', async (t) => {
  t.ok(found.routes.length > found.unconfigured.size, 'something was found at all');
  for (const name of found.unconfigured)
    t.match(
      comparison.rows.filter((row) => row.name === name),
      [{ implemented: false }],
      name,
    );
});

t.test('every command of a domain that is there is a command of the CLI', async (t) => {
  const missing = promises.filter(({ command }) => command !== undefined && !found.commands.has(command));
  t.ok(found.commands.size > 50, 'something was found at all');
  t.strictSame(missing, []);
});
