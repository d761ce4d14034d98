import { createEgress } from '@weir/egress';
import { contribute, definePlugin, provide, type RunKind, WorkflowEngine } from '@weir/kernel';
import { type Teardown, testPlugin } from '@weir/kernel/testing';
import * as tools from '@weir/migrations';
import { UpkeepRuns } from '@weir/plugin-platform/contract';
import { RunSubjectNames } from '@weir/plugin-runs/contract';
import * as endpoints from '../src/contract.ts';
import plugin from '../src/plugin.ts';
import { webhookOutbox } from '../src/service/outbox.ts';
import { webhookSeals } from '../src/service/seal.ts';
import { deliver } from '../src/work/deliver.ts';
import type { Receiver } from './kit.ts';

export const SYNC: RunKind = { kind: 'test-sync', workflowType: 'TestSync', role: 'source', exclusive: false };
/** Leaves its end to its parts; the other kinds of wholes speak for them. */
export const BATCH: RunKind = { ...SYNC, kind: 'test-batch' };
export const PART: RunKind = { kind: 'test-part', exclusive: false };
/** What the platform does by itself. */
export const UPKEEP: RunKind = { ...SYNC, kind: 'test-upkeep' };
export const SUBJECT = '018f4a6e-0000-7000-8000-000000000009';

/** The plugin on a real database, allowed to send to loopback at one port, and its activity without an engine. */
export async function setUp(t: Teardown, { port }: Pick<Receiver, 'port'>) {
  const wakes: string[] = [];
  const { spec } = plugin;
  const names = async () => new Map([[SUBJECT, 'shop']]);
  const named = definePlugin({
    ...spec,
    setup(kernel) {
      const registration = spec.setup(kernel);
      const own = { subject: 'source', names };
      const subjects = [
        contribute(RunSubjectNames, { ...own, kinds: [SYNC.kind, PART.kind] }),
        contribute(RunSubjectNames, { ...own, kinds: [BATCH.kind], speaks: 'parts' }),
        contribute(UpkeepRuns, UPKEEP.kind),
      ];
      return { ...registration, contributes: [...(registration.contributes ?? []), ...subjects] };
    },
  });
  const workflow = {
    signalWithStart: async (_: string, { workflowId }: { workflowId: string }) => wakes.push(workflowId),
  };
  const engine = {
    queues: () => [{ role: 'general', queue: 'general-q', plugin: 'webhooks' }],
    withClient: (work: (client: unknown) => unknown) => work({ workflow }),
  };
  const settings = { WEIR_EGRESS_ALLOW: '127.0.0.0/8', WEIR_EGRESS_PORTS: String(port) };
  const services = () => [provide(WorkflowEngine, engine as never)];
  const under = await testPlugin(t, named, { tools, settings, runKinds: [SYNC, BATCH, PART, UPKEEP], services });
  const tenant = await under.tenant('acme');
  const { kernel } = under;
  const { runs, db } = kernel;
  const { call } = under.as('acme');
  const create = async (url: string, more: object = {}) => {
    const body = { name: 'chat', url, events: [...endpoints.WEBHOOK_EVENTS], ...more };
    const made = await call(endpoints.createWebhook, { body });
    if (!made.ok) throw new Error(made.problem.code);
    return made.body;
  };
  /** A run, by itself a sync, that ends so. */
  const end = async (status: 'failed' | 'succeeded' | 'cancelled', kind = SYNC.kind) => {
    const admitted = await runs.admit(kind);
    const run = { kind, subjectId: SUBJECT, requestedBy: 'ada', admitted };
    const { run_id } = await db(tenant).transaction((tx) => runs.start(tx, run));
    const failure = { code: 'x', origin: 'source', retryable: false, detail: 'The disk is full.' } as const;
    await runs.finish(tenant, run_id, status === 'failed' ? { status, failure } : { status });
    return run_id;
  };
  /** A run of one part that ends so, as its part does; both run ids. */
  const endInPart = async (kind: string, status: 'failed' | 'succeeded') => {
    const start = async (of: string, more: object = {}) => {
      const admitted = await runs.admit(of);
      const run = { kind: of, subjectId: SUBJECT, requestedBy: 'ada', admitted, ...more };
      return (await db(tenant).transaction((tx) => runs.start(tx, run))).run_id;
    };
    const whole = await start(kind);
    const part = await start(PART.kind, { parentRunId: whole });
    const failure = { code: 'check_failed', origin: 'data', retryable: false, detail: 'A check failed.' } as const;
    const outcome = status === 'failed' ? { status, failure } : { status };
    for (const runId of [part, whole]) await runs.finish(tenant, runId, outcome);
    return { part, whole };
  };
  const seals = webhookSeals(kernel);
  const egress = createEgress({ allowPrivate: ['127.0.0.0/8'], ports: [port] });
  const send = (webhookId: string) =>
    deliver(
      { kernel, egress, seals },
      { tenant_id: tenant.tenantId, webhook_id: webhookId },
      new AbortController().signal,
    );
  const wake = async () => undefined;
  const outbox = webhookOutbox(wake, { speakByParts: () => [], silent: () => [] });
  const refOf = (datasetId: string) => ({ namespace: 'bronze.acme', table: datasetId });
  const commit = (datasetId: string, operation: 'append' | 'replace' = 'append') =>
    db(tenant).transaction((tx) =>
      outbox.tableCommitted(tx, {
        ...{ ref: refOf(datasetId), datasetId, snapshotId: '9', parentSnapshotId: null },
        ...{ operation, schemaId: 0, runId: null, streamId: null, addedRecords: '3' },
      }),
    );
  const block = (datasetId: string, detail: string) =>
    db(tenant).transaction((tx) =>
      outbox.tableBlocked(tx, { ref: refOf(datasetId), datasetId, why: 'races', detail, runId: null }),
    );
  return { ...under, acme: tenant, call, create, end, endInPart, send, commit, block, seals, wakes };
}
