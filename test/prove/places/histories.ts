import { Client, Connection } from '@temporalio/client';
import type { Look } from '../look.ts';
import type { Place, Proof } from '../proof.ts';

/** Nothing runs behind the control; it is ended when it has been found. */
const CONTROL_ID = 'prove-control';

async function withClient<T>({ platform }: Proof, work: (client: Client) => Promise<T>): Promise<T> {
  const { address, namespace } = platform.services.temporal;
  const connection = await Connection.connect({ address });
  try {
    return await work(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}

/** Every execution that the engine knows: how it is listed, and each event of its history with its payloads. */
export const histories: Place = {
  name: 'workflow histories',
  about: 'every event of every execution, payloads decoded, with memo, search attributes, ids and failures',
  leak: (proof, control) =>
    withClient(proof, async (client) => {
      const options = { workflowId: CONTROL_ID, taskQueue: CONTROL_ID, args: [{ deep: [control.text] }] };
      await client.workflow.start('control', options);
    }),
  lookAlive: (proof, look) =>
    withClient(proof, async (client) => {
      for await (const execution of client.workflow.list()) {
        const { workflowId, runId } = execution;
        const where = `${execution.type} ${workflowId}`;
        await lookThroughValue(look, `${where}, as it is listed`, execution.raw);
        const handle = client.workflow.getHandle(workflowId, runId);
        await lookThroughValue(look, `${where}, history`, await handle.fetchHistory());
      }
    }),
};

/** Looks through every text and all bytes of a value, one after the other. */
async function lookThroughValue(look: Look, where: string, value: unknown): Promise<void> {
  const parts: Uint8Array[] = [];
  const gather = (inner: unknown): void => {
    if (inner instanceof Uint8Array) parts.push(inner, SEPARATOR);
    else if (typeof inner === 'object' && inner !== null)
      for (const [name, member] of Object.entries(inner)) {
        parts.push(Buffer.from(name), SEPARATOR);
        gather(member);
      }
    else if (typeof inner === 'string') parts.push(Buffer.from(inner), SEPARATOR);
  };
  gather(value);
  await look.chunks(where, parts);
}

const SEPARATOR = Buffer.from('\n');
