import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import {
  auditTables,
  LedgerMismatch,
  migrate,
  migrations,
  pluginSchema,
  readPluginMigrations,
  tenantTable,
} from '../src/index.ts';
import { emptyDatabase } from './database.ts';

const NOTE = `create table note (tenant_id uuid not null references kernel.tenant (tenant_id), note_id uuid not null,
  primary key (tenant_id, note_id));${tenantTable('notes.note')}`;
const list = (...steps: string[]) =>
  steps.map((sql, at) => ({ name: `notes_0${at}_step`, after: at === 0 ? undefined : `notes_0${at - 1}_step`, sql }));
const notes = (...steps: string[]) => ({ plugins: [{ pluginId: 'notes', migrations: list(...steps) }] });

t.test(
  "a third party's tables lie in its own schema, behind the tenant wall, with a ledger of their own",
  async (t) => {
    const database = await emptyDatabase(t);
    const owner = database.as('weir_owner');
    const all = [...migrations.map((step) => step.name), 'notes_00_step'];
    t.strictSame(await migrate(owner, migrations, { ...notes(NOTE), releaseSha: 'abc' }), all);
    t.strictSame(await migrate(owner, migrations, notes(NOTE)), []);
    const more = notes(NOTE, 'alter table note add column text text; create index note_text on note (tenant_id, text)');
    t.strictSame(await migrate(owner, migrations, more), ['notes_01_step']);
    const session = await database.session(owner);
    const { rows } = await session.query(
      'select ordinal, name, after, release_sha from kernel.plugin_ledger order by ordinal',
    );
    t.strictSame(rows, [
      { ordinal: 0, name: 'notes_00_step', after: null, release_sha: 'abc' },
      { ordinal: 1, name: 'notes_01_step', after: 'notes_00_step', release_sha: null },
    ]);
    t.strictSame(await auditTables(session), []);
    t.strictSame(await migrate(owner, migrations), [], 'a plugin that is no longer named keeps its tables');
  },
);

t.test(
  'steps that leave a hole or reach outside their schema are refused by name, and nothing is applied',
  async (t) => {
    const database = await emptyDatabase(t);
    const owner = database.as('weir_owner');
    await migrate(owner, migrations);
    const session = await database.session(owner);
    const refused: Record<string, [sql: string, says: RegExp]> = {
      'a table without the wall': ['create table note (a int)', /notes\.note has no forced row security/],
      'an index without the tenant': [
        `${NOTE} create index by_id on note (note_id)`,
        /by_id does not start with tenant/,
      ],
      'a definer function': [
        `${NOTE} create function f() returns int language sql security definer return 1`,
        /notes\.f is security definer/,
      ],
      'a table elsewhere': [`${NOTE} create table kernel.mine (a int)`, /touch kernel\.mine, outside its schema notes/],
      'a schema elsewhere': [`${NOTE} create schema mine`, /touch schema mine/],
      'a column elsewhere': [`${NOTE} alter table kernel.run add column a int`, /touch kernel\.run,/],
      'a wall elsewhere': [`${NOTE} drop policy tenant on kernel.run`, /touch kernel\.run,/],
      'a change that is put back': [
        `${NOTE} alter table sources.source no force row level security; alter table sources.source force row level security`,
        /touch sources\.source,/,
      ],
      'rows elsewhere': [`${NOTE} update platform.admission set open = false`, /touch rows of platform\.admission/],
      'rows emptied elsewhere': [`${NOTE} truncate platform.metric`, /touch platform\.metric,/],
      'a right elsewhere': [`${NOTE} grant insert on kernel.tenant to weir_app`, /touch kernel\.tenant,/],
      'a function elsewhere': [`create function kernel.f() returns int language sql return 1`, /touch kernel\.f,/],
      'rights to come': ['alter default privileges grant select on tables to public', /touch default privileges/],
    };
    for (const [what, [sql, says]] of Object.entries(refused)) {
      await t.rejects(migrate(owner, migrations, notes(sql)), { name: 'LedgerMismatch', message: says }, what);
      const { rows } = await session.query(`select to_regnamespace('notes') as there`);
      t.strictSame(rows, [{ there: null }], what);
    }
    await t.rejects(
      migrate(owner, migrations, notes(`${NOTE} commit; drop schema kernel cascade`)),
      /notes_00_step failed/,
      'the transaction is not its own to end',
    );
    await t.rejects(migrate(owner, migrations, notes(NOTE, 'select 1 / 0')), /notes_01_step failed: division/);
    t.strictSame((await session.query('select * from kernel.plugin_ledger')).rows, []);
    t.strictSame(await migrate(owner, migrations, notes(NOTE)), ['notes_00_step']);
  },
);

