import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { sharedPlatform } from '../../plugins/sources/test/shared-platform.ts';
import { CliError } from '../src/cli-error.ts';
import { accountOf, endOf } from '../src/commands/load/account.ts';
import { commandLines } from '../src/commands/load/command-lines.ts';
import { firstRows } from '../src/commands/load/first-rows.ts';
import { isOpen } from '../src/commands/load/is-open.ts';
import { sourceName, whatToLoad } from '../src/commands/load/what-to-load.ts';
import { commandLine, ending } from './command-line.ts';

t.test('commands → lines of at most 80 columns', async (t) => {
  const words = ['weir sources create', '--pattern files', `--set path=${'a'.repeat(60)}`, '--discover -w'];
  for (const line of commandLines(words)) t.ok(line.length <= 80, line);
});

const hintOf = (refused: Promise<unknown>) =>
  refused.catch((error: unknown) => (error instanceof CliError ? error.details.hint : undefined));

t.test('what is given and cannot be read → told by name; notes beside the data are not counted', async (t) => {
  const names = ['a.csv', 'b.tsv.gz', 'plan.xlsx', 'old.csv.zip', 'read.me', '_SUCCESS', '.hidden', '_a.txt'];
  const dir = t.testdir(Object.fromEntries(names.map((name) => [name, ''])));
  const others = ['old.csv.zip', 'plan.xlsx', 'read.me'];
  t.match(await whatToLoad('.', dir), { files: ['a.csv', 'b.tsv.gz'], others });
  t.match(await whatToLoad('.', dir, true), { files: { length: 5 }, others: ['old.csv.zip', 'plan.xlsx'] });
  t.match(await whatToLoad('read.me', dir, true), { files: ['read.me'], isOne: true });
  t.match(await hintOf(whatToLoad('read.me', dir)), /read\.me: Endings: .* --format csv/);
  t.match(await hintOf(whatToLoad('plan.xlsx', dir, true)), /plan\.xlsx: Save each of its sheets/);
});

const RAN = {
  ...{ status: 'succeeded', failure: null, rows_with_errors: 0, rows_rejected: 0 },
  ...{ files_read: 0, files_unchanged: 0, files_left_out: 0, left_out: [] },
};

t.test('files given = loaded + left out, and how that ends', async (t) => {
  const what = { kind: 'files' as const, folder: '/', glob: '*', name: 'x', isOne: false };
  const failure = { code: 'parquet_truncated', detail: 'It is cut.', hint: 'Copy it again.' };
  const ran = (name: string, more = {}) => ({ ...RAN, name, ...more }) as never;
  const bad = ran('cut', { status: 'failed', failure });
  const warnings = [{ name: 'empty', code: 'csv_header_missing', detail: 'It is empty.', hint: null }];
  const files = ['a.csv', 'a.json', 'cut.parquet', 'empty.csv', 'gone.csv'];
  const account = accountOf({ ...what, files, others: ['p.xlsx'] }, { warnings, empty: new Set() }, [
    ran('a'),
    ran('a.json'),
    bad,
  ]);
  t.strictSame(
    account.map(({ name, status, code = '' }) => `${name} ${status} ${code}`.trim()),
    [
      ...['a.csv loaded', 'a.json loaded', 'cut.parquet left_out parquet_truncated'],
      ...[
        'empty.csv left_out csv_header_missing',
        'gone.csv left_out not_discovered',
        'p.xlsx left_out spreadsheet_unread',
      ],
    ],
  );
  const twins = { ...what, files: ['a.csv', 'a.json'], others: [] };
  const torn = [{ name: 'a', code: 'csv_header_invalid', detail: 'It is torn.', hint: null }];
  t.strictSame(
    accountOf(twins, { warnings: torn, empty: new Set() }, [ran('a.json')]).map(({ status }) => status),
    ['left_out', 'loaded'],
    'each by the stream of its own',
  );
  t.match(account[2], { reason: 'It is cut. Copy it again.' });
  const whole = accountOf({ ...what, files: ['a.csv'], others: [] }, { warnings: [], empty: new Set() }, [ran('a')]);
  t.equal(endOf(whole, [ran('a')], true), 'ok');
  t.equal(endOf(account, [ran('a'), bad], false), 'mixed');
  t.equal(endOf(account, [bad], false), 'failed');
  for (const marked of [{ rows_rejected: 1 }, { rows_with_errors: 1 }]) {
    t.equal(endOf(whole, [ran('a', marked)], false), 'ok');
    t.equal(endOf(whole, [ran('a', marked)], true), 'mixed', 'strict');
  }
});

