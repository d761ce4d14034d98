import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { BUDGETS } from '../budgets.ts';
import { reachedTests, withStarted } from '../changed-tests.ts';
import { inOrder } from '../cpu-history.ts';
import { processesOf } from '../file-processes.ts';
import { runFile } from '../run-file.ts';
import { runFiles } from '../run-files.ts';
import { HASTY_MS, until } from '../until.ts';

t.test('dearest file of the last run → begins first; its budget counts where it never ran', (t) => {
  t.strictSame(inOrder(['a', 'b', 'c', 'd'], { a: 1, c: 9, gone: 20 }), ['c', 'b', 'd', 'a']);
  t.strictSame(
    Object.keys(BUDGETS).filter((file) => !existsSync(file)),
    [],
    'the table names files that are there',
  );
  t.end();
});

t.test('every file is run once, never more at once than two for each core', async (t) => {
  const files = Array.from({ length: 40 }, (_, at) => `${at}`);
  const ran: string[] = [];
  let [now, most] = [0, 0];
  await runFiles(files, async (file) => {
    now += 1;
    most = Math.max(most, now);
    ran.push(file);
    await delay(5);
    now -= 1;
  });
  t.strictSame(ran, files);
  t.ok(most >= Math.min(2, availableParallelism()) && most <= 2 * availableParallelism(), `${most} at once`);
});

const HEAD = "import t from 'tap';\n";
const VARIABLE = 'WEIR_TEST_DATABASE_URL';
const COMMON = { cwd: process.cwd(), env: { ...process.env, [VARIABLE]: undefined, WEIR_TEST_PYTHON: undefined } };

t.test('a file that dies, throws unseen, hangs or runs away → one failure that says why', async (t) => {
  const folder = t.testdir({
    'hangs.ts': `${HEAD}import { until } from '${process.cwd()}/test/until.ts';\nt.test('waits', () => until('godot', () => false));\n`,
    'spins.ts': `${HEAD}t.pass('one');\nsetTimeout(() => { for (;;); });\nt.test('waits', () => new Promise(() => {}));\n`,
    'dies.ts': `${HEAD}t.pass('one');\nprocess.exit(3);\n`,
    'throws.ts': `${HEAD}t.pass('one');\nt.test('waits', async () => { void (async () => { await null; throw new Error('lost'); })(); await new Promise((go) => setTimeout(go, 50)); });\n`,
    'breaks.ts': `${HEAD}t.pass('one');\nt.test('waits', async () => { await null; setTimeout(() => { throw new Error('lost'); }); await new Promise((go) => setTimeout(go, 50)); });\n`,
    'good.ts': `${HEAD}t.pass('one');\n`,
  });
  const run = (file: string, more = {}) =>
    runFile(`${folder}/${file}`, { ...COMMON, folder: `${folder}/tmp-${file}`, ...more });
  const reasons = ({ failures }: { failures: { name: string }[] }) => failures.map(({ name }) => name).join();
  t.match(reasons(await run('hangs.ts', { quietMs: HASTY_MS })), /ended: no further line of output/);
  t.match(reasons(await run('spins.ts', { maxCpuSeconds: 0.5 })), /ended: it used \d+ CPU-s/);
  t.match(await run('dies.ts'), { passed: 1, failed: 1 });
  for (const file of ['throws.ts', 'breaks.ts']) {
    const { failed, failures } = await run(file);
    t.equal(failed, 1, `${file}: an error that nobody caught is a failure`);
    t.match(JSON.stringify(failures), 'lost');
  }
  t.match(await run('good.ts'), { passed: 1, failed: 0 });
});

