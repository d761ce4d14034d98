import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { runFile } from '../run-file.ts';
import { inOrder, runFiles } from '../run-files.ts';
import { SLOW_FILES } from '../slow-files.ts';

t.test('the slow files are begun first, by their list; one that is not there is not missed', async (t) => {
  t.strictSame(inOrder(['a', 'b', 'c', 'd'], ['c', 'gone', 'b']), ['c', 'b', 'a', 'd']);
  t.strictSame(
    SLOW_FILES.filter((file) => !existsSync(file)),
    [],
    'the list names files that are there',
  );
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
const run = (folder: string, file: string) => runFile(`${folder}/${file}`, { cwd: process.cwd(), env: process.env });

t.test('a file that hangs is ended when its time is out, and is a failure like one that dies', async (t) => {
  const folder = t.testdir({
    'hangs.ts': `${HEAD}t.setTimeout(300);\nt.test('waits', () => new Promise(() => setInterval(() => {}, 1000)));\n`,
    'spins.ts': `${HEAD}t.setTimeout(300);\nt.pass('one');\nsetTimeout(() => { for (;;); });\nt.test('waits', () => new Promise(() => {}));\n`,
    'dies.ts': `${HEAD}t.pass('one');\nprocess.exit(3);\n`,
    'throws.ts': `${HEAD}t.pass('one');\nt.test('waits', async () => { void (async () => { await null; throw new Error('lost'); })(); await new Promise((go) => setTimeout(go, 50)); });\n`,
    'breaks.ts': `${HEAD}t.pass('one');\nt.test('waits', async () => { await null; setTimeout(() => { throw new Error('lost'); }); await new Promise((go) => setTimeout(go, 50)); });\n`,
    'good.ts': `${HEAD}t.pass('one');\n`,
  });
  t.match(await run(folder, 'hangs.ts'), { passed: 0, failed: 1 });
  t.match(await run(folder, 'spins.ts'), { failed: 1 });
  t.match(await run(folder, 'dies.ts'), { passed: 1, failed: 1 });
  for (const file of ['throws.ts', 'breaks.ts']) {
    const { failed, failures } = await run(folder, file);
    t.equal(failed, 1, `${file}: an error that nobody caught is a failure`);
    t.match(JSON.stringify(failures), 'lost');
  }
  t.match(await run(folder, 'good.ts'), { passed: 1, failed: 0 });
});