t.test('files of one stream → each loaded or left out, by what the run has named', async (t) => {
  const names = ['a.csv', 'b.parquet', 'Müller#Söhne.csv'];
  const what = { kind: 'files' as const, folder: '/', glob: '*', name: 'x', isOne: true, files: names, others: [] };
  const failure = { code: 'parquet_truncated', detail: 'It is cut.', hint: 'Copy it again.' };
  const note = (file: string) => ({
    kind: 'file_left_out',
    count: 1,
    file,
    code: 'parquet_truncated',
    message: 'Cut.',
  });
  for (const [more, right, end] of [
    [{ files_read: 3 }, ['loaded', 'loaded', 'loaded'], 'ok'],
    [
      { status: 'failed', failure, files_read: 2, files_left_out: 1, left_out: [note('b.parquet')] },
      ['loaded', 'left_out parquet_truncated', 'loaded'],
      'mixed',
    ],
    [
      { status: 'failed', failure, files_unchanged: 2, files_left_out: 1, left_out: [note('Müller_Söhne.csv')] },
      ['loaded', 'loaded', 'left_out parquet_truncated'],
      'mixed',
    ],
    [{ status: 'failed', failure }, names.map(() => 'left_out parquet_truncated'), 'failed'],
    [{ status: 'failed', failure, files_read: 1 }, names.map(() => 'unknown parquet_truncated'), 'mixed'],
    [
      { status: 'failed', failure, files_read: 1, files_left_out: 2, left_out: [note('b.parquet')] },
      ['unknown parquet_truncated', 'left_out parquet_truncated', 'unknown parquet_truncated'],
      'mixed',
    ],
  ] as const) {
    const streams = [{ ...RAN, name: 'x', ...more }] as never;
    const account = accountOf(what, { warnings: [], empty: new Set() }, streams);
    const by = new Map(account.map(({ name, status, code = '' }) => [name, `${status} ${code}`.trim()]));
    t.strictSame(
      names.map((name) => by.get(name)),
      right,
    );
    t.equal(endOf(account, streams, false), end);
  }
});

t.test('a file, a pattern, a folder, an address → what is meant; anything else is a usage error', async (t) => {
  const dir = t.testdir({ 'Orders 1.csv': 'id\n', 'orders-2.csv.gz': '', 'notes.txt': '', '.hidden.csv': '', sub: {} });
  t.match(await whatToLoad('Orders 1.csv', dir), { name: 'orders-1', glob: 'Orders 1.csv', isOne: true });
  t.match(await whatToLoad('*rders*', dir), { name: 'rders', files: ['Orders 1.csv', 'orders-2.csv.gz'], isOne: true });
  t.match(await whatToLoad('.', dir), { files: ['Orders 1.csv', 'orders-2.csv.gz'], isOne: false });
  t.match(await whatToLoad('https://x.test/a/B.parquet?x=1', dir), { kind: 'url', name: 'b' });
  for (const word of ['none.csv', 'notes.txt', 'sub', '*.parquet', '*/x.csv', 'https://'])
    await t.rejects(whatToLoad(word, dir), ending('usage'), word);
  await t.rejects(whatToLoad('nowhere/*.csv', dir), { message: /There is no folder .*nowhere/ });
  t.equal(sourceName('2026-03 (1).csv'), 'files');
  t.equal(sourceName('Müller & Söhne.csv'), 'muller-sohne', 'letters stay without their marks');
});

t.test('a file that the server may not read where it lies → sent; every other one is read in its place', async (t) => {
  const other = await mkdtemp(join(tmpdir(), 'weir-load-'));
  t.teardown(() => rm(other, { recursive: true, force: true }));
  const root = join(other, 'root');
  for (const folder of ['root/deep', 'root/.dot', 'root-beside']) await mkdir(join(other, folder), { recursive: true });
  for (const file of ['out.csv', 'root/in.csv', 'root/deep/in.csv', 'root/.dot/x.csv', 'root-beside/x.csv'])
    await writeFile(join(other, file), 'id\n1\n');
  await symlink(join(other, 'out.csv'), join(root, 'link.csv'));
  await symlink(join(root, 'deep'), join(root, 'inner'));
  await symlink(root, join(other, 'way'));
  const read = ['root/in.csv', 'root/deep/in.csv', 'root/inner/in.csv'];
  const sent = ['out.csv', 'root/link.csv', 'root/.dot/x.csv', 'root-beside/x.csv', 'root/../out.csv'];
  for (const file of read) t.equal(await isOpen([join(other, file)], [root]), true, file);
  for (const file of sent) t.equal(await isOpen([join(other, file)], [root]), false, file);
  t.equal(await isOpen([join(root, 'in.csv'), join(root, 'link.csv')], [root]), false, 'one of several');
  t.equal(await isOpen([join(root, 'in.csv')], [join(other, 'way')]), true, 'a root that is a link');
  t.equal(await isOpen([join(root, '.dot', 'x.csv')], [join(root, '.dot')]), true, 'a root that begins with a dot');
  t.equal(await isOpen([join(root, 'in.csv')], []), false, 'no root');
  t.equal(await isOpen(['/etc/hosts'], null), true, 'every folder');
});

