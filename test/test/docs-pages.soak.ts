import path from 'node:path';
import t from 'tap';
import { wantedExit } from '../docs/blocks.ts';
import { callIds } from '../docs/call-ids.ts';
import { checkPages } from '../docs/check-pages.ts';
import { readPages } from '../docs/links.ts';
import { runCalls } from '../docs/run-pages.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

t.test('every page and every call of the API reference → prints what the page shows', async (t) => {
  const pages = await readPages(ROOT);
  const runnable = pages.flatMap(({ blocks }) => blocks).filter((block) => wantedExit(block) !== undefined);
  t.ok(runnable.length > 20, 'the pages have blocks to run');
  const platform = await checkPages(t, ROOT, pages);
  const api = pages.filter(({ file }) => file === 'docs/reference/api.md');
  t.equal(api.length, 1, 'the API reference exists');
  for (const page of api) {
    const calls = await runCalls(page, platform, await callIds(platform));
    t.strictSame(calls.faults, [], `${calls.blocks} calls of the reference are answered`);
    t.ok(calls.blocks > 10, 'calls were run');
  }
});
