import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { until } from '../../test/until.ts';
import type { MaterializedFile } from '../src/index.ts';
import { createFileCache } from '../src/store/file-cache.ts';

const MAX_BYTES = 100;
const scratch = await mkdtemp(join(tmpdir(), 'weir-cache-'));
t.teardown(() => rm(scratch, { recursive: true, force: true }));

/** A file of the location's first number as its size. */
function counting() {
  const downloads: string[] = [];
  const download = async (location: string, path: string): Promise<number> => {
    downloads.push(location);
    const size = Number.parseInt(location, 10);
    await writeFile(path, 'x'.repeat(size));
    return size;
  };
  return { downloads, download };
}

t.test('requests for one file at one time share one download, and later ones the copy', async (t) => {
  const { downloads, download } = counting();
  const cache = createFileCache({ scratch, maxBytes: MAX_BYTES, download });
  const files = await Promise.all([1, 2, 3, 4].map(() => cache.open('40a')));
  t.equal(new Set(files.map(({ path }) => path)).size, 1);
  for (const file of files) file.release();
  (await cache.open('40a')).release();
  t.strictSame(downloads, ['40a']);
  await cache.close();
});

t.test('the copy used longest ago goes first; one in use stays whatever comes', async (t) => {
  const { downloads, download } = counting();
  const cache = createFileCache({ scratch, maxBytes: MAX_BYTES, download });
  const held = await cache.open('40a');
  for (const location of ['40b', '40c', '40d']) (await cache.open(location)).release();
  t.equal((await readFile(held.path)).length, 40);
  held.release();
  (await cache.open('40a')).release();
  (await cache.open('40b')).release();
  t.strictSame(downloads, ['40a', '40b', '40c', '40d', '40b']);
  await cache.close();
});

t.test('a failed download leaves nothing, and the next request tries again', async (t) => {
  let fail = true;
  const cache = createFileCache({
    scratch,
    maxBytes: MAX_BYTES,
    async download(_location, path) {
      await writeFile(path, 'xx');
      if (fail) throw new Error('cut');
      return 2;
    },
  });
  await t.rejects(Promise.all([cache.open('a'), cache.open('a')]), { message: 'cut' });
  fail = false;
  const file = await cache.open('a');
  t.equal(String(await readFile(file.path)), 'xx');
  file.release();
  await cache.close();
  t.strictSame(await readdir(scratch), [], 'closing removes all copies');
});

t.test('copies that a dead process left are removed, those of the living and of others are not', async (t) => {
  const { download } = counting();
  const first = createFileCache({ scratch, maxBytes: MAX_BYTES, download });
  (await first.open('1a')).release();
  const [mine = ''] = await readdir(scratch);
  const [, host, , started] = mine.split('-');
  const dead = mine.replace(`-${process.pid}-`, '-4194303-');
  const earlier = mine.replace(`-${started}-`, '-1-');
  const elsewhere = mine.replace(String(host), '0123456789abcdef');
  for (const name of [dead, earlier, elsewhere, 'something']) await mkdir(join(scratch, name));
  const second = createFileCache({ scratch, maxBytes: MAX_BYTES, download });
  (await second.open('1a')).release();
  t.notOk(existsSync(join(scratch, dead)));
  t.notOk(existsSync(join(scratch, earlier)));
  for (const name of [mine, elsewhere, 'something']) t.ok(existsSync(join(scratch, name)), name);
  await first.close();
  await second.close();
});

/** Bytes of all copies. */
async function bytes(): Promise<number> {
  const entries = await readdir(scratch, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

type Step = { readonly open: number } | { readonly release: number } | { readonly forget: number };
const place = fc.nat({ max: 7 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ open: place }),
  fc.record({ release: fc.nat({ max: 20 }) }),
  fc.record({ forget: place }),
);

t.test('whatever is opened, released and removed: copies in use can be read, the rest keeps the bound', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const cache = createFileCache({ scratch, maxBytes: MAX_BYTES, download: counting().download });
      const held: { location: string; file: MaterializedFile }[] = [];
      for (const one of steps) {
        if ('open' in one) {
          const location = `${one.open * 9}-${one.open}`;
          held.push({ location, file: await cache.open(location) });
        } else if ('release' in one) {
          const [out] = held.splice(one.release % (held.length || 1), 1);
          out?.file.release();
        } else {
          cache.forget(`${one.forget * 9}-${one.forget}`);
        }
        for (const { location, file } of held) {
          if ((await readFile(file.path)).length !== Number.parseInt(location, 10)) return false;
        }
      }
      for (const { file } of held.splice(0)) file.release();
      // Removals go on after a release returns.
      await until('the cache keeps its bound', async () => (await bytes()) <= MAX_BYTES);
      await cache.close();
      return true;
    }),
    { numRuns: 200 },
  );
  t.pass();
});
