import { kernelProblems, Problem, type Tenant } from '@weir/kernel/contract';
import { datasetProblems, type InputsService, type PinnedInput } from '@weir/plugin-datasets/contract';
import { transformProblems } from '../../contract.ts';
import type { ReadSelect } from './selects.ts';

interface PinDeps {
  inputs: Pick<InputsService, 'pin' | 'near'>;
}

const MISSING = transformProblems.inputMissing.entry.code;
const UNREADABLE = datasetProblems.datasetNotReadable.entry.code;
const asked = (datasetId: string) => ({ datasetId });

/** The inputs that can be read, and what is wrong with each other one. */
export async function pinEach({ inputs }: PinDeps, tenant: Tenant, { inputs: ids, places }: ReadSelect) {
  const pins = await inputs.pin(tenant, ids.map(asked)).catch((error) => {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  });
  if (pins !== undefined) return { pins, faults: [] };
  const each = await Promise.all(
    ids.map(async (dataset_id) => {
      const pin = await inputs
        .pin(tenant, [asked(dataset_id)])
        .catch((error) => codeOf(error) ?? Promise.reject(error));
      if (typeof pin !== 'string') return { pins: pin, faults: [] };
      const nearest = await inputs.near(tenant, dataset_id);
      const place = places[dataset_id];
      const pointer = place === undefined ? '/checks' : '/sql';
      const fault = { code: pin, pointer, dataset_id, ...(nearest === undefined ? {} : { nearest }), ...place };
      return { pins: [], faults: [fault] };
    }),
  );
  return { pins: each.flatMap((one) => one.pins), faults: each.flatMap((one) => one.faults) };
}

/** Pins what a statement reads. Throws `dataset_not_readable` and `input_missing` with each dataset that is at fault. */
export async function pinRead(deps: PinDeps, tenant: Tenant, read: ReadSelect): Promise<readonly PinnedInput[]> {
  const { pins, faults } = await pinEach(deps, tenant, read);
  if (faults.length === 0) return pins;
  const having = (code: string) => faults.filter((fault) => fault.code === code);
  const unreadable = having(UNREADABLE);
  const shown = unreadable.length > 0 ? unreadable : having(MISSING);
  const errors = shown.map(({ pointer, code }) => ({ pointer, code }));
  const members = { dataset_ids: shown.map(({ dataset_id }) => dataset_id), faults: shown };
  if (unreadable.length > 0) throw datasetProblems.datasetNotReadable({ errors, members });
  throw transformProblems.inputMissing({ errors, members, values: { count: shown.length } });
}

/** The code of an error for which an input is at fault. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Problem)) return undefined;
  if (error.code === kernelProblems.notFound.entry.code) return MISSING;
  return error.code === UNREADABLE ? error.code : undefined;
}