t.test('a file that installs what it needs → its install does not count', async (t) => {
  const busy = 'for (const end = Date.now() + 1_000; Date.now() < end; );';
  const folder = t.testdir({
    'installs.ts': `${HEAD}import { uncounted } from '${process.cwd()}/test/file-processes.ts';\nawait uncounted(async () => { ${busy} });\nt.pass('one');\n`,
    'computes.ts': `${HEAD}${busy}\nt.pass('one');\n`,
  });
  const cost = async (file: string) =>
    (await runFile(`${folder}/${file}`, { ...COMMON, folder: `${folder}/tmp-${file}` })).cpuSeconds ?? 0;
  t.ok((await cost('installs.ts')) < (await cost('computes.ts')));
});

t.test('a file that leaves a process or a file behind → fails, and nothing is left', async (t) => {
  const sleeper = `['-e', 'setInterval(() => {}, 1000)']`;
  const folder = t.testdir({
    'apart.ts': `${HEAD}import { spawn } from 'node:child_process';\nconst child = spawn(process.execPath, ${sleeper}, { detached: true, stdio: 'ignore' });\nchild.unref();\nt.pass('one');\n`,
    'leaves.ts': `${HEAD}import { mkdtempSync } from 'node:fs';\nimport { tmpdir } from 'node:os';\nmkdtempSync(tmpdir() + '/scratch-');\nt.pass('one');\n`,
  });
  const names = async (file: string) => {
    const { failures } = await runFile(`${folder}/${file}`, { ...COMMON, folder: `${folder}/tmp-${file}` });
    return failures.map(({ name }) => name).join();
  };
  t.match(await names('apart.ts'), /left process \d+: .*setInterval/);
  await until('the end of the process', () => processesOf(-1, `${folder}/tmp-apart.ts`).length === 0);
  t.match(await names('leaves.ts'), /left in its temporary folder: scratch-/);
  t.notOk(existsSync(`${folder}/tmp-leaves.ts`));
});

t.test('a file that reads the variable of a service → gets it then, and never asks for another', async (t) => {
  const folder = t.testdir({
    'asks.ts': `${HEAD}const { ${VARIABLE}: url } = process.env;\nt.equal(url, 'postgres://here');\nt.equal(process.env.${VARIABLE}_MORE, 'too');\nt.equal(process.env.WEIR_TEST_PYTHON, undefined);\n`,
    'fails.ts': `${HEAD}t.throws(() => process.env.${VARIABLE}, /no such server/);\n`,
  });
  const asked: string[] = [];
  const ask = (file: string, need: (variable: string) => Promise<Record<string, string>>) =>
    runFile(`${folder}/${file}`, { ...COMMON, folder: `${folder}/tmp`, variables: [VARIABLE], need });
  const found = await ask('asks.ts', async (variable) => {
    asked.push(variable);
    return { [VARIABLE]: 'postgres://here', [`${VARIABLE}_MORE`]: 'too' };
  });
  t.match(found, { passed: 3, failed: 0 });
  t.strictSame(asked, [VARIABLE]);
  t.match(await ask('fails.ts', () => Promise.reject(new Error('no such server'))), { passed: 1, failed: 0 });
});

t.test('changed files → the tests that import or start them, and those of a package where no module changed', (t) => {
  const reach = withStarted(
    new Map([
      ['a/test/a.test.ts', ['a/src/a.ts']],
      ['a/src/a.ts', ['b/src/b.ts']],
      ['b/src/b.ts', []],
      ['b/test/b.test.ts', []],
      ['c/test/c.test.ts', ['test/api-process.ts']],
      ['test/api-process.ts', []],
      ['kernel/src/main.ts', []],
    ]),
  );
  const tests = [...reach.keys()].filter((module) => module.endsWith('.test.ts'));
  const reached = (...changed: string[]) => reachedTests(reach, changed, tests);
  t.strictSame(reached('b/src/b.ts'), ['a/test/a.test.ts']);
  t.strictSame(reached('kernel/src/main.ts'), ['c/test/c.test.ts']);
  t.strictSame(reached('b/src/data.json'), ['b/test/b.test.ts']);
  t.strictSame(reached('b/README.md'), []);
  t.end();
});
