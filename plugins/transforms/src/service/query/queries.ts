import { raw, type Tenant } from '@weir/kernel';
import type { Input, Output } from '@weir/kernel/contract';
import { ARROW_STREAM, type InputsService, type PinnedInput } from '@weir/plugin-datasets/contract';
import { DEFAULT_QUERY_ROWS, type runQuery, TRUNCATED_HEADER } from '../../contract.ts';
import { pinRead } from '../select/pin-each.ts';
import { asSelectProblems } from '../select/select-problem.ts';
import type { Selects } from '../select/selects.ts';

/** Bytes of JSON that the rows of an answer may have. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;

export interface QueryDeps {
  inputs: InputsService;
  selects: Selects;
}

type Body = Input<typeof runQuery>['body'];

/** Answers statements over the datasets that a tenant may read. */
export function queryService({ inputs, selects }: QueryDeps) {
  const ask = (tenant: Tenant, { sql, limit = DEFAULT_QUERY_ROWS }: Body, form: 'json' | 'arrow') =>
    asSelectProblems(() =>
      selects.query({
        ...{ sql, limit, maxBytes: MAX_ANSWER_BYTES },
        pin: (read) => pinRead({ inputs }, tenant, read),
        ...(form === 'arrow' ? { arrow: labelsOf } : {}),
      }),
    );
  return {
    async json(tenant: Tenant, body: Body): Promise<Output<typeof runQuery>> {
      const began = performance.now();
      const { columns, rows, truncated, pins } = await ask(tenant, body, 'json');
      return {
        columns: [...columns],
        rows: (rows as readonly (readonly unknown[])[]).map((row) => [...row]),
        truncated,
        inputs: inputsOf(pins),
        elapsed_ms: Math.round(performance.now() - began),
      };
    },
    /** The same rows as an Arrow IPC stream, whose schema names the inputs. */
    async arrow(tenant: Tenant, body: Body): Promise<ReturnType<typeof raw>> {
      const { rows, truncated } = await ask(tenant, body, 'arrow');
      const { buffer, byteOffset, byteLength } = rows as Uint8Array;
      const headers = { vary: 'accept', [TRUNCATED_HEADER]: String(truncated) };
      return raw({ type: ARROW_STREAM, body: Buffer.from(buffer, byteOffset, byteLength), headers });
    },
  };
}

const inputsOf = (pins: readonly PinnedInput[]) =>
  pins.map(({ datasetId, snapshotId }) => ({ dataset_id: datasetId, snapshot_id: snapshotId }));

const labelsOf = (pins: readonly PinnedInput[]) => ({ 'weir.inputs': JSON.stringify(inputsOf(pins)) });
