import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tools from '@weir/migrations';
import { pino } from 'pino';
import t from 'tap';
import { planPlatform } from '../src/boot.ts';
import { checkHead, pluginHistories } from '../src/persistence/head-check.ts';
import { openDatabase, testDatabase } from '../src/testing.ts';

/** Writes a deployment of one plugin; `kernel` says where, below the plugin, a kernel of its own lies. */
function deployment(folder: string, kernel?: string): string {
  const home = join(folder, 'node_modules', 'notes');
  const weir = { id: 'notes', kernel: '*', tenancy: 'opt-in', prefixes: ['/notes'], migrations: ['notes_01_note'] };
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'notes', version: '1.0.0', weir }));
  if (kernel !== undefined) {
    mkdirSync(join(home, kernel), { recursive: true });
    writeFileSync(join(home, kernel, 'package.json'), JSON.stringify({ name: '@weir/kernel', version: '0.1.0' }));
  }
  const file = join(folder, 'platform.json');
  writeFileSync(file, JSON.stringify({ plugins: ['notes'], migrations: '@weir/migrations' }));
  return file;
}

t.test('a plugin that brings a kernel of its own is refused, and both copies are named', async (t) => {
  t.doesNotThrow(() => planPlatform(deployment(t.testdir())));
  t.throws(() => planPlatform(deployment(t.testdir(), 'node_modules/@weir/kernel')), {
    name: 'Refusal',
    faults: [
      /^plugin notes finds a second @weir\/kernel in node_modules\/notes\/node_modules\/@weir\/kernel, the one that runs is \.\.\/.*kernel: name it in peerDependencies/,
    ],
  });
});

t.test("a start needs every third party's ledger to fit its list", async (t) => {
  const database = await testDatabase(t, tools);
  const { app } = database;
  const db = await openDatabase({ ...app, name: app.database, entities: [], log: pino({ level: 'silent' }) });
  t.teardown(() => db.close());
  const step = (at: number, sql: string) => ({
    name: `notes_0${at}_step`,
    after: at === 0 ? undefined : `notes_0${at - 1}_step`,
    sql,
  });
  const start = (...migrations: ReturnType<typeof step>[]) =>
    checkHead(db.sql, tools.migrations, [{ pluginId: 'notes', migrations }]);
  const [first, second] = [step(0, 'select 0'), step(1, 'select 1')];
  await t.rejects(start(first), { name: 'Refusal', faults: [/^plugin notes: .* is behind: .* run weir migrate/] });
  await tools.migrate(database.owner, tools.migrations, { plugins: [{ pluginId: 'notes', migrations: [first] }] });
  await start(first);
  await t.rejects(start(first, second), {
    name: 'Refusal',
    faults: [/^plugin notes: .* ends at notes_00_step, this release at notes_01/],
  });
  await t.rejects(start(), { name: 'Refusal', faults: [/^plugin notes: the database is ahead/] });
  await t.rejects(start(step(0, 'select 2')), { name: 'Refusal', faults: [/^plugin notes: notes_00_step was edited/] });
  await checkHead(db.sql, tools.migrations, []);
  const additive = { ...second, additiveSince: first.name };
  const both = [{ pluginId: 'notes', migrations: [first, additive] }];
  await tools.migrate(database.owner, tools.migrations, { plugins: both });
  await start(first);
  await database.peek('update kernel.plugin_ledger set additive_since = null');
  await t.rejects(start(first), { name: 'Refusal', faults: [/^plugin notes: the database is ahead: it has notes_01/] });
});

t.test('a plugin without the door for the migrations that it declares is refused', async (t) => {
  await t.rejects(pluginHistories(tools, deployment(t.testdir())), {
    name: 'Refusal',
    faults: [/plugin notes declares migrations but has no door/],
  });
});
