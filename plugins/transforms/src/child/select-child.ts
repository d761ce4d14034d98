// The program that runs statements of a user one after the other, until its parent ends it. It holds no credential, neither of the database nor of the store.
import {
  beginReserve,
  createSelector,
  createStager,
  type DuckdbReserve,
  type FileIO,
  givenFiles,
  LakehouseError,
  loadSelector,
  type MergeResult,
  type SelectInputs,
  type SelectorOptions,
  typeText,
} from '@weir/plugin-datasets/stage';
import { startPulse } from '@weir/processes';
import {
  columnLineage,
  type IncrementOf,
  type IncrementShape,
  incrementShape,
  type PlanOperator,
  provenShape,
  type RelationFacts,
  review,
  volatileOf,
} from '@weir/sql';
import { faultsOf, judge } from '../model/select/judge.ts';
import type { FromSelect, MergeAsk, SelectAsk, SelectInput, SelectPlan, ToSelect } from '../model/select/messages.ts';
import { SqlRefused } from '../model/select/select-errors.ts';
import { assertChecks, readInputs, withTypeTexts } from './read-checks.ts';

const WATCH_INTERVAL_MS = 20;
const BYTES_PER_MIB = 1_048_576;
/** What the program holds beside DuckDB. */
const PROGRAM_MIB = 256;
const LEAST_DUCKDB_MIB = 128;

const sealed = Promise.withResolvers<void>();
const uploads = new Map<number, (failure: string | undefined) => void>();

function send(message: FromSelect, after?: () => void): void {
  process.send?.(message, undefined, undefined, after);
}

/** Has the parent keep a file of the result. */
const upload: FileIO['upload'] = (path, location) =>
  new Promise((resolve, reject) => {
    const id = uploads.size;
    uploads.set(id, (failure) => {
      if (failure === undefined) resolve();
      else reject(new LakehouseError(failure as LakehouseError['code'], 'A file of the result could not be kept'));
    });
    send({ type: 'upload', id, path, location });
  });

const rowsByName = (inputs: readonly SelectInput[]): SelectInputs => new Map(inputs.map((one) => [one.name, one.rows]));

const memoryOf = ({ bounds }: SelectPlan): string => `${Math.max(LEAST_DUCKDB_MIB, bounds.memoryMiB - PROGRAM_MIB)}MiB`;

/** What bounds a DuckDB of this process. */
function limitsOf(plan: SelectPlan) {
  const { spillMiB, threads, deadlineMs } = plan.bounds;
  const limits = { memoryLimit: memoryOf(plan), spillLimit: `${spillMiB}MiB`, threads, deadlineMs, reserve };
  return { io: givenFiles(plan, upload), scratch: plan.scratch, ...limits };
}

function selectorOf(plan: SelectPlan, seen: { ast?: unknown }) {
  const gate: SelectorOptions['gate'] = (statement) => {
    seen.ast ??= statement.ast;
    judge(statement);
    return sealOnce();
  };
  return createSelector({ ...limitsOf(plan), gate });
}

/** Before the first thing that a user wrote is bound or run; DuckDB has begun its threads by then. */
function sealOnce(): Promise<void> {
  if (!isSealed) send({ type: 'seal' });
  isSealed = true;
  return sealed.promise;
}

