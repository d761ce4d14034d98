import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { localFileIO, localPath, parseExact, readMetadata, stringifyExact, toLocation } from '../src/index.ts';
import { nextMetadataLocation } from '../src/metadata/metadata.ts';
import { stringifyMetadata } from '../src/metadata/metadata-json.ts';
import { newMetadata } from '../src/metadata/new-metadata.ts';

const LONG = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

t.test('64-bit integers survive metadata JSON digit for digit', async (t) => {
  fc.assert(
    fc.property(LONG, fc.integer(), fc.string(), (id, ms, text) => {
      const value = { 'snapshot-id': id, 'sequence-number': BigInt(ms), 'timestamp-ms': ms, summary: { text } };
      t.strictSame(parseExact(stringifyExact(value)), value);
    }),
  );
});

t.test('metadata is parsed as a reviver would, whatever its texts hold', async (t) => {
  const parts = fc.constantFrom(
    '"snapshot-id":',
    '"',
    '\\',
    '12345678901234567890',
    ',',
    ':',
    ' ',
    '\u0000',
    '-1',
    '{',
    '}',
  );
  const text = fc.array(parts).map((all) => all.join(''));
  const name = fc.oneof(
    fc.constantFrom('snapshot-id', 'parent-snapshot-id', 'a_b-sequence-number', 'n', '__proto__'),
    text,
  );
  const leaf = fc.oneof(
    LONG,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text,
    fc.constant(null),
  );
  const tree = fc.dictionary(name, fc.oneof(leaf, fc.array(leaf), fc.dictionary(name, leaf)), {
    noNullPrototype: true,
  });
  const reviver = (key: string, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number' || !/^-?\d+$/.test(context?.source ?? '')) return value;
    const long = /(^|-)(snapshot-id|sequence-number)$/.test(key) || !Number.isSafeInteger(value);
    return long ? BigInt(context?.source ?? '') : value;
  };
  const check = (value: unknown) => {
    for (const json of [stringifyExact(value), stringifyExact(value).replaceAll(':', ' : ')]) {
      const wanted = JSON.parse(json, reviver as (key: string, value: unknown) => unknown);
      t.strictSame(parseExact(json), wanted);
    }
  };
  fc.assert(fc.property(tree, check), { numRuns: 1000 });
});

t.test('a large integer of an unknown member is not rounded', async (t) => {
  t.strictSame(parseExact('{"other":9007199254740993,"small":7}'), { other: 9007199254740993n, small: 7 });
});

t.test('metadata is spelled alike whether its lists are new, grew, forked or shrank', async (t) => {
  const items = fc.array(fc.record({ 'snapshot-id': LONG, summary: fc.dictionary(fc.string(), fc.string()) }));
  const steps = fc.array(fc.record({ from: fc.nat(), keep: fc.nat(), drop: fc.boolean(), added: items }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(steps, (all) => {
      const states: (readonly object[])[] = [[]];
      const texts = all.map(({ from, keep, drop, added }) => {
        const base = states[from % states.length]!;
        const kept = drop ? base.slice(keep % (base.length + 1)) : base;
        const list = [...kept, ...added];
        states.push(list);
        const metadata = { a: list.length, list, none: undefined, same: list, z: [1n, 'x'] };
        return [metadata, stringifyMetadata(metadata)] as const;
      });
      // What was made first must stand when more was made.
      for (const [metadata, bytes] of texts) t.equal(bytes.toString(), stringifyExact(metadata));
    }),
    { numRuns: 1_000 },
  );
});

t.test('file:/p, file:///p and /p are one file, with spaces taken literally', async (t) => {
  for (const location of ['file:/a b/c', 'file:///a b/c', '/a b/c']) t.equal(localPath(location), '/a b/c');
  t.equal(toLocation('/a b/c'), 'file:///a b/c');
  t.throws(() => localPath('s3://bucket/key'), { code: 'location_outside_root' });
});

t.test('a local warehouse', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-io-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const io = localFileIO({ root });

  t.test('a location is written once, whole, and leaves no draft', async (t) => {
    const location = `file://${root}/deep/down/one.json`;
    await io.write(location, Buffer.from('first'));
    await t.rejects(io.write(location, Buffer.from('second')), { code: 'file_exists' });
    t.equal((await io.read(location)).toString(), 'first');
    t.strictSame(await readdir(join(root, 'deep/down')), ['one.json']);
    await io.remove(location);
    await io.remove(location);
    t.notOk(await io.exists(location));
    await t.rejects(io.read(location), { code: 'file_missing' });
  });

  t.test('a location outside of the warehouse is refused', async (t) => {
    for (const location of ['/etc/hostname', `file://${root}/../x`, `${root}x/y`, root]) {
      await t.rejects(io.read(location), { code: 'location_outside_root' });
    }
  });

  t.test('metadata is read back, gzip or not, and other things are metadata_invalid', async (t) => {
    const metadata = newMetadata({ location: `file://${root}`, fields: [], properties: { a: 'b' } });
    const text = stringifyExact({ ...metadata, 'current-snapshot-id': -1, unknown: { kept: true } });
    await writeFile(join(root, 'a.json'), text);
    await writeFile(join(root, 'b.gz.json'), gzipSync(text));
    for (const name of ['a.json', 'b.gz.json']) {
      const read = await readMetadata(io, join(root, name));
      t.strictSame(read, { ...metadata, unknown: { kept: true } });
    }
    for (const bad of ['', 'null', '{"format-version":1}', text.slice(0, -5)]) {
      await writeFile(join(root, 'bad.json'), bad);
      await t.rejects(readMetadata(io, join(root, 'bad.json')), { code: 'metadata_invalid' });
    }
    t.match(await readFile(join(root, 'a.json'), 'utf8'), /"last-sequence-number":0,/);
  });
});

t.test('metadata files are numbered in sequence', async (t) => {
  t.match(nextMetadataLocation('file:///w/t'), /^file:\/\/\/w\/t\/metadata\/00000-[0-9a-f-]{36}\.metadata\.json$/);
  t.match(nextMetadataLocation('/w/t', '/w/t/metadata/00041-x.metadata.json'), /\/00042-/);
  t.match(nextMetadataLocation('/w/t', '/w/t/metadata/v7.metadata.json'), /\/00008-/);
});
