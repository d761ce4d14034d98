import { readFile } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { blockFaults } from '../docs/blocks.ts';
import { checkPages } from '../docs/check-pages.ts';
import { brokenLinks, readPages } from '../docs/links.ts';
import { madeNames, sharedNames } from '../docs/made-names.ts';
import { normalised, showsSame } from '../docs/normalise.ts';
import { readPage } from '../docs/page.ts';
import { referencePages } from '../docs/reference/pages.ts';
import { INTERNAL_VARIABLES, VARIABLE_GROUPS } from '../docs/reference/variables.ts';
import { tourFaults } from '../docs/tour.ts';
import { testPlatform } from '../platform.ts';
import { readSources } from '../spec/read-sources.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Pages whose commands every run executes; the lane `docs-pages` executes those of all pages. */
const FIRST_PAGES = ['README.md', 'docs/tutorials/first-source.md'];

const pageText = (file: string) => readFile(path.join(ROOT, file), 'utf8');

t.test('the reference is what npm run docs would write now', async (t) => {
  const pages = await referencePages(await testPlatform(t, t.testdir()));
  for (const [name, text] of pages) {
    const found = await pageText(`docs/reference/${name}`).catch(() => '');
    t.ok(found === text, `docs/reference/${name} is current; npm run docs writes it anew`);
  }
});

t.test('every environment variable that a source reads is in the reference, or named as internal', async (t) => {
  const { variables } = await readSources(ROOT);
  const told = await pageText('docs/reference/configuration.md');
  const noted = VARIABLE_GROUPS.flatMap(({ variables: group }) => group.map(({ name }) => name));
  const plainName = (name: string) => name.replace(/_FILE$/, '');
  const missing = [...variables.keys()].filter(
    (name) =>
      !INTERNAL_VARIABLES.has(name) && !told.includes(`\`${plainName(name)}\``) && !told.includes(`\`${name}\``),
  );
  t.strictSame(missing, []);
  t.strictSame(
    noted.filter((name) => !variables.has(name)),
    [],
    'none is told that nobody reads',
  );
});

t.test('every link leads to a page, a heading or a file that is there', async (t) => {
  const pages = await readPages(ROOT);
  t.strictSame(await brokenLinks(ROOT, pages), []);
  const planted = readPage('docs/x.md', '# A\n[a](#a) [b](#b) [c](gone.md) [d](../README.md) [e](http://x.example)');
  const faults = await brokenLinks(ROOT, [...pages, planted]);
  t.strictSame(
    faults.map((fault) => fault.split(' ')[1]),
    ['#b', 'gone.md', 'http://x.example'],
  );
});

t.test('every block is run, is a passage of a file, or says why it is neither', async (t) => {
  for (const page of (await readPages(ROOT)).filter(({ file }) => /^(docs\/|[^/]+$)/.test(file))) {
    t.strictSame(await blockFaults(ROOT, page), [], page.file);
  }
  const planted =
    '```sh\nrm\n```\n```text output\nx\n```\n```sh not run: because\n```\n```ts from package.json\nx();\n```';
  t.equal((await blockFaults(ROOT, readPage('x.md', planted))).length, 4, 'and the check sees what is planted');
});

t.test('no two pages make a thing of one name, so that one can be followed after the other', async (t) => {
  const pages = await readPages(ROOT);
  t.ok(new Set(pages.flatMap((page) => [...madeNames(page)])).size > 30, 'what pages make is found');
  t.strictSame(sharedNames(pages), []);
  const page = (file: string, command: string) => readPage(file, `\`\`\`sh run\n${command}\n\`\`\``);
  const [one, other] = [page('a.md', 'weir sources create --name depot'), page('b.md', 'weir load x.csv --as depot')];
  t.strictSame(sharedNames([one, other]), ['sources create depot: a.md, b.md']);
  const file = page(
    'c.md',
    "cat > t.yaml <<'END'\nname: days\nto: gold.demo.days\nEND\nweir transforms create -f t.yaml",
  );
  t.strictSame([...madeNames(file)], ['transforms create days']);
});

t.test('the tour names files and functions that are there, in an order without a gap', async (t) => {
  const text = await pageText('docs/tour.md');
  t.strictSame(await tourFaults(ROOT, text), []);
  const broken = text.replace('## 3. Auth', '## 3. Authority').replace('`commitTables`', '`commitNothing`');
  t.equal((await tourFaults(ROOT, broken)).length, 3, 'and the check sees what is planted');
});

t.test('what a page shows is compared without ids, times, ports and widths', async (t) => {
  t.ok(showsSame('A   B\n1   127.0.0.1:1 in 3 s\n…\nend', 'A  B\n1  127.0.0.1:80 in 14.5 s\nmore\nmore\nend\n'));
  t.ok(showsSame('run 01a1fd09-3492-702c-ac7d-8f0b7658a85d', 'run 01980000-0000-7000-8000-000000000000'));
  t.notOk(showsSame('3 rows', '4 rows'));
  t.notOk(showsSame('one', 'one\ntwo'));
  t.equal(normalised('in /tmp/x/a', [['/tmp/x', '/home/ada']]), 'in /home/ada/a');
});

t.test('README.md and the first tutorial → their commands print what the pages show', async (t) => {
  const pages = await readPages(ROOT);
  const first = pages.filter(({ file }) => FIRST_PAGES.includes(file));
  t.equal(first.length, FIRST_PAGES.length);
  await checkPages(t, ROOT, first);
});
