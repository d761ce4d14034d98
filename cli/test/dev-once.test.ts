import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { DEMO_FILES, demoFolder } from '../src/dev/demo-data.ts';
import { isAlive } from '../src/dev/process-identity.ts';
import type { DevStatus } from '../src/dev/status.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const WEIR = path.join(ROOT, 'cli', 'bin', 'weir.mjs');
/** Only a hang reaches it: everything is started twice, on a machine that does much else. */
const HANG_LIMIT_MS = 600_000;
const POLL_MS = 250;

t.setTimeout(HANG_LIMIT_MS);

/** The command as a user starts it, with a home and a data folder of its own. */
function machine(t: Test) {
  const home = mkdtempSync(path.join(tmpdir(), 'weir-dev-'));
  const dataDir = path.join(home, 'data');
  const env: NodeJS.ProcessEnv = { ...process.env, XDG_CONFIG_HOME: path.join(home, 'config'), NO_COLOR: '1' };
  for (const name of ['DB_HOST', 'WORKFLOW_HOST', 'IDP_URL', 'WEIR_URL', 'WEIR_TOKEN', 'WEIR_PROFILE', 'NODE_OPTIONS'])
    delete env[name];
  const line = (...args: string[]) => [WEIR, ...args];
  const weir = async (...args: string[]) => (await run(process.execPath, line(...args), { env, cwd: home })).stdout;
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, line(...args, '--data-dir', dataDir), {
      env,
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (said.stdout += chunk));
    child.stderr.on('data', (chunk) => (said.stderr += chunk));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, said, ended };
  };
  t.teardown(async () => {
    await weir('dev', 'reset', '--yes', '--data-dir', dataDir);
    rmSync(home, { recursive: true, force: true });
  });
  return { home, dataDir, weir, start };
}

const rowsOf = async (weir: (...args: string[]) => Promise<string>) => {
  const { items } = JSON.parse(await weir('datasets', 'list', '-o', 'json')) as {
    items: { dataset_id: string; total_records: string }[];
  };
  return Object.fromEntries(items.map(({ dataset_id, total_records }) => [dataset_id, Number(total_records)]));
};

const EXPECTED = Object.fromEntries(DEMO_FILES.map(({ table, rows }) => [`bronze.demo.${table}`, rows]));

t.test(
  'one command loads the public data, shows it and stops; the next start keeps it',
  { timeout: HANG_LIMIT_MS },
  async (t) => {
    const { dataDir, weir, start } = machine(t);

    const first = start('dev', 'up', '--demo', '--once', '--timings');
    t.equal(await first.ended, 0, first.said.stderr);
    t.match(first.said.stderr, /sync: 3,004,837 rows/);
    t.match(first.said.stderr, /daily high in Seattle .*[▁▂▃▄▅▆▇█]{20}/);
    const marks = JSON.parse(readFileSync(path.join(dataDir, 'timings.json'), 'utf8')) as Record<string, number>;
    const order = ['migrated', 'api_ready', 'first_discovery', 'first_bronze_commit', 'first_preview_row', 'total'].map(
      (mark) => marks[mark] as number,
    );
    t.strictSame(
      order,
      order.toSorted((a, b) => a - b),
    );
    t.notOk(readdirSync(dataDir).includes('dev.json'));

    const second = start('dev', 'up', '--demo');
    const status = await untilReady(weir, dataDir, second.ended);
    t.match(second.said.stderr, /sync: no new rows/);
    t.strictSame(await rowsOf(weir), EXPECTED);
    t.strictSame(status.processes.map(({ name }) => name).sort(), [
      'api',
      'identity-provider',
      'postgres',
      'spare',
      'supervisor',
      'worker',
      'workflow-engine',
    ]);
    await readersAgree(t, second.said.stdout);
    await tablesAreExact(t, status);

    const beside = start('dev', 'up');
    t.equal(await beside.ended, 5);
    await weir('dev', 'down', '--data-dir', dataDir);
    t.equal(await second.ended, 0, second.said.stderr);
    for (const { name, pid } of status.processes) {
      // The process that waits for a sync ends by itself once it has noticed that its worker has.
      while (name === 'spare' && (await isAlive({ pid }))) await delay(POLL_MS);
      t.notOk(await isAlive({ pid }), `${name} is gone`);
    }
  },
);

/** The status of a server whose demo is done, which is when the lines to paste have been printed. */
async function untilReady(
  weir: (...args: string[]) => Promise<string>,
  dataDir: string,
  ended: Promise<unknown>,
): Promise<DevStatus> {
  let gone = false;
  void ended.then(() => {
    gone = true;
  });
  while (!gone) {
    const timings = path.join(dataDir, 'timings.json');
    const done = JSON.parse(readFileSync(timings, 'utf8')) as { first_discovery?: number };
    const isDone = done.first_discovery === undefined;
    const status = isDone && (await weir('dev', 'status', '-o', 'json', '--data-dir', dataDir).catch(() => undefined));
    if (status) return JSON.parse(status) as DevStatus;
    await delay(POLL_MS);
  }
  throw new Error('the second start ended by itself');
}

/** Reads every table with PyIceberg through the SQL catalog and compares it with the file that it came from. */
async function tablesAreExact(t: Test, { catalog, warehouse }: DevStatus): Promise<void> {
  const python = process.env.WEIR_TEST_PYTHON;
  if (python === undefined) return;
  const script = path.join(import.meta.dirname, 'read_tables.py');
  const { stdout } = await run(python, [script, catalog.name, catalog.uri, warehouse, demoFolder()]);
  const { counts, faults } = JSON.parse(stdout) as { counts: Record<string, number>; faults: string[] };
  t.strictSame(faults, [], 'schemas, values and column statistics agree');
  t.strictSame(counts, Object.fromEntries(DEMO_FILES.map(({ table, rows }) => [table, rows])));
}

/** Runs the printed lines, unchanged but for the interpreter, where the readers are installed. */
async function readersAgree(t: Test, printed: string): Promise<void> {
  const python = process.env.WEIR_TEST_PYTHON;
  const lines = printed.split('\n').filter((line) => line.includes('python3 -c'));
  t.equal(lines.length, 2);
  if (python === undefined) return;
  for (const [i, module] of ['pyiceberg', 'duckdb_extension_iceberg'].entries()) {
    const there = await run(python, ['-c', `import ${module}`]).then(
      () => true,
      () => false,
    );
    if (!there) continue;
    const line: string = (lines[i] ?? '').replace('python3', python);
    const { stdout: counted } = await run('sh', ['-c', line]);
    t.equal(counted.trim(), '3000000', module);
  }
}
