import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { ConnectorExit, ConnectorProcess, ContainerRuntime } from '@weir/connector-runtime';
import type { EngineRole } from '../engine/engine-role.ts';

/** Enough rows for more than one state, and few enough for a moment. */
export const PROOF_ROWS = 5_000;
/** So many that a connector which gives them still runs when its engine goes. */
const ENDLESS = 1_000_000_000;
const LIMITS = { memoryMiB: 256, pids: 64, cpus: 0.5, tmpMiB: 16 };
const STARTED_BYTES = 256 * 1024;
/** Between two looks at what one gives that is in flow: it goes on to run, and leaves the machine to others. */
const TRICKLE_MS = 50;

type Message = {
  readonly type: string;
  readonly record?: { readonly data: { readonly name: string; readonly value: string } };
  readonly catalog?: { readonly streams: readonly { readonly name: string }[] };
};

/** The probe as one role's worker runs it; every run is of this proof and of nobody's source. */
export function proofRuns(runtime: ContainerRuntime, role: EngineRole, image: string, proof: string) {
  const start = (verb: 'discover' | 'read', stream = '', rows = 0): Promise<ConnectorProcess> => {
    const configured = [{ stream: { name: stream }, sync_mode: 'full_refresh', destination_sync_mode: 'append' }];
    const inputs = { config: JSON.stringify({ rows }), catalog: JSON.stringify({ streams: configured }) };
    return runtime.run({
      ...{ image, role, verb, limits: LIMITS },
      labels: { tenant: 'proof', source: proof, execution: randomUUID(), attempt: '1' },
      inputs: verb === 'read' ? inputs : { config: inputs.config },
    });
  };
  const whole = async (verb: 'discover' | 'read', stream?: string, rows?: number): Promise<Message[]> => {
    const connector = await start(verb, stream, rows);
    const lines = (await textOf(connector.stdout)).split('\n').filter((line) => line !== '');
    const exit = await connector.exit;
    if (!isWell(exit)) throw new Error(`the probe ended with ${exit.failure ?? exit.code}: ${connector.stderrTail()}`);
    return lines.map((line) => JSON.parse(line) as Message);
  };
  return {
    /** What a container of this role sees of its bounds; the names of its namespaces are its own and left out. */
    async boundary(): Promise<Map<string, string>> {
      const records = (await whole('read', 'boundary')).flatMap(({ record }) => record?.data ?? []);
      return new Map(
        records.filter(({ name }) => !name.startsWith('namespace ')).map(({ name, value }) => [name, value]),
      );
    },
    async discovered(): Promise<string> {
      const found = (await whole('discover')).flatMap(({ catalog }) => catalog?.streams ?? []);
      return found.map(({ name }) => name).join(' ');
    },
    async extracted(): Promise<number> {
      return (await whole('read', 'rows', PROOF_ROWS)).filter(({ type }) => type === 'RECORD').length;
    },
    /** A connector in flow, which is held back once it is: resolves then, with its end. */
    async load(): Promise<{ ended: Promise<ConnectorExit> }> {
      const connector = await start('read', 'rows', ENDLESS);
      let bytes = 0;
      const flowing = Promise.withResolvers<void>();
      connector.stdout.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes < STARTED_BYTES) return;
        flowing.resolve();
        connector.stdout.pause();
        setTimeout(() => connector.stdout.resume(), TRICKLE_MS);
      });
      await Promise.race([flowing.promise, connector.exit]);
      return { ended: connector.exit };
    },
  };
}

/** Whether an end may be taken for a success. */
export const isWell = ({ code, failure, stopped }: ConnectorExit): boolean =>
  code === 0 && failure === undefined && !stopped;

async function textOf(stdout: Readable): Promise<string> {
  const parts: Buffer[] = [];
  stdout.on('data', (chunk: Buffer) => parts.push(chunk));
  await once(stdout, 'end');
  return Buffer.concat(parts).toString();
}