t.test('rows that are too wide to be shown → none, and any other refusal fails', async (t) => {
  const refusing = (code: string) => ({ call: () => Promise.reject(new CliError('failed', 'x', { code })) });
  t.equal(await firstRows(refusing('query_timeout'), 'd'), undefined);
  t.equal(await firstRows(refusing('preview_too_large'), 'd'), undefined);
  await t.rejects(firstRows(refusing('not_found'), 'd'), ending('failed'));
});

t.test(
  'a file of one machine, a server without its folders → rows by one command; again loads what is new',
  async (t) => {
    const platform = await sharedPlatform(t);
    const file = join(platform.folder, 'mine', 'orders.csv');
    await mkdir(join(platform.folder, 'mine'));
    await writeFile(file, 'id,customer\n1,ada\n2,grace\n');
    const env = {
      WEIR_URL: platform.url,
      WEIR_TENANT: platform.alias('demo'),
      WEIR_TOKEN: await platform.token('demo'),
    };
    const { weir: ran } = commandLine(t);
    const weir = (line: string) => ran(line, { env });
    const first = await weir(`load ${file}`);
    t.equal(first.code, 0, first.stderr);
    t.equal(first.stdout, `${platform.bronze('orders__orders')}\n  id  customer\n  1   ada\n  2   grace\n`);
    t.match(first.stderr, /sending orders.csv, 26 bytes[\s\S]*the same in steps:\n {2}weir sources create/);
    for (const line of `${first.stdout}${first.stderr}`.split('\n')) t.ok(line.length <= 80, line);
    await writeFile(file, 'id,customer\n1,ada\n2,grace\n3,linus\n');
    const second = await weir(`load ${file} -o json`);
    const { tables } = JSON.parse(second.stdout);
    t.match(tables, [{ dataset_id: platform.bronze('orders__orders'), rows_written: 1, rows: { length: 3 } }]);
    await writeFile(join(platform.folder, 'mine', 'other.csv'), 'id\n1\n');
    const other = await weir(`load ${join(platform.folder, 'mine', 'other.csv')} --as orders`);
    t.match(other, { code: 5, stderr: /The source orders reads something else\.[\s\S]*--as <name>/ });
    await writeFile(file, 'id,customer\n1,ada\n2,GRACE\n');
    const edited = JSON.parse((await weir(`load ${file} -o json`)).stdout).tables;
    t.match(edited, [{ rows_written: 2, rows: { length: 2 } }], 'an edited file takes the place of its rows');
    const odd = join(platform.folder, 'Müller&Söhne#1.csv');
    await writeFile(odd, 'id\n1\n');
    t.match(JSON.parse((await weir(`load ${odd} --as odd -o json`)).stdout).tables, [{ rows_written: 1 }]);
    await writeFile(odd, 'id\n1\n2\n');
    t.match(JSON.parse((await weir(`load ${odd} --as odd -o json`)).stdout).tables, [{ rows: { length: 2 } }]);
    const alike = join(platform.folder, 'alike');
    await mkdir(alike);
    for (const name of ['a%b.csv', 'a#b.csv']) await writeFile(join(alike, name), 'id\n1\n');
    t.match(await weir(`load ${alike}`), { code: 5, stderr: /Two of the files[\s\S]*upload_name_repeated/ });
    const shared = await weir(`load ${join(platform.folder, 'mine')} --as both --no-upload -o json`);
    t.match(JSON.parse(shared.stdout), { name: 'both', tables: { length: 2 } });
  },
);

/** Good, odd and bad files, one that nobody reads and one that nobody counts. */
const FOLDER = {
  'Müller & Söhne.csv': 'id\n1\n',
  'good.csv': 'id,name\n1,ada\n2,grace\n',
  'twice.jsonl': '{"a":1,"a":2}\n{"a":3}\n',
  'footer.csv': 'id,n\n1,2\n3,4\nTotal: 2 rows\n',
  'cut.parquet': 'PAR1',
  'broken.json': 'none of it',
  'empty.csv': '',
  'sheet.xlsx': 'PK',
  '_notes.txt': '',
};

