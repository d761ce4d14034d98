import { FAULT_SENTENCES, type Input, type Output, Problem, type Tenant } from '@weir/kernel/contract';
import { nearestName, type PinnedInput } from '@weir/plugin-datasets/contract';
import { DEFINITION_FAULTS, SQL_FAULTS } from '../contract/problems.ts';
import { transformProblems, type validateTransform } from '../contract.ts';
import { checkFaults } from '../model/checks/check-rules.ts';
import { compileCheck } from '../model/checks/compile-check.ts';
import { lineageOf } from '../model/lineage.ts';
import { assertFitting, assertIncrement, assertMaterializing, incrementOf } from '../model/materialization.ts';
import { outputRef } from '../model/output.ts';
import { type SqlFault, SqlRefused } from '../model/select/select-errors.ts';
import { type FoundInput, type PinInputs, pinEach } from './select/pin-each.ts';
import type { SelectAsks } from './select/select-asks.ts';
import { asSelectProblems, writtenFaults } from './select/select-problem.ts';
import type { Selects } from './select/selects.ts';

export interface ValidateDeps {
  inputs: PinInputs;
  selects: Pick<Selects, 'within'>;
}

type Body = Input<typeof validateTransform>['body'];
type Answer = Output<typeof validateTransform>;
type Fault = Answer['faults'][number];

const NOTHING: Answer = {
  valid: false,
  faults: [],
  inputs: [],
  columns: [],
  lineage: [],
  findings: [],
  estimate: null,
};

/** Finds what is wrong in definitions that are not saved. */
export function validateService({ inputs, selects }: ValidateDeps) {
  return {
    async validate(tenant: Tenant, body: Body, signal: AbortSignal): Promise<Answer> {
      const answer = await asSelectProblems(() =>
        selects.within({ signal }, (asks) => examined({ inputs, asks }, tenant, body)),
      );
      return { ...answer, faults: answer.faults.map(withSentence) };
    },
  };
}

interface ExamineDeps {
  inputs: PinInputs;
  asks: Pick<SelectAsks, 'read' | 'describe'>;
}

async function examined({ inputs, asks }: ExamineDeps, tenant: Tenant, body: Body): Promise<Answer> {
  const { sql, checks = [] } = body;
  const compiled = checks.map((check) => compileCheck(check, new Date()));
  const ruled = [...ruleFaults(tenant, body), ...checkFaults(checks).map((one) => ({ ...one, pointer: '/checks' }))];
  const read = await refusable(() => asks.read(sql, compiled));
  if ('faults' in read) return { ...NOTHING, faults: [...ruled, ...faultsOf(read.faults, body)] };
  const self = body.output?.toLowerCase();
  const own = read.found.inputs.includes(self ?? '')
    ? [{ code: transformProblems.outputIsInput.entry.code, pointer: '/output' }]
    : [];
  const { pins, faults } = await pinEach({ inputs, isDeclaredEnough: true }, tenant, read.found);
  const known = { ...NOTHING, inputs: pins.map(inputView) };
  if (faults.length > 0) return { ...known, faults: [...ruled, ...own, ...faults] };
  const increment = incrementOf(materializing(body));
  const asked = { sql, inputs: pins, checks: compiled, increment };
  const described = await refusable(() => asks.describe(asked));
  const estimate = { rows: sum(pins.map(({ rows }) => rows)), bytes: sum(pins.map(({ bytes }) => bytes)) };
  if ('faults' in described) {
    return { ...known, estimate, faults: [...ruled, ...own, ...faultsOf(described.faults, body, pins)] };
  }
  const { columns, lineage, findings } = described.found;
  const fitting = [
    ...refusals(() => assertFitting(materializing(body), { columns, inputs: read.found.inputs })),
    ...refusals(() => assertIncrement(materializing(body), described.found.increment)),
  ];
  const all = [...ruled, ...own, ...fitting];
  const shown = columns.map(({ name, type }) => ({ name, type }));
  return {
    ...{ valid: all.length === 0, faults: all, inputs: known.inputs, estimate },
    ...{ columns: shown, lineage: lineageOf(sql, columns, lineage) },
    findings: [...findings],
  };
}

function withSentence(fault: Fault): Fault {
  const message = SQL_FAULTS[fault.code] ?? DEFINITION_FAULTS[fault.code] ?? FAULT_SENTENCES[fault.code];
  return message === undefined ? fault : { ...fault, message };
}

const inputView = ({ datasetId, snapshotId, rows, bytes, producer }: FoundInput) => ({
  ...{ dataset_id: datasetId, snapshot_id: snapshotId, rows, bytes },
  not_made: producer ?? null,
});

const sum = (digits: readonly string[]): string => String(digits.reduce((total, one) => total + BigInt(one), 0n));

const materializing = ({ materialization = 'full', key = [], partition_by: partitionBy = [], incremental }: Body) => ({
  ...{ materialization, key, partitionBy, incremental },
});

/** What is wrong whatever the statement is. */
function ruleFaults(tenant: Tenant, body: Body): Fault[] {
  const { output } = body;
  return [
    ...(output === undefined ? [] : refusals(() => outputRef(tenant.scope, output), '/output')),
    ...refusals(() => assertMaterializing(materializing(body))),
  ];
}

/** The problem that a rule throws, as faults of its members. */
function refusals(rule: () => unknown, pointer = '/materialization'): Fault[] {
  try {
    rule();
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { errors } = error.details;
    return errors?.map(({ code, pointer: at }) => ({ code, pointer: at })) ?? [{ code: error.code, pointer }];
  }
}

/** What is asked for, or the faults for which it is refused. */
async function refusable<T>(ask: () => Promise<T>): Promise<{ found: T } | { faults: readonly SqlFault[] }> {
  try {
    return { found: await ask() };
  } catch (error) {
    if (error instanceof SqlRefused) return { faults: error.faults };
    throw error;
  }
}

/** Faults without names that the statement writes: their places find them. */
function faultsOf(faults: readonly SqlFault[], { checks = [] }: Body, pins: readonly PinnedInput[] = []): Fault[] {
  const columns = pins.flatMap((pin) => pin.columns.map(({ name }) => name));
  return writtenFaults(faults, checks).map(({ name, ...fault }) => {
    const isColumn = fault.code === 'column_unknown' && name !== undefined;
    const nearest = fault.nearest ?? (isColumn ? nearestName(name, columns) : undefined);
    const pointer = fault.check === undefined ? '/sql' : '/checks';
    return { ...fault, ...(nearest === undefined ? {} : { nearest }), pointer };
  });
}