t.test('a list that does not continue the ledger, or is not its own, is refused', async (t) => {
  const database = await emptyDatabase(t);
  const owner = database.as('weir_owner');
  await migrate(owner, migrations, notes(NOTE));
  const wrong = (pluginId: string, steps: ReturnType<typeof list>, says: RegExp) =>
    t.rejects(migrate(owner, migrations, { plugins: [{ pluginId, migrations: steps }] }), {
      name: 'LedgerMismatch',
      message: says,
    });
  await wrong('notes', [], /plugin notes: the database is ahead: it has notes_00_step/);
  await wrong('notes', list(`${NOTE} `), /plugin notes: notes_00_step was edited/);
  await wrong('notes', [{ ...list(NOTE)[0]!, name: 'notes_00_other' }], /has notes_00_step where .* notes_00_other/);
  await wrong('notes', [{ ...list(NOTE)[0]!, after: 's05_platform' }], /must come after nothing/);
  await wrong('kernel', [{ name: 'kernel_01_x', after: undefined, sql: '' }], /schema kernel is there already/);
  await wrong('pg-x', [{ name: 'pg_x_01_x', after: undefined, sql: '' }], /kept for the database itself/);
  await wrong('other', [{ name: 's06_x', after: undefined, sql: '' }], /s06_x must be called other_NN_words/);
});

t.test('the lists of a deployment are read from the packages that it names', async (t) => {
  // Not tap's own folder, which has the name of the file: the file is run on Postgres 15 at the same time.
  const folder = mkdtempSync(join(tmpdir(), 'weir-lists-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const install = (name: string, weir: object, door?: string) => {
    const home = join(folder, 'node_modules', name);
    mkdirSync(home, { recursive: true });
    const exports = { './migrations': './m.js' };
    writeFileSync(join(home, 'package.json'), JSON.stringify({ name, type: 'module', exports, weir }));
    if (door !== undefined) writeFileSync(join(home, 'm.js'), door);
  };
  const file = join(folder, 'platform.json');
  const read = (...plugins: string[]) => {
    writeFileSync(file, JSON.stringify({ plugins }));
    return readPluginMigrations(file, migrations);
  };
  const door = `export const migrations = [{ name: 'notes_01_a', after: undefined, sql: 'select 1' }]`;
  install('first-party', { id: 'sources', migrations: ['s04_sources'] });
  install('plain', { id: 'plain' });
  install('notes', { id: 'notes', migrations: ['notes_01_a'] }, door);
  install('liar', { id: 'liar', migrations: ['liar_01_a'] }, door);
  install('shut', { id: 'shut', migrations: ['shut_01_a'] });
  t.match(await read('first-party', 'plain', 'notes'), [
    { pluginId: 'notes', migrations: [{ name: 'notes_01_a', sql: 'select 1' }] },
  ]);
  await t.rejects(read('liar'), /plugin liar declares the migrations liar_01_a but \.\/migrations brings notes_01_a/);
  await t.rejects(read('shut'), /no door \.\/migrations that brings them/);
  await t.rejects(read('absent'), /absent is named in platform\.json but not installed/);
  await t.rejects(readPluginMigrations(join(folder, 'none.json'), migrations), LedgerMismatch);
});

t.test('distinct plugin ids have distinct schemas', async () => {
  const id = fc.stringMatching(/^[a-z][a-z0-9-]{0,39}$/);
  fc.assert(
    fc.property(id, id, (one, two) => one === two || pluginSchema(one) !== pluginSchema(two)),
    { numRuns: 1_000 },
  );
});

t.test('the text of the tenant wall never changes, because the ledgers of third parties hold its hash', async (t) => {
  const hash = createHash('sha256').update(tenantTable('notes.note')).digest('hex');
  t.equal(hash, '6c8b472b74a2ba521669283bbb940eb470ef6e3e5af61e36879e4850e0aa73b4');
});
