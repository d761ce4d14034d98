import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createServer } from 'node:tls';
import { bootPlatform } from '@weir/kernel/boot';
import { testDatabase, testIssuer } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { type TestAuthority, type TestCertificate, testAuthority } from '../certificates.ts';
import { platformEnvironment } from '../platform.ts';
import { startWorker } from '../worker-process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NODE_ARGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
const NAME = 'engine.example';

type Changes = Record<string, string | undefined>;

/** The workflow engine of the test behind TLS, which takes no client without a certificate of this authority. */
async function front(t: Test, { cert: ca }: TestAuthority, { cert, key }: TestCertificate): Promise<string> {
  const [host = '', port] = (process.env.WEIR_TEST_TEMPORAL_ADDRESS ?? '').split(':');
  const open = new Set<Socket>();
  const server = createServer({ ca, cert, key, requestCert: true, ALPNProtocols: ['h2'] }, (outside) => {
    const inside = connect(Number(port), host);
    for (const [socket, other] of [
      [outside, inside],
      [inside, outside],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined).once('close', () => other.destroy());
      socket.pipe(other);
    }
  });
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return String((server.address() as AddressInfo).port);
}

t.test('TLS to the workflow engine', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-engine-tls-'));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const [authority, other] = [await testAuthority(folder, 'authority'), await testAuthority(folder, 'other')];
  const client = await authority.issue('client');
  const stranger = await other.issue('stranger');
  const port = await front(t, authority, await authority.issue('server', `DNS:${NAME}`));
  const [issuer, database] = [await testIssuer(t), await testDatabase(t, tools)];
  const open = platformEnvironment({ database, issuer, folder });
  const verified: Changes = {
    ...{ ...open, WORKFLOW_PORT: port, WEIR_WORKFLOW_TLS: 'on', WEIR_WORKFLOW_TLS_SERVER_NAME: NAME },
    ...{ WEIR_WORKFLOW_TLS_ROOT_CERT_FILE: authority.certFile },
    ...{ WEIR_WORKFLOW_TLS_CERT_FILE: client.certFile, WEIR_WORKFLOW_TLS_KEY_FILE: client.keyFile },
  };
  const health = async (changes: Changes = {}) => {
    const environment = { ...verified, ...changes };
    const log = pino({ level: 'silent' });
    const platform = await bootPlatform({
      platformFile: String(environment.WEIR_PLATFORM),
      environment,
      program: 'test',
      log,
    });
    try {
      return await platform.workflows.health();
    } finally {
      await platform.stop();
    }
  };
  const program = (file: string, changes: Changes = {}) =>
    new Promise<{ code: unknown; said: string }>((done) => {
      const env = { ...verified, ...changes };
      const line = [...NODE_ARGS, join(ROOT, file), '--roles', 'source'];
      execFile(process.execPath, line, { env }, (error, stdout, stderr) =>
        done({ code: error?.code ?? 0, said: stdout + stderr }),
      );
    });
  const clear = Object.fromEntries(
    Object.keys(verified)
      .filter((name) => /_TLS/.test(name))
      .map((name) => [name, undefined]),
  );
  const none = { WEIR_WORKFLOW_TLS_CERT_FILE: undefined, WEIR_WORKFLOW_TLS_KEY_FILE: undefined };

  await t.test('a name, an authority or a certificate that is not the right one is refused by name', async (t) => {
    t.equal(await health(), true);
    const cases: [Changes, RegExp][] = [
      [{ WEIR_WORKFLOW_TLS_SERVER_NAME: undefined }, /the certificate of WORKFLOW_HOST is for another name/],
      [{ WEIR_WORKFLOW_TLS_ROOT_CERT_FILE: other.certFile }, /not from an authority in WEIR_WORKFLOW_TLS_ROOT_CERT/],
      [none, /WORKFLOW_HOST does not accept the client certificate; check WEIR_WORKFLOW_TLS_CERT/],
      [{ WORKFLOW_PORT: open.WORKFLOW_PORT }, /WORKFLOW_HOST does not speak TLS, which WEIR_WORKFLOW_TLS asks for/],
      [{ WEIR_WORKFLOW_TLS: 'off' }, /WEIR_WORKFLOW_TLS_ROOT_CERT is set, but TLS is off/],
      [{ WEIR_WORKFLOW_TLS_KEY_FILE: stranger.keyFile }, /WEIR_WORKFLOW_TLS_KEY is not the key of/],
    ];
    for (const [changes, message] of cases)
      await t.rejects(health(changes), { name: 'Refusal', message }, String(message));
    const foreign = { WEIR_WORKFLOW_TLS_CERT_FILE: stranger.certFile, WEIR_WORKFLOW_TLS_KEY_FILE: stranger.keyFile };
    // The front closes the connection without a word of why, as one does whose engine is away.
    t.equal(await health(foreign).catch(({ code }) => code), 'dependency_unavailable', 'a foreign certificate');
    t.equal(await health({ ...none, WORKFLOW_PORT: '9' }).catch(({ code }) => code), 'dependency_unavailable', 'away');
    t.equal(await health(clear).catch(({ code }) => code), 'dependency_unavailable', 'in the clear');
  });

  await t.test('workers and their probe take the same settings', async (t) => {
    const plain = await program('workers/src/main.ts', clear);
    t.match(plain, { code: 70, said: /does not answer without TLS; check WORKFLOW_HOST and WEIR_WORKFLOW_TLS/ });
    await startWorker(t, verified as Record<string, string>, 'source');
    t.match(await program('workers/src/health.ts'), { code: 0, said: /"healthy":true/ });
  });
});
