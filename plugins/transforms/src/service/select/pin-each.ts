import { kernelProblems, Problem, type Tenant } from '@weir/kernel/contract';
import { datasetProblems, type InputsService, type PinnedInput } from '@weir/plugin-datasets/contract';
import { transformProblems } from '../../contract.ts';
import type { ReadSelect, Selects } from './selects.ts';

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

/** Pins the inputs of a statement. Throws `dataset_not_readable` and `input_missing` with the place of each that is at fault. */
export async function pinNamed(
  deps: PinDeps & { selects: Pick<Selects, 'read'> },
  tenant: Tenant,
  { sql, ids }: { sql: string; ids: readonly string[] },
): Promise<readonly PinnedInput[]> {
  try {
    return await deps.inputs.pin(tenant, ids.map(asked));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const { pins, faults } = await pinEach(deps, tenant, await deps.selects.read(sql, []));
    if (faults.length === 0) return pins;
    const shown = { errors: faults.map(({ pointer, code }) => ({ pointer, code })), members: { faults } };
    if (faults.some(({ code }) => code === UNREADABLE)) throw datasetProblems.datasetNotReadable(shown);
    throw transformProblems.inputMissing({ ...shown, values: { count: faults.length } });
  }
}

/** The code of an error for which an input is at fault. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Problem)) return undefined;
  if (error.code === kernelProblems.notFound.entry.code) return MISSING;
  return error.code === UNREADABLE ? error.code : undefined;
}