/** A folder of those files, and the command of somebody who may load it. */
async function folderOf(t: Test) {
  const platform = await sharedPlatform(t);
  const folder = join(platform.folder, 'fold');
  await mkdir(folder);
  for (const [name, text] of Object.entries(FOLDER)) await writeFile(join(folder, name), text);
  const env = {
    WEIR_URL: platform.url,
    WEIR_TENANT: platform.alias('demo'),
    WEIR_TOKEN: await platform.token('demo'),
  };
  const { weir } = commandLine(t);
  return { folder, weir: (line: string | string[]) => weir(line, { env }) };
}

t.test('a folder of good and bad files → each is accounted for, and the exit code says so', async (t) => {
  const { folder, weir } = await folderOf(t);
  const left = ['broken.json', 'cut.parquet', 'empty.csv', 'sheet.xlsx'];

  const looked = await weir(`load ${folder} --as fold --dry-run -o json`);
  t.equal(looked.code, 9, looked.stderr);
  const would = JSON.parse(looked.stdout);
  t.match(would.streams, [
    { name: 'Müller & Söhne' },
    { name: 'footer' },
    { name: 'good', columns: [{ name: 'id', type: 'long' }, { name: 'name' }] },
    {},
  ]);
  t.match(
    JSON.parse((await weir('sources list --name fold -o json')).stdout).items,
    { length: 0 },
    'nothing is there of it',
  );

  const loaded = await weir(`load ${folder} --as fold`);
  t.equal(loaded.code, 9, loaded.stderr);
  for (const name of left) t.match(loaded.stderr, new RegExp(`left out: ${name}: .*\\([a-z_]+\\)`), name);
  t.match(loaded.stderr, /fold__good: 2 rows written now/);
  t.match(
    loaded.stderr,
    /fold__twice: 1 row written now\n {2}1 line in quarantine: weir datasets quarantine list bronze\./,
  );
  t.notMatch(loaded.stderr, '_notes');
  const again = JSON.parse((await weir(`load ${folder} --as fold -o json`)).stdout);
  const of = (status: string) =>
    again.files.filter((one: { status: string }) => one.status === status).map(({ name }: { name: string }) => name);
  t.strictSame([of('loaded'), of('left_out')], [['Müller & Söhne.csv', 'footer.csv', 'good.csv', 'twice.jsonl'], left]);

  const only = join(folder, 'footer.csv');
  const fine = await weir(`load ${only} --as under-a-name`);
  t.match(fine, { code: 0, stderr: /2 rows written now\n {2}1 line in quarantine/ });
  t.equal((await weir(`load ${only} --as strict --strict`)).code, 9);
  t.equal((await weir(`load ${join(folder, 'cut.parquet')} --as none`)).code, 1, 'nothing was loaded');
  await writeFile(join(folder, 'plain.txt'), 'A title\n1;ada\n2;grace\n');
  const said = await weir(
    `load ${join(folder, 'plain.txt')} --as plain --format csv --no-header --skip-lines 1 -o json`,
  );
  t.match(JSON.parse(said.stdout).tables, [{ rows_written: 2, rows: [['1', 'ada'], {}] }], said.stderr);
});

t.test('nothing but files without a byte → that is said, and no source is made', async (t) => {
  const { folder, weir } = await folderOf(t);
  for (const flag of ['--upload', '--no-upload', '--dry-run']) {
    const { code, stderr } = await weir(['load', join(folder, 'empty.csv'), flag]);
    t.equal(code, 1);
    t.match(stderr, /left out: empty\.csv: It has no bytes\. \(file_empty\)[\s\S]*Nothing was loaded/);
  }
  t.match(JSON.parse((await weir('sources list --name empty -o json')).stdout).items, { length: 0 });
});

t.test('files of one stream, of which some cannot be read → the others are loaded', async (t) => {
  const { folder, weir } = await folderOf(t);
  const given = join(folder, '{good,empty,Mül*,foot*,cut}.*');
  for (const look of [['--dry-run'], []]) {
    const { code, stdout, stderr } = await weir(['load', given, '--as', 'one', '-o', 'json', ...look]);
    t.equal(code, 9, stderr);
    const { files } = JSON.parse(stdout);
    t.strictSame(
      files.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`),
      [
        'Müller & Söhne.csv loaded',
        'cut.parquet left_out',
        'empty.csv left_out',
        'footer.csv loaded',
        'good.csv loaded',
      ],
    );
  }
});
