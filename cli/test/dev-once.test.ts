import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import stringWidth from 'string-width';
import t, { type Test } from 'tap';
import { until } from '../../test/until.ts';
import { DEMO_FILES, demoFolder } from '../src/dev/demo/demo-data.ts';
import { isAlive } from '../src/dev/folder/process-identity.ts';
import type { DevStatus } from '../src/dev/status.ts';
import { NARROW } from '../src/output/fit.ts';
import { machine } from './dev-machine.ts';

const run = promisify(execFile);

t.test('one command loads the public data, shows it and runs until it is stopped', async (t) => {
  const { dataDir, weir, start } = machine(t);
  const server = start('dev', 'up', '--demo', '--timings');
  await server.printed(/"total":\d+/);
  t.match(server.said.stderr, /sync: 3,004,837 rows/);
  t.match(server.said.stderr, /2 of 2 checks passed[\s\S]*delay of flights from Chicago .*\n *[▁▂▃▄▅▆▇█]{20}/);
  t.match(server.said.stderr, /daily high in Seattle .*\n *[▁▂▃▄▅▆▇█]{20}/);
  const long = server.said.stderr.split('\n').filter((line) => stringWidth(line) > NARROW);
  t.strictSame(long, [], 'no line is longer than 80 columns');
  const marks = JSON.parse(readFileSync(path.join(dataDir, 'timings.json'), 'utf8')) as Record<string, number>;
  const loaded = ['first_discovery', 'first_bronze_commit', 'first_preview_row', 'gold_chart'];
  const order = ['migrated', 'api_ready', ...loaded, 'total'].map((mark) => marks[mark] as number);
  t.strictSame(
    order,
    order.toSorted((a, b) => a - b),
  );

  const status = JSON.parse(await weir('dev', 'status', '-o', 'json', '--data-dir', dataDir)) as DevStatus;
  // `spare` waits for a sync, `select` for a statement.
  const own = ['api', 'select', 'spare', 'supervisor', 'worker'];
  const parts = [...own, 'identity-provider', 'postgres', 'workflow-engine'].toSorted();
  t.strictSame(status.processes.map(({ name }) => name).sort(), parts);
  await readersAgree(t, await weir('dev', 'connect', '--data-dir', dataDir));
  await nothingPrintsSecrets(t, dataDir, weir);
  t.match(await (await fetch(status.workflow_engine.ui_url ?? '')).text(), /<!doctype html>/i);
  await tablesAreExact(t, status);

  t.match(JSON.parse(await weir('tenants', 'create', 'acme', '-o', 'json')), { alias: 'acme', scope: 'acme' });
  t.match(await weir('tenants', 'limits', 'acme'), /runs_per_day/);

  await weir('dev', 'down', '--data-dir', dataDir);
  t.equal(await server.ended, 0, server.said.stderr);
  for (const { name, pid } of status.processes) {
    // The process that waits for a sync ends by itself once it has noticed that its worker has.
    if (name === 'spare') await until('the end of the spare process', async () => !(await isAlive({ pid })));
    t.notOk(await isAlive({ pid }), `${name} is gone`);
  }
  t.notOk(readdirSync(dataDir).includes('dev.json'));
});

/** Neither a password of the data folder nor the token of its profile is on a screen that is not for it. */
async function nothingPrintsSecrets(t: Test, dataDir: string, weir: ReturnType<typeof machine>['weir']): Promise<void> {
  const readJson = (file: string) =>
    JSON.parse(readFileSync(path.join(dataDir, file), 'utf8')) as Record<string, string>;
  const secrets = [...Object.values(readJson('secrets.json')), readJson('dev.json').token ?? ''];
  t.ok(secrets.length > 5 && secrets.every((secret) => secret.length > 20));
  const folder = ['--data-dir', dataDir];
  const screens = [
    ...[
      ['dev', 'status'],
      ['dev', 'status', '-o', 'json'],
      ['dev', 'connect'],
      ['dev', 'connect', '-o', 'json'],
    ],
    ...[['dev', 'logs', '--tail', '100000']],
  ].map((words) => [...words, ...folder]);
  for (const words of [
    ...screens,
    ['whoami'],
    ['whoami', '-o', 'json'],
    ['profiles', 'list', '-o', 'json'],
    ['ops', 'health', '-o', 'json'],
  ]) {
    const printed = await weir(...words);
    t.strictSame(
      secrets.filter((secret) => printed.includes(secret)),
      [],
      words.join(' '),
    );
  }
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
