import type { Static } from '@sinclair/typebox';
import type { Tenant } from '../contract/caller.ts';
import type { NextStepEntry } from '../contract/next-steps.ts';
import type { CARRIERS, FAILURE_ORIGINS, RunStatus, RunWorker, StartWarning } from '../contract/shapes.ts';
import type { TenantTransaction } from '../persistence/tenant-db.ts';

/** Why a run failed, as its row, the API and the CLI show it. */
export interface RunFailureRecord {
  code: string;
  origin: (typeof FAILURE_ORIGINS)[number];
  retryable: boolean;
  detail: string;
  hint?: string;
  /** Steps that help; `{run_id}` and `{subject_id}` are filled when the run ends. */
  next?: readonly NextStepEntry[];
}

/** A row of the kernel's run table: outbox, look-up and history in one. */
export interface RunRecord {
  runId: string;
  /** `<plugin's word>`, such as `source-sync`; decides workflow type and queue. */
  kind: string;
  /** What the run is about, such as a source id. */
  subjectId: string;
  status: RunStatus;
  /** `<tenant_id>:<kind>:<run_id>`. */
  workflowId: string;
  /** Subject of the caller who asked for it, or `schedule`. */
  requestedBy: string;
  /** Counts the attempts; a commit by an older attempt is refused. */
  leaseEpoch: number;
  carriedBy: (typeof CARRIERS)[number];
  /** When an open run that its caller carries out fails by itself. */
  deadline?: Date | undefined;
  /** The run that this one is a part of, and ends with. */
  parentRunId?: string | undefined;
  /** What an orchestrator calls the run that this one belongs to; several runs may share one. */
  orchestratorRunId?: string | undefined;
  createdAt: Date;
  startedAt?: Date | undefined;
  endedAt?: Date | undefined;
  failure?: RunFailureRecord | undefined;
}

/** How a kind of run is carried out; each plugin registers its own kinds. */
export type RunKind = {
  kind: string;
  /** At most one pending or running run per subject. */
  exclusive: boolean;
  /** Exclusive kinds that name one group exclude each other too. */
  exclusiveGroup?: string;
} & (
  | { workflowType: string /** Worker role whose queue takes it. */; role: string }
  /** Carried out by their caller until a deadline, or by the workflow of their parent. */
  | { workflowType?: undefined; role?: undefined }
);

/** A run to be written; one without a workflow names its parent or a deadline. */
export interface NewRun {
  kind: string;
  subjectId: string;
  requestedBy: string;
  admitted: Admitted;
  parentRunId?: string | undefined;
  deadline?: Date | undefined;
  orchestratorRunId?: string | undefined;
}

/** Proof that a kind of run was asked for while its queue was looked at; `Runs.start` wants it. */
export interface Admitted {
  readonly kind: string;
  /** What the caller should know: nobody polls yet, or the engine is away; the run waits for both. */
  readonly warning: Static<typeof StartWarning> | null;
}

/** What people see of the worker of an open run. */
export type RunWorkerView = Static<typeof RunWorker>;

/** What else belongs to the end of a run, in its transaction. */
export interface FinishSteps {
  /** Before the run's row is locked: locks that a start takes before it makes a run must be taken here, in its order. */
  before?(tx: TenantTransaction): Promise<void>;
  /** Once the run is terminal; not for a run that had ended before. */
  after?(tx: TenantTransaction): Promise<void>;
}

/** The run table and its outbox. */
export interface Runs {
  /**
   * Looks whether a worker polls the queue of this kind; to be asked before the transaction that starts the run. Throws
   * `no_worker` when nobody does, unless `queue` lets the run wait.
   */
  admit(kind: string, options?: { queue?: boolean | undefined }): Promise<Admitted>;
  /**
   * Writes a pending run in the caller's transaction; the workflow is started after commit, and by the sweeper if that
   * fails. Passes every contributed gate, then throws `run_already_active` (with member `run_id`) when the kind is
   * exclusive and one is open.
   */
  start(
    tx: TenantTransaction,
    run: NewRun,
  ): Promise<{ run_id: string; workflow_id: string; warning: Admitted['warning'] }>;
  /**
   * Takes over the run of an orchestrator run and subject that its caller was to carry out: it becomes a part of that kind, and
   * keeps its id, which is answered; undefined where there is none. Throws `run_not_active` for one that has ended.
   */
  adopt(
    tx: TenantTransaction,
    run: { orchestratorRunId: string; subjectId: string; kind: string; parentRunId: string },
  ): Promise<string | undefined>;
  /** Ends an open run at once when nobody has it in hands, otherwise asks its worker to. Throws `run_not_active`. */
  cancel(tenant: Tenant, run: RunRecord): Promise<'cancelling' | 'cancelled'>;
  /** What the engine says of the worker of an open run, or of its whole; undefined for one that has ended. */
  worker(tenant: Tenant, run: RunRecord): Promise<RunWorkerView | undefined>;
  /** Finds a run by run id or by workflow id, which is that of a whole; undefined for absent and foreign ids alike. */
  find(tenant: Tenant, id: string, kind?: string): Promise<RunRecord | undefined>;
  /** The runs of these ids that the tenant has, in no order. */
  findMany(tx: TenantTransaction, runIds: readonly string[]): Promise<RunRecord[]>;
  /** The open run of a subject of one of these exclusive kinds, as the caller's transaction sees it: it takes no other connection. */
  active(tx: TenantTransaction, kinds: readonly string[], subjectId: string): Promise<string | undefined>;
  /** Runs, newest first, by keyset page. */
  page(
    tenant: Tenant,
    filter: {
      kind?: string | { $nin: readonly string[] } | undefined;
      subjectId?: string | undefined;
      status?: RunStatus | undefined;
      /** The parts of this run; null: runs that are part of no other. */
      parentRunId?: string | null | undefined;
      orchestratorRunId?: string | undefined;
      /** Created at or after, and before. */
      from?: Date | undefined;
      to?: Date | undefined;
    },
    page: { limit: number; page_token?: string; order?: string },
  ): Promise<{ items: RunRecord[]; next_page_token: string | null }>;
  /** The first parts of each of these runs, oldest first, and how many each has; a run without parts is left out. */
  parts(
    tenant: Tenant,
    runIds: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, { items: RunRecord[]; total: number }>>;
  /**
   * Deletes ended runs in the caller's transaction, and what plugins keep of them: a run whose parts all go goes with them, one
   * that has parts of others stays.
   */
  drop(tx: TenantTransaction, runIds: readonly string[]): Promise<void>;
  /**
   * Takes the run for a new attempt: status running, epoch + 1. Undefined when the run is already terminal. What `admit` throws, in
   * the same transaction, leaves the run as it was.
   */
  begin(
    tenant: Tenant,
    runId: string,
    admit?: (tx: TenantTransaction) => Promise<void>,
  ): Promise<{ leaseEpoch: number } | undefined>;
  /** Throws `LeaseLost` unless this attempt is still the newest of a running run; locks the row until the transaction ends. */
  assertLease(tx: TenantTransaction, runId: string, leaseEpoch: number): Promise<void>;
  /** Makes the run terminal, and its open parts with it; a terminal run never changes again (returns false). */
  finish(
    tenant: Tenant,
    runId: string,
    outcome: { status: 'succeeded' | 'failed' | 'cancelled' | 'skipped'; failure?: RunFailureRecord },
    steps?: FinishSteps,
  ): Promise<boolean>;
}
