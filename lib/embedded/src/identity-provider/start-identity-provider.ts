import { fileURLToPath } from 'node:url';
import { onFreePort, untilReady } from '../ready.ts';
import { type Supervised, supervise } from '../supervised.ts';
import { CLI_CLIENT } from './demo-users.ts';

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url));
const NODE_FLAGS = ['--conditions=@weir/source', '--disable-warning=ExperimentalWarning'];
const READY_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 5_000;

export type IdentityProviderOptions = {
  /** Folder of the signing keys, which are made on the first start. */
  dataDir: string;
  /** Port on 127.0.0.1; a free one when absent. It is part of the issuer, so tokens live as long as it stays. */
  port?: number;
  logFile: string;
  outlivesParent?: boolean;
};

export type RunningIdentityProvider = {
  pid: number;
  port: number;
  issuer: string;
  stop(): Promise<void>;
  exited: Supervised['exited'];
};

async function launchOn(port: number, options: IdentityProviderOptions): Promise<RunningIdentityProvider> {
  const issuer = `http://127.0.0.1:${port}`;
  const child = await supervise({
    name: 'the identity provider',
    command: process.execPath,
    args: [...NODE_FLAGS, PROGRAM, options.dataDir, String(port)],
    logFile: options.logFile,
    outlivesParent: options.outlivesParent ?? false,
  });
  const answers = async () => {
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    return (await fetch(`${issuer}/.well-known/openid-configuration`, { signal })).ok;
  };
  await untilReady('the identity provider', child, answers, READY_TIMEOUT_MS);
  return { pid: child.pid, port, issuer, stop: async () => void (await child.stop()), exited: child.exited };
}

/** Starts the development identity provider as a process of its own and returns when it answers. */
export function startIdentityProvider(options: IdentityProviderOptions): Promise<RunningIdentityProvider> {
  return onFreePort(options.port, (port) => launchOn(port, options), /EADDRINUSE/);
}

/** An access token of a demo user, good for a day. Throws when the provider does not know the name. */
export async function developmentToken(issuer: string, user: string): Promise<string> {
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', client_id: CLI_CLIENT, username: user }),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  });
  const { access_token: token } = (await answer.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`the identity provider gave no token (${answer.status})`);
  return token;
}
