import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { MAX_ATTEMPTS, type S3Caller, s3Caller } from '../src/store/s3-caller.ts';
import { createObject, PART_BYTES } from '../src/store/s3-create.ts';
import { downloadObject, readObject } from '../src/store/s3-read.ts';
import { type Fault, type ProxiedRequest, startFlakyProxy, testBucket, testS3 } from '../src/testing.ts';

const bucket = await testBucket();
const proxy = await startFlakyProxy(testS3().endpoint ?? '');
const direct = bucket.open();
const io = bucket.open({ s3: { endpoint: proxy.url } });
t.teardown(async () => {
  await bucket.close();
  await proxy.close();
});

const place = (): string => `${bucket.warehouse}/faults/${randomUUID()}`;
const isCompletion = ({ method, path }: ProxiedRequest): boolean => method === 'POST' && path.includes('uploadId=');
const isWrite = (request: ProxiedRequest): boolean => request.method === 'PUT' && !request.path.includes('partNumber');

/** Goes wrong at the first `times` requests that are meant. */
function atFirst(fault: Fault, meant: (request: ProxiedRequest) => boolean, times = 1): void {
  let left = times;
  proxy.choose((request) => {
    if (left === 0 || !meant(request)) return undefined;
    left -= 1;
    return fault;
  });
}

async function bigDraft(bytes: Buffer): Promise<string> {
  const path = join(bucket.scratch, randomUUID());
  await writeFile(path, bytes);
  return path;
}

// Patience is what is tested here: some requests are made again until it ends.
t.afterEach(() => proxy.choose(() => undefined));

t.test('a write that was applied although its answer was lost has succeeded', async (t) => {
  for (const fault of ['cut_after', 'refuse_after', 'cut', 'refuse'] as const) {
    const location = place();
    atFirst(fault, isWrite);
    await io.write(location, Buffer.from(fault));
    t.equal(String(await direct.read(location)), fault);
  }
});

t.test('a lost answer does not turn the file of another writer into ours, even of the same bytes', async (t) => {
  const location = place();
  await direct.write(location, Buffer.from('same'));
  atFirst('cut_after', isWrite);
  await t.rejects(io.write(location, Buffer.from('same')), { code: 'file_exists' });
});

t.test('a request that comes late never changes what another writer wrote', async (t) => {
  const location = place();
  atFirst('late', isWrite, MAX_ATTEMPTS);
  await t.rejects(io.write(location, Buffer.from('late')), { code: 'store_unavailable' });
  await direct.write(location, Buffer.from('first'));
  await proxy.deliver();
  t.equal(String(await direct.read(location)), 'first');
});

t.test('a big upload whose completion was applied although its answer was lost has succeeded', async (t) => {
  for (const fault of ['cut_after', 'refuse_after', 'cut'] as const) {
    const [location, bytes] = [place(), randomBytes(PART_BYTES + 5)];
    atFirst(fault, isCompletion);
    await io.upload(await bigDraft(bytes), location);
    t.ok((await direct.read(location)).equals(bytes), fault);
  }
});

t.test('a big upload does not replace what came to stand there meanwhile', async (t) => {
  const location = place();
  const path = await bigDraft(randomBytes(PART_BYTES + 5));
  let written: Promise<void> | undefined;
  proxy.choose((request) => {
    if (isCompletion(request)) written ??= direct.write(location, Buffer.from('other'));
    return isCompletion(request) ? 'refuse' : undefined;
  });
  await t.rejects(io.upload(path, location), { code: 'file_exists' });
  await written;
  t.equal(String(await direct.read(location)), 'other');
  t.equal((await readFile(path)).length, PART_BYTES + 5, 'the local file stays');
});

t.test('an answer that breaks off halfway is read again', async (t) => {
  const [location, bytes] = [place(), randomBytes(300_000)];
  await direct.write(location, bytes);
  atFirst('truncate', ({ method }) => method === 'GET', 2);
  t.ok((await io.read(location)).equals(bytes));
  atFirst('truncate', ({ method }) => method === 'GET', 2);
  const file = await io.materialize(location);
  t.ok((await readFile(file.path)).equals(bytes));
  file.release();
});

