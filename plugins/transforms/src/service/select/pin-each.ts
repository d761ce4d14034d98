import { kernelProblems, Problem, type Tenant } from '@weir/kernel/contract';
import {
  type DeclaredInput,
  datasetProblems,
  type InputsService,
  type PinnedInput,
} from '@weir/plugin-datasets/contract';
import { transformProblems } from '../../contract.ts';
import type { ReadSelect } from './select-asks.ts';

export type PinInputs = Pick<InputsService, 'pin' | 'near' | 'declared'>;

interface PinDeps {
  inputs: PinInputs;
  /** Columns suffice: inputs that are not there yet are taken as their producers declare them, without rows. */
  isDeclaredEnough?: boolean;
}

/** An input as it is, or as its producer declares it. */
export type FoundInput = PinnedInput & Partial<Pick<DeclaredInput, 'producer'>>;

const MISSING = transformProblems.inputMissing.entry.code;
/** Of an input that a producer is going to write. */
const NOT_MADE = 'input_not_made';
const UNREADABLE = datasetProblems.datasetNotReadable.entry.code;
const asked = (datasetId: string) => ({ datasetId });

type Fault = {
  code: string;
  pointer: string;
  dataset_id: string;
  nearest?: string;
  line?: number;
  column?: number;
} & Partial<Pick<DeclaredInput, 'producer'>>;
interface Each {
  pins: readonly FoundInput[];
  faults: readonly Fault[];
  /** What brings about inputs that are at fault. */
  next: readonly DeclaredInput['next'][];
}

/** The inputs that can be read, and what is wrong with each other one. */
export async function pinEach(deps: PinDeps, tenant: Tenant, read: ReadSelect): Promise<Each> {
  const pins = await deps.inputs.pin(tenant, read.inputs.map(asked)).catch((error) => {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  });
  if (pins !== undefined) return { pins, faults: [], next: [] };
  const each = await Promise.all(read.inputs.map((datasetId) => pinOne(deps, tenant, { datasetId, ...read })));
  return {
    pins: each.flatMap((one) => one.pins),
    faults: each.flatMap((one) => one.faults),
    next: each.flatMap((one) => one.next),
  };
}

async function pinOne(
  { inputs, isDeclaredEnough }: PinDeps,
  tenant: Tenant,
  { datasetId, places }: Pick<ReadSelect, 'places'> & { datasetId: string },
): Promise<Each> {
  const pins = await inputs.pin(tenant, [asked(datasetId)]).catch((error) => codeOf(error) ?? Promise.reject(error));
  if (typeof pins !== 'string') return { pins, faults: [], next: [] };
  const [declared] = pins === MISSING ? await inputs.declared(tenant, [datasetId]) : [];
  const { producer, pin, next } = declared ?? {};
  if (isDeclaredEnough && pin && producer) return { pins: [{ ...pin, producer }], faults: [], next: [] };
  const nearest = declared === undefined ? await inputs.near(tenant, datasetId) : undefined;
  const place = places[datasetId];
  const pointer = place === undefined ? '/checks' : '/sql';
  const code = producer === undefined ? pins : NOT_MADE;
  const fault = {
    code,
    pointer,
    dataset_id: datasetId,
    ...(nearest && { nearest }),
    ...(producer && { producer }),
    ...place,
  };
  return { pins: [], faults: [fault], next: next === undefined ? [] : [next] };
}

/** Pins what a statement reads. Throws `dataset_not_readable` and `input_missing` with each dataset that is at fault. */
export async function pinRead(deps: PinDeps, tenant: Tenant, read: ReadSelect): Promise<readonly FoundInput[]> {
  const { pins, faults, next } = await pinEach(deps, tenant, read);
  if (faults.length === 0) return pins;
  const having = (code: string) => faults.filter((fault) => fault.code === code);
  const unreadable = having(UNREADABLE);
  const shown = unreadable.length > 0 ? unreadable : faults;
  const errors = shown.map(({ pointer, code }) => ({ pointer, code }));
  const members = { dataset_ids: shown.map(({ dataset_id }) => dataset_id), faults: shown };
  if (unreadable.length > 0) throw datasetProblems.datasetNotReadable({ errors, members });
  throw transformProblems.inputMissing({
    errors,
    members,
    values: { count: shown.length },
    ...(next.length > 0 && { next }),
  });
}

/** The code of an error for which an input is at fault. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Problem)) return undefined;
  if (error.code === kernelProblems.notFound.entry.code) return MISSING;
  return error.code === UNREADABLE ? error.code : undefined;
}
