import { type Contributed, definePlugin, provide, type WeirPlugin } from '@weir/kernel';
import { kernelProblems } from '@weir/kernel/contract';
import { type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import {
  datasetProblems,
  Inputs,
  type InputsService,
  type PinnedInput,
  Producers,
  Tables,
  type TablesService,
} from '@weir/plugin-datasets/contract';
import { Events, type Hint, RunLogs, type RunLogsService } from '@weir/plugin-platform/contract';
import { SubjectSchedules, type SubjectSchedulesService } from '@weir/plugin-schedules/contract';
import { producersService } from '../../datasets/src/producer/producers.ts';
import * as endpoints from '../src/contract.ts';
import type { ArtifactContent } from '../src/model/artifact-content.ts';
import { ArtifactEntity, HydrationEntity, TransformEntity, TransformRunEntity } from '../src/model/entities.ts';
import { MATERIALIZATION_KIND, TRANSFORM_KIND } from '../src/model/run-kinds.ts';
import { SqlRefused } from '../src/model/select/select-errors.ts';
import plugin, { registered } from '../src/plugin.ts';
import type { Selects } from '../src/service/select/selects.ts';
import { transformServices } from '../src/service/services.ts';

export const SQL = 'select id, count(*) as orders from bronze.acme.orders group by id';

export const ORDERS = 'bronze.acme.orders';

/** The one table that is there, pinned so; others are unknown, or not the tenant's. */
const inputsOf = (pin: Partial<PinnedInput>): Partial<InputsService> => ({
  pin: async (tenant, asked) =>
    asked.map(({ datasetId }) => {
      if (!datasetId.includes(`.${tenant.scope}.`)) throw datasetProblems.datasetNotReadable();
      if (datasetId !== ORDERS) throw kernelProblems.notFound();
      return { datasetId, columns: [], ...pin } as PinnedInput;
    }),
  near: async (_, datasetId) => (datasetId.startsWith('bronze.acme.or') ? ORDERS : undefined),
  declared: async () => [],
  unmark: async () => undefined,
});

const tables = {
  describe: async () => ({
    writable: true,
    exists: false,
    readable: false,
    snapshotId: undefined,
    rowsSnapshotId: undefined,
    partitionBy: undefined,
  }),
} as Partial<TablesService>;

/** Schedules are tested with the plugin that keeps them. */
/** No transform has a schedule. */
export const schedules: Partial<SubjectSchedulesService> = { routes: () => [], drop: async () => undefined };

const logs = {
  page: async (_tenant, _query, { find }) => ({
    ...{ items: [], next_page_token: null, previous_page_token: null, total: null },
    ...{ ended: (await find()).isTerminal, expired: false, levels: null },
  }),
} as Partial<RunLogsService>;

/** The plugin on a real database, with the registry of producers; `hints` are what was published. */
export async function setUp(
  t: Teardown,
  pin: Partial<PinnedInput> = {},
  selects?: Selects,
  given: readonly Contributed[] = [],
) {
  const hints: Hint[] = [];
  let isFailing = false;
  const events = {
    async publish(_: unknown, hint: Hint) {
      const fails = isFailing;
      isFailing = false;
      if (fails) throw new Error('the event is not written');
      hints.push(hint);
    },
  };
  const failNextHint = () => {
    isFailing = true;
  };
  const services = () => [
    ...[provide(Producers, producersService()), provide(Events, events), provide(RunLogs, logs as RunLogsService)],
    provide(SubjectSchedules, schedules as SubjectSchedulesService),
    ...[provide(Inputs, inputsOf(pin) as InputsService), provide(Tables, tables as TablesService)],
  ];
  const under = await testPlugin(t, pluginOver(selects, given), { tools, services });
  const acme = await under.tenant('acme');
  const { call } = under.as('acme');
  const create = async (name: string, more: object = {}) => {
    const body = { name, sql: SQL, output: `gold.${acme.scope}.${name}`, ...more };
    const made = await call(endpoints.createTransform, { body });
    if (!made.ok) throw new Error(made.problem.code);
    return made.body;
  };
  const { runs, db } = under.kernel;
  /** Gives the transform an artifact. */
  const hydrated = async (transformId: string, artifactId: string, more: Partial<ArtifactContent> = {}) => {
    const content: ArtifactContent = {
      ...{ runtime: 'duckdb-sql/1', sql: SQL, output: 'gold.acme.x', materialization: 'full' },
      ...{ inputs: [ORDERS], columns: [{ name: 'id', type: 'long' }], lineage: [], ...more },
    };
    const now = new Date();
    await db(acme).transaction(async (tx) => {
      const known = await tx.findOne(ArtifactEntity, { artifactId });
      if (known === undefined)
        await tx.insert(ArtifactEntity, { artifactId, runtime: content.runtime, content, createdAt: now });
      await tx.insert(HydrationEntity, { transformId, artifactId, hydratedAt: now });
      const row = await tx.findOne(TransformEntity, { transformId });
      await tx.update(row!, { artifactId, hydratedAt: now });
    });
  };
  /** A run of the transform that is open; `more` is what its row says beside. */
  const run = async (transformId: string, more: object = {}) => {
    const own = { subjectId: transformId, requestedBy: 'ada' };
    const ofWhole = { kind: MATERIALIZATION_KIND, ...own };
    const whole = { ...ofWhole, admitted: await runs.admit(MATERIALIZATION_KIND, { queue: true }) };
    const part = { kind: TRANSFORM_KIND, ...own, admitted: await runs.admit(TRANSFORM_KIND) };
    return db(acme).transaction(async (tx) => {
      const { run_id: parentRunId } = await runs.start(tx, whole);
      const { run_id: runId } = await runs.start(tx, { ...part, parentRunId });
      const row = { runId, transformId, output: 'gold.acme.x', movedInputs: [], inputs: [], createdAt: new Date() };
      await tx.insert(TransformRunEntity, { ...row, ...more });
      return runId;
    });
  };
  /** Ends a run, and after it the whole that it is a part of. */
  const end = async (runId: string) => {
    const found = await runs.find(acme, runId);
    for (const one of [runId, found?.parentRunId]) if (one) await runs.finish(acme, one, { status: 'succeeded' });
  };
  return { ...under, acme, call, create, hints, failNextHint, hydrated, run, end };
}

/** The plugin with other processes for its statements, and what others contribute to its points. */
const pluginOver = (selects: Selects | undefined, given: readonly Contributed[]): WeirPlugin =>
  definePlugin({
    ...plugin.spec,
    setup(kernel) {
      const registration = registered(kernel, transformServices(kernel, selects));
      return { ...registration, contributes: [...registration.contributes, ...given] };
    },
  });

/** A word that no statement may have that `soundSelects` describe. */
export const TYPO = 'totl';

/** Processes that find every statement over the orders sound unless it has the typo. */
export const soundSelects = {
  read: async () => ({ inputs: [ORDERS], places: {} }),
  async describe({ sql }) {
    if (sql.includes(TYPO)) throw new SqlRefused([{ code: 'column_unknown', name: TYPO, line: 1, column: 1 }]);
    return {
      columns: [{ name: 'id', type: 'long' }],
      lineage: { columns: [], unresolved: [] },
      clock: [],
      chance: [],
      findings: [],
    };
  },
  within(_, work) {
    return work(this as Selects);
  },
  close: async () => undefined,
} as Partial<Selects> as Selects;

/** A refusal as the wire shows it. */
export const refused = (status: number, code: string) => ({ ok: false, problem: { status, code } });