async function carryOut(plan: SelectPlan): Promise<unknown> {
  const { ask } = plan;
  const seen: { ast?: unknown } = {};
  const selector = selectorOf(plan, seen);
  switch (ask.kind) {
    case 'read':
      return readInputs(selector, ask);
    case 'describe': {
      const { increment: asked } = ask;
      const inputs = rowsByName(ask.inputs);
      const examined = await selector.examine({ ...ask, inputs, wantsPlan: asked !== undefined });
      const { columns } = examined;
      assertChecks(examined.refused, ask.checks);
      const names = ask.inputs.map(({ name, rows }) => [name, rows.schema.fields.map((field) => field.name)] as const);
      const { clock, chance } = volatileOf(seen.ast);
      const increment =
        asked && judgedIncrement(seen.ast, asked, { plan: examined.plan, readsClock: clock.length > 0 });
      const known = {
        sql: ask.sql,
        inputs: Object.fromEntries(ask.inputs.map(({ name, rows }) => [name, factsOf(rows)])),
      };
      const lineage = columnLineage(seen.ast, Object.fromEntries(names));
      return { columns, lineage, increment, clock, chance, findings: review(seen.ast, known) };
    }
    case 'rows': {
      const { columns, ...found } = await selector.rows({ ...ask, inputs: rowsByName(ask.inputs) });
      return { ...found, columns: columns.map(({ name, type }) => ({ name, type: typeText(type) })) };
    }
    case 'merge':
      return merged(plan, ask);
    default:
      return withTypeTexts(await selector.run({ ...ask, inputs: rowsByName(ask.inputs) }));
  }
}

/** What a table says of its columns, keys and partitions. */
function factsOf({ schema, partitions }: SelectInput['rows']): RelationFacts {
  const keys = schema['identifier-field-ids'] ?? [];
  const names = keys.map((id) => schema.fields.find((field) => field.id === id)?.name ?? '');
  return {
    columns: schema.fields.map(({ name, type, required }) => ({
      name,
      type: typeof type === 'string' ? type : undefined,
      nullable: !required,
    })),
    keys: names.length === 0 ? undefined : [names],
    partitions,
  };
}

/** What the tree says, where the bound plan agrees; rows of another time follow from no row that is new. */
function judgedIncrement(
  ast: unknown,
  asked: IncrementOf,
  { plan, readsClock }: { plan: PlanOperator | undefined; readsClock: boolean },
): IncrementShape {
  if (readsClock) return { fault: 'increment_clock' };
  const found = incrementShape(ast, asked);
  return provenShape(found, plan ?? { name: 'NONE' }, asked.input);
}

async function merged(plan: SelectPlan, { request }: MergeAsk): Promise<MergeResult> {
  const stager = await createStager(limitsOf(plan));
  try {
    return await stager.merge(request);
  } finally {
    stager.close();
  }
}

async function answer(plan: SelectPlan): Promise<FromSelect> {
  try {
    const size = plan.reserve;
    if (size > 0) reserve ??= await beginReserve(size, { memoryLimit: memoryOf(plan), threads: plan.bounds.threads });
    const result = await carryOut(plan);
    return { type: 'done', result, isFresh: process.memoryUsage.rss() < PROGRAM_MIB * BYTES_PER_MIB };
  } catch (error) {
    return failureOf(error, plan.ask);
  }
}

/** What went wrong. Messages of DuckDB quote values: none of them leaves this process. */
function failureOf(error: unknown, { sql }: SelectAsk): FromSelect {
  if (error instanceof SqlRefused) return { type: 'refused', faults: error.faults };
  if (!(error instanceof LakehouseError)) return { type: 'failed', code: 'query_failed' };
  const faults = faultsOf(error, sql);
  return faults === undefined ? { type: 'failed', code: error.code } : { type: 'refused', faults };
}

function holdToMemory({ memoryMiB }: SelectPlan['bounds']): void {
  setInterval(() => {
    if (process.memoryUsage.rss() < memoryMiB * BYTES_PER_MIB) return;
    send({ type: 'failed', code: 'out_of_memory' }, () => process.kill(process.pid, 'SIGKILL'));
  }, WATCH_INTERVAL_MS).unref();
}

let isHeld = false;
let isSealed = false;
let reserve: DuckdbReserve | undefined;

process.on('message', (message: ToSelect) => {
  if (message.type === 'sealed') {
    sealed.resolve();
    return;
  }
  if (message.type === 'uploaded') {
    uploads.get(message.id)?.(message.failure);
    return;
  }
  if (!isHeld) {
    isHeld = true;
    startPulse(() => send({ type: 'pulse' }));
    holdToMemory(message.plan.bounds);
  }
  void answer(message.plan).then((one) => send(one));
});
// A statement that still runs would go on without its parent.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// It takes its time to load: it is here when the plan is.
await loadSelector();
