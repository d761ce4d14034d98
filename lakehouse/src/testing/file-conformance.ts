import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import type { FileIO, ListedFile } from '../store/fileio.ts';

/** A store under test, and a location below its warehouse that no other test uses. */
export type Subject = { readonly io: FileIO; readonly root: string };

const RACERS = 16;
/** More than one page of every store that pages. */
const MANY_FILES = 1_050;
const WRITERS_AT_ONCE = 8;
/** More than one part of an upload, and an odd end. */
const BIG_BYTES = 20 * 1024 ** 2 + 17;
const ODD_NAMES = ['with space', 'ünï-ço∂é-表', 'per%cent%20', 'a=1', 'plus+and&', "quo'te", 'hash#q?m', 'comma,semi;'];

async function listed(io: FileIO, folder: string): Promise<ListedFile[]> {
  const found: ListedFile[] = [];
  for await (const file of io.list(folder)) found.push(file);
  return found.sort((a, b) => (a.location < b.location ? -1 : 1));
}

async function withScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-conformance-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A finished local file that `upload` may consume, where the store wants it. */
async function draft(io: FileIO, location: string, scratch: string, bytes: Uint8Array): Promise<string> {
  const path = io.draftPath(location) ?? join(scratch, randomUUID());
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  return path;
}

function writing(t: Test, { io, root }: Subject): void {
  t.test('a file reads as it was written, bytes of every value and none', async (t) => {
    const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256));
    await io.write(`${root}/w/a`, bytes);
    await io.write(`${root}/w/empty`, Buffer.alloc(0));
    t.strictSame(await io.read(`${root}/w/a`), bytes);
    t.equal((await io.read(`${root}/w/empty`)).length, 0);
    t.ok(await io.exists(`${root}/w/empty`));
  });

  t.test('a taken location is refused and stays as it was', async (t) => {
    await io.write(`${root}/w/taken`, Buffer.from('first'));
    await t.rejects(io.write(`${root}/w/taken`, Buffer.from('second')), { code: 'file_exists' });
    await withScratch(async (scratch) => {
      const path = await draft(io, `${root}/w/taken`, scratch, Buffer.from('third'));
      await t.rejects(io.upload(path, `${root}/w/taken`), { code: 'file_exists' });
      t.equal(await readFile(path, 'utf8'), 'third', 'what was not taken in stays');
      await rm(path);
    });
    t.equal(String(await io.read(`${root}/w/taken`)), 'first');
  });

  t.test(`of ${RACERS} writers of one location exactly one succeeds, and its bytes are there`, async (t) => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: RACERS }, (_, at) => io.write(`${root}/w/race`, Buffer.from(`writer ${at}`))),
    );
    const winners = outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []));
    t.equal(winners.length, 1);
    t.equal(String(await io.read(`${root}/w/race`)), `writer ${winners[0]}`);
    for (const one of outcomes) if (one.status === 'rejected') t.equal(one.reason.code, 'file_exists');
  });

  t.test('a removed file is gone, an absent one is removed without an error', async (t) => {
    await io.write(`${root}/w/gone`, Buffer.from('x'));
    await io.remove(`${root}/w/gone`);
    await io.remove(`${root}/w/gone`);
    t.notOk(await io.exists(`${root}/w/gone`));
    await io.write(`${root}/w/gone`, Buffer.from('again'));
    t.equal(String(await io.read(`${root}/w/gone`)), 'again');
  });
}

function reading(t: Test, { io, root }: Subject): void {
  t.test('an absent file is file_missing to readers, also beneath a file', async (t) => {
    await io.write(`${root}/r/file`, Buffer.from('x'));
    for (const location of [`${root}/r/none`, `${root}/none/none`]) {
      await t.rejects(io.read(location), { code: 'file_missing' });
      await t.rejects(io.read(location, { offset: 0, length: 1 }), { code: 'file_missing' });
      await t.rejects(io.materialize(location), { code: 'file_missing' });
      t.notOk(await io.exists(location));
    }
  });

  t.test('a range gives its bytes, and none past the end', async (t) => {
    await io.write(`${root}/r/ten`, Buffer.from('0123456789'));
    const cases: [number, number, string][] = [
      [0, 10, '0123456789'],
      [0, 1, '0'],
      [3, 4, '3456'],
      [8, 100, '89'],
      [10, 5, ''],
      [50, 5, ''],
      [4, 0, ''],
    ];
    for (const [offset, length, want] of cases) {
      t.equal(String(await io.read(`${root}/r/ten`, { offset, length })), want, `${offset}+${length}`);
    }
  });

  t.test('a materialized file can be read by its path until it is released', async (t) => {
    const bytes = randomBytes(100_000);
    await io.write(`${root}/r/local`, bytes);
    const files = await Promise.all([1, 2, 3].map(() => io.materialize(`${root}/r/local`)));
    for (const file of files) t.strictSame(await readFile(file.path), bytes);
    for (const file of files) file.release();
    files[0]?.release();
  });
}

