import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { openStore, parseLocation, toLocation } from '../src/index.ts';
import { fileConformance, testBucket } from '../src/testing.ts';

t.test('files in a local folder', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'weir-files-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const io = openStore({ warehouse: root, scratch: join(root, 'scratch') });
  fileConformance(t, { io, root: toLocation(join(root, 'ware house')) });
});

t.test('files in an S3 store', async (t) => {
  const bucket = await testBucket();
  t.teardown(() => bucket.close());
  fileConformance(t, { io: bucket.open(), root: `${bucket.warehouse}/t` });
});

t.test('the spellings of other engines name the same files', async (t) => {
  for (const location of ['/a b/c', 'file:/a b/c', 'file:///a b/c', 'FILE:///a b/c']) {
    t.equal(toLocation(location), 'file:///a b/c');
  }
  for (const scheme of ['s3', 's3a', 's3n', 'S3']) t.equal(toLocation(`${scheme}://b/k/%20 x`), 's3://b/k/%20 x');
  t.strictSame(parseLocation('s3://bucket'), { kind: 's3', bucket: 'bucket', key: '' });
  t.equal(toLocation('s3://bucket/'), 's3://bucket');
  for (const location of ['', 'a', 'file:a', 'gs://b/k', 's3:///k', 's3://b/a//c', 's3://b/../c', '/a\0b']) {
    t.throws(() => parseLocation(location), { code: 'location_outside_root' }, location);
  }
});

t.test('an S3 warehouse without credentials is refused, wherever the surroundings may have some', async (t) => {
  t.throws(() => openStore({ warehouse: 's3://b/k', scratch: '/nowhere' }), { code: 'store_denied' });
});
