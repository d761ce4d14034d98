import { readFile } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { blockFaults, isOutput } from '../docs/blocks.ts';
import { callIds } from '../docs/call-ids.ts';
import { startDevPlatform } from '../docs/dev-platform.ts';
import { brokenLinks, readPages } from '../docs/links.ts';
import { normalised, showsSame } from '../docs/normalise.ts';
import { readPage } from '../docs/page.ts';
import { referencePages } from '../docs/reference/pages.ts';
import { INTERNAL_VARIABLES, VARIABLE_GROUPS } from '../docs/reference/variables.ts';
import { runCalls, runPages } from '../docs/run-pages.ts';
import { tourFaults } from '../docs/tour.ts';
import { testPlatform } from '../platform.ts';
import { readSources } from '../spec/read-sources.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const HANG_LIMIT_MS = 600_000;

t.setTimeout(HANG_LIMIT_MS);

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

t.test('the commands of all pages do what the pages show', { timeout: HANG_LIMIT_MS }, async (t) => {
  const platform = await startDevPlatform(ROOT);
  t.teardown(() => platform.stop());
  const pages = await readPages(ROOT);
  const readme = pages.find(({ file }) => file === 'README.md');
  const start = readme?.blocks.find(isOutput)?.text ?? '';
  t.ok(showsSame(start, platform.said.stderr), 'npm start prints what README.md shows', {
    shown: normalised(start),
    printed: normalised(platform.said.stderr),
  });
  const runs = await runPages(pages, platform);
  for (const { file, blocks, outputs, faults } of runs)
    t.strictSame(faults, [], `${file}: ${blocks}, ${outputs} shown`);
  t.ok(runs.reduce((sum, { blocks }) => sum + blocks, 0) > 20, 'blocks were run');
  const api = pages.find(({ file }) => file === 'docs/reference/api.md');
  if (api === undefined) return;
  const calls = await runCalls(api, platform, await callIds(platform));
  t.strictSame(calls.faults, [], `${calls.blocks} calls of the reference are answered`);
  t.ok(calls.blocks > 10);
});