function naming(t: Test, { io, root }: Subject): void {
  t.test('odd names are taken literally', async (t) => {
    for (const name of ODD_NAMES) await io.write(`${root}/odd/${name}/${name}`, Buffer.from(name));
    for (const name of ODD_NAMES) t.equal(String(await io.read(`${root}/odd/${name}/${name}`)), name);
    t.strictSame(
      (await listed(io, `${root}/odd`)).map(({ location }) => location),
      ODD_NAMES.map((name) => `${root}/odd/${name}/${name}`).sort(),
    );
    await t.rejects(io.read(`${root}/odd/per cent%20/per%cent%20`), { code: 'file_missing' });
  });

  t.test('what lies outside the warehouse is refused by every member', async (t) => {
    const outside = ['/', '/etc/passwd', 'file:///etc/passwd', 's3://another-bucket/k', 'https://localhost/x', 'x', ''];
    for (const location of [...outside, `${root}/../../../../../../x`]) {
      const refused = { code: 'location_outside_root' };
      await t.rejects(io.read(location), refused, location);
      await t.rejects(io.write(location, Buffer.from('x')), refused);
      await t.rejects(io.exists(location), refused);
      await t.rejects(io.remove(location), refused);
      await t.rejects(listed(io, location), refused);
      await t.rejects(io.upload('/nothing', location), refused);
      await t.rejects(io.materialize(location), refused);
      t.throws(() => io.draftPath(location), refused);
    }
  });

  t.test('a listing has what lies beneath a folder, whatever its neighbours are called', async (t) => {
    for (const name of ['a/1', 'a/b/2', 'ab/3', 'a.txt']) await io.write(`${root}/l/${name}`, Buffer.from(name));
    const before = Date.now();
    const found = await listed(io, `${root}/l/a/`);
    t.strictSame(
      found.map(({ location, sizeBytes }) => [location, sizeBytes]),
      [
        [`${root}/l/a/1`, 3],
        [`${root}/l/a/b/2`, 5],
      ],
    );
    for (const { modifiedAt } of found) t.ok(Math.abs(modifiedAt.getTime() - before) < 3_600_000);
    t.strictSame(await listed(io, `${root}/l/nothing`), []);
  });
}

function large(t: Test, { io, root }: Subject): void {
  t.test('a listing of more than a page is whole', async (t) => {
    const names = Array.from({ length: MANY_FILES }, (_, at) => String(at).padStart(6, '0'));
    const queue = [...names];
    const writer = async (): Promise<void> => {
      for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
        await io.write(`${root}/many/${name}`, Buffer.from(name));
      }
    };
    await Promise.all(Array.from({ length: WRITERS_AT_ONCE }, writer));
    t.strictSame(
      (await listed(io, `${root}/many`)).map(({ location }) => location.slice(-6)),
      names,
    );
  });

  t.test('a local file is taken in whole and consumed, small or big, created once only', async (t) => {
    await withScratch(async (scratch) => {
      for (const size of [0, 1_000, BIG_BYTES]) {
        const [bytes, location] = [randomBytes(size), `${root}/up/${size}`];
        const path = await draft(io, location, scratch, bytes);
        await io.upload(path, location);
        await t.rejects(stat(path), { code: 'ENOENT' });
        const copy = await io.materialize(location);
        t.ok((await readFile(copy.path)).equals(bytes), `${size} bytes`);
        copy.release();
        t.ok((await io.read(location)).equals(bytes));
        const again = await draft(io, location, scratch, randomBytes(size));
        await t.rejects(io.upload(again, location), { code: 'file_exists' });
        t.ok((await io.read(location)).equals(bytes));
        await rm(again);
      }
    });
  });

  t.test('of four big uploads to one location at once one stands whole, and it succeeded', async (t) => {
    await withScratch(async (scratch) => {
      const location = `${root}/up/race`;
      const contents = [1, 2, 3, 4].map(() => randomBytes(BIG_BYTES));
      const paths = await Promise.all(contents.map((bytes) => draft(io, location, scratch, bytes)));
      const outcomes = await Promise.allSettled(paths.map((path) => io.upload(path, location)));
      const winners = outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []));
      const stands = await io.read(location);
      t.ok(winners.some((at) => stands.equals(contents[at] as Buffer)));
      for (const path of paths) await rm(path, { force: true });
    });
  });
}

/** What every store of table files has to keep; `open` gives one at a place of its own. */
export function fileConformance(t: Test, subject: Subject): void {
  writing(t, subject);
  reading(t, subject);
  naming(t, subject);
  large(t, subject);
}
