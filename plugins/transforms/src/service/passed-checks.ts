import type { Kernel, Tenant } from '@weir/kernel';
import { Problem } from '@weir/kernel/contract';
import { Inputs, type InputsService, MAX_PINNED_INPUTS, Tables } from '@weir/plugin-datasets/contract';
import { RUNTIMES } from '../model/artifact-content.ts';
import { tableRefOf } from '../model/output.ts';

/** A step as far as its readiness is known without a question of its own. */
export interface StepFacts {
  output: string;
  inputs: readonly string[];
  runtime: string;
  isArchived: boolean;
}

/** The check of readiness that every input is there. */
export const INPUTS = 'inputs';

/**
 * The checks of readiness that each step is known to pass, by what is asked once for all steps: a table that another step makes
 * need not be there. Those that are missing here are for the checks themselves to judge, which say what to do.
 */
export async function passedChecks(
  { use }: Pick<Kernel, 'use'>,
  tenant: Tenant,
  steps: readonly StepFacts[],
): Promise<ReadonlySet<string>[]> {
  const made = new Set(steps.map(({ output }) => output.toLowerCase()));
  const outer = [...new Set(steps.flatMap(({ inputs }) => inputs))].filter((id) => !made.has(id.toLowerCase()));
  const isReadable = await areReadable(use(Inputs), tenant, outer);
  const tables = use(Tables);
  const passed: ReadonlySet<string>[] = [];
  for (const { output, runtime, isArchived } of steps) {
    const { writable, exists, readable } = await tables.describe(tenant, tableRefOf(output));
    const checks = {
      hydrated: true,
      runtime: RUNTIMES.includes(runtime),
      archived: !isArchived,
      [INPUTS]: isReadable,
      output: writable && (!exists || readable),
    };
    passed.push(new Set(Object.entries(checks).flatMap(([name, isPassed]) => (isPassed ? [name] : []))));
  }
  return passed;
}

async function areReadable(inputs: InputsService, tenant: Tenant, ids: readonly string[]): Promise<boolean> {
  try {
    for (let at = 0; at < ids.length; at += MAX_PINNED_INPUTS) {
      await inputs.pin(
        tenant,
        ids.slice(at, at + MAX_PINNED_INPUTS).map((datasetId) => ({ datasetId })),
      );
    }
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
