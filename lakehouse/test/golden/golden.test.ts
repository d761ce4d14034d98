import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { sample } from '../../../test/lane.ts';
import { currentSchema, isOrdered, parseCondition } from '../../src/index.ts';
import { fixedLength } from '../../src/schema/types.ts';
import type { TableAt } from '../interop/table-keeper.ts';
import { inOrder, openWorkshop } from '../interop/workshop.ts';
import { mappedFiles, WRITTEN_AT } from './mapped-files.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const run = promisify(execFile);

type Told = Record<string, { readonly metadata: string; readonly rows: readonly (readonly unknown[])[] }>;

const ROW = { id: 77 };
/** Conditions on a table in `npm test`; the lane tries one for each value of each column. */
const FEW_CONDITIONS = 4;

/** Rows as PyIceberg reads them: a list of structs that is NULL is an empty one to it, of whatever writer. */
function asPyIceberg({ metadata }: TableAt, rows: readonly (readonly unknown[])[]): unknown[][] {
  const { fields } = currentSchema(metadata);
  const isList = fields.map(({ type }) => typeof type === 'object' && type.type === 'list');
  return rows.map((row) => row.map((value, place) => (isList[place] && value === null ? [] : value)));
}

/** The table as if its folder were its writer's, where files lie that were added without copying them. */
function inFolderOf(writer: string, { metadata, ...at }: TableAt): TableAt {
  const [above = ''] = metadata.location.split(`/${writer}/`);
  return { ...at, metadata: { ...metadata, location: `${above}/${writer}` } };
}

/** Each value of each column that can be compared, with the rows that have it. */
function conditionsOn({ metadata }: TableAt, rows: Told[string]['rows']) {
  return currentSchema(metadata).fields.flatMap((field, place) =>
    [...new Set(rows.map((row) => row[place]))].flatMap((value) => {
      if (!isOrdered(field.type) || value === 'NaN') return [];
      const condition =
        value === null ? parseCondition(field, 'is_null', undefined) : parseCondition(field, 'eq', String(value));
      return typeof condition === 'string' ? [] : [{ condition, fitting: rows.filter((row) => row[place] === value) }];
    }),
  );
}

for (const writer of (await readdir(FIXTURES)).sort()) {
  t.test(`tables that ${writer} wrote are read as it reads them, and it reads on what we append`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-golden-'));
    await cp(join(FIXTURES, writer), join(folder, writer), { recursive: true });
    const shop = await openWorkshop(folder, mappedFiles(folder));
    t.teardown(async () => {
      await shop.close();
      await rm(folder, { recursive: true, force: true });
    });
    const told = JSON.parse(await readFile(join(folder, writer, 'tables.json'), 'utf8')) as Told;

    const appended = new Map<string, TableAt>();
    for (const [name, { metadata, rows }] of Object.entries(told)) {
      const written = await shop.load(metadata);
      const isOutside = name.endsWith('names_only');
      if (isOutside) await t.rejects(shop.rows(written), { code: 'file_outside_table' }, `${name}: files of others`);
      const at = isOutside ? inFolderOf(writer, written) : written;
      t.strictSame(inOrder(await shop.rows(at)), inOrder(rows), `${name}: all rows`);
      for (const { condition, fitting } of sample('interop-all', conditionsOn(at, rows), FEW_CONDITIONS)) {
        const { field, op, text } = condition;
        t.strictSame(
          inOrder(await shop.rows(at, [condition])),
          inOrder(fitting),
          `${name}: ${field.name} ${op} ${text}`,
        );
      }
      const { fields } = currentSchema(at.metadata);
      if (fields.some(({ type }) => fixedLength(type) !== undefined)) {
        await t.rejects(shop.append(at, [ROW]), { code: 'unsupported_type' }, `${name}: we write no such column`);
        continue;
      }
      appended.set(name, await shop.append(at, [ROW]));
      t.equal((await shop.rows(appended.get(name)!)).length, rows.length + 1, `${name}: our append`);
    }

    const program = [join(import.meta.dirname, 'read_mapped.py'), WRITTEN_AT, folder];
    const locations = [...appended.values()].map((at) => at.metadataLocation);
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
    const { stdout } = await run(process.env.WEIR_TEST_PYTHON ?? '', [...program, ...locations], {
      env,
      maxBuffer: 2 ** 26,
    });
    const seen = JSON.parse(stdout) as Record<string, { rows?: unknown[]; error?: string }>;
    for (const [name, at] of appended) {
      const { rows, error } = seen[at.metadataLocation] ?? {};
      t.equal(error, undefined, `${name}: PyIceberg reads on`);
      t.strictSame(inOrder(rows ?? []), inOrder(asPyIceberg(at, await shop.rows(at))), `${name}: PyIceberg agrees`);
    }
  });
}