t.test('with three of ten requests failing, everything is right in the end', async (t) => {
  const faults: Fault[] = ['refuse', 'cut', 'refuse_after', 'cut_after', 'truncate'];
  let count = 0;
  const inVain = new Map<string, number>();
  proxy.choose(({ method, path }) => {
    const request = `${method} ${path}`;
    const times = inVain.get(request) ?? 0;
    // As often as may be in vain, and no more: of so many requests one would by chance fail each time it is made.
    const isFault = count++ % 10 < 3 && times < MAX_ATTEMPTS - 1;
    inVain.set(request, isFault ? times + 1 : 0);
    return isFault ? faults[count % faults.length] : undefined;
  });
  const work = Array.from({ length: 40 }, async (_, at) => {
    const location = place();
    const bytes = Buffer.from(`content ${at}`);
    await io.write(location, bytes);
    t.ok(await io.exists(location));
    t.ok((await io.read(location)).equals(bytes));
    await t.rejects(io.write(location, Buffer.from('again')), { code: 'file_exists' });
    await io.remove(location);
    t.notOk(await io.exists(location));
  });
  await Promise.all(work);
});

t.test('a store that never answers is store_unavailable after a bounded number of requests', async (t) => {
  const before = proxy.seen.length;
  proxy.choose(() => 'refuse');
  await t.rejects(io.read(place()), { code: 'store_unavailable' });
  t.equal(proxy.seen.length - before, MAX_ATTEMPTS);
});

t.test('a store that falls silent is given up, whatever it was asked and however far it came', async (t) => {
  const [bucket, key] = ['weir-tests', 'silence'];
  const target = { Bucket: bucket, Key: key };
  const half = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf';
  const copy = join(t.testdir(), 'copy');
  const cases: [string, string, (caller: S3Caller) => Promise<unknown>][] = [
    ['a read without an answer', '', (caller) => readObject(caller, target)],
    ['a read whose answer stands still', half, (caller) => readObject(caller, target)],
    ['a download whose answer stands still', half, (caller) => downloadObject(caller, target, copy)],
    ['a write that is not taken in', '', (caller) => createObject(caller, { bucket, key }, Buffer.alloc(PART_BYTES))],
  ];
  for (const [name, said, ask] of cases) {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.once('data', () => socket.pause().write(said));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const soon = { attemptMs: 200, totalMs: 400 };
    const caller = s3Caller({ ...testS3(), endpoint }, { short: soon, transfer: soon });
    await t.rejects(ask(caller), { code: 'store_unavailable' }, name);
    t.ok(sockets.length > 0, `${name}: it was reached`);
    caller.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

t.test('a wrong secret is store_denied at once, by every member', async (t) => {
  const wrong = bucket.open({ s3: { endpoint: proxy.url, secretAccessKey: 'wrong' } });
  const before = proxy.seen.length;
  const denied = { code: 'store_denied' };
  await t.rejects(wrong.read(place()), denied);
  await t.rejects(wrong.write(place(), Buffer.from('x')), denied);
  await t.rejects(wrong.exists(place()), denied);
  await t.rejects(wrong.remove(place()), denied);
  await t.rejects(wrong.list(place())[Symbol.asyncIterator]().next(), denied);
  t.equal(proxy.seen.length - before, 5);
});

t.test('an absent bucket is store_denied when something is to be written', async (t) => {
  const { openStore } = await import('../src/store/store.ts');
  const store = openStore({ warehouse: 's3://weir-nobody-made-this/x', scratch: bucket.scratch, s3: testS3() });
  await t.rejects(store.write('s3://weir-nobody-made-this/x/y', Buffer.from('x')), { code: 'store_denied' });
  await store.close();
});
