import stringWidth from 'string-width';
import t from 'tap';
import { commands } from '../src/commands.ts';
import { NARROW } from '../src/output/fit.ts';
import { recordTable, table } from '../src/output/table.ts';
import { commandLine } from './command-line.ts';
import { fakeApi } from './fake-api.ts';
import { IDS, sources } from './shapes.ts';

const overlong = (text: string) => text.split('\n').filter((line) => stringWidth(line) > NARROW);

t.test('help of every command and group → no line longer than 80 columns', async (t) => {
  const { weir } = commandLine(t);
  const env = { COLUMNS: String(NARROW) };
  const paths = commands().flatMap(({ paths = [] }) => paths.map((words) => words.join(' ')));
  t.ok(paths.length > 100, `${paths.length} commands`);
  const groups = new Set(paths.map((words) => words.split(' ')[0] ?? ''));
  for (const line of [...paths.map((words) => `${words} --help`), ...groups, 'help', 'help --all'])
    t.strictSame(overlong((await weir(line, { env })).stdout), [], line);
});

t.test('a list of long values at COLUMNS=80 → every line fits, ids are whole, -o wide cuts nothing', async (t) => {
  const { weir } = commandLine(t);
  const long = { ...sources(IDS.source, 'n'.repeat(63)), description: 'x'.repeat(200) };
  const fake = await fakeApi(t, {
    'GET /api/v1/sources': { status: 200, body: { items: [long], next_page_token: null, total: 1 } },
  });
  const env = { WEIR_URL: fake.url, WEIR_TOKEN: 'x', WEIR_TENANT: 'demo' };
  const narrow = await weir('sources list', { env: { ...env, COLUMNS: '80' } });
  t.strictSame(overlong(narrow.stdout), []);
  t.match(narrow.stdout, /n{11,}…/);
  const wide = await weir('sources list -o wide', { env: { ...env, COLUMNS: '80' } });
  t.match(wide.stdout, new RegExp(`n{63}[^]*${IDS.source}[^]*x{200}`));
});

t.test('columns that have no room → counted in a last line; ids, numbers and times keep their meaning', async (t) => {
  const row = { run_id: IDS.runId, started_at: '2026-03-01T08:00:59.123Z', rows: 3_004_837, text: 'word '.repeat(40) };
  const more = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`column_${at}`, 'y'.repeat(40)]));
  const drawn = table([...Object.keys(row), ...Object.keys(more)], [{ ...row, ...more }], { width: NARROW });
  t.strictSame(overlong(drawn), []);
  t.match(drawn, new RegExp(`${IDS.runId}  2026-03-01 08:00Z  3004837`));
  t.match(drawn, /\n\(\+\d+ columns: -o wide\)\n$/);
  t.strictSame(overlong(recordTable({ detail: 'word '.repeat(40) }, NARROW)), []);
  t.ok(overlong(table(Object.keys(row), [row])).length > 0, 'in a pipe nothing is cut');
});

t.test('rows of a user → names as they are, NULL beside the empty text', async (t) => {
  const drawn = table(['Order ID', 'a', 'A', 'a.b'], [{ 'Order ID': null, a: '', A: 'x', 'a.b': 'y' }], {
    isData: true,
  });
  t.match(drawn, /^Order ID {2}a {2}A {2}a\.b\n {4}NULL {5}x {2}y\n$/);
});
