import type { Static } from '@sinclair/typebox';
import { type Accepted, contributionPoint, type Endpoint, service, type Tenant } from '@weir/kernel/contract';
import type { ScheduleTimesBody, ScheduleTimesView } from '@weir/plugin-workflow-engine/contract';

/** The open transaction of a caller; the kernel's `TenantTransaction` fits. */
export interface ScheduleTransaction {
  readonly tenant: Tenant;
  sql(text: string, params: unknown[]): Promise<{ rows: Record<string, unknown>[]; rowCount: number }>;
  afterCommit(work: () => Promise<void>): void;
}

/** Who asks for a run, and whether it may wait for a worker. */
export interface ScheduledStart {
  requestedBy: string;
  queue: boolean | undefined;
}

/** Belongs to the start of a run, in the transaction that makes it. */
export type AlsoAtStart = (tx: ScheduleTransaction, started: { run_id: string }) => Promise<void>;

/** One kind of things that run on a schedule. Its ids are unique over all kinds. */
export interface ScheduleSubject {
  /** Such as `source`. */
  readonly kind: string;
  /** What a run of it is called, such as `sync`. */
  readonly run: string;
  /** Those of its schedule that help when a time came to nothing. */
  readonly endpoints: Readonly<Record<'trigger' | 'resume', Pick<Endpoint, 'id'>>>;
  /** Whether it is there; with `lock` it cannot be started, changed or removed until the transaction ends. */
  find(
    tx: ScheduleTransaction,
    subjectId: string,
    options?: { lock?: boolean },
  ): Promise<'live' | 'retired' | undefined>;
  /** Names by id, as far as they are there. */
  names(tx: ScheduleTransaction, subjectIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Starts a run as a caller would. Throws what refuses it; it locks the subject before `also`. */
  start(tenant: Tenant, subjectId: string, how: ScheduledStart, also: AlsoAtStart): Promise<Static<typeof Accepted>>;
}

/** The kinds of things that may have a schedule. */
export const ScheduleSubjects = contributionPoint<ScheduleSubject>('schedule.subject');

/** When a thing runs by itself. */
export interface ScheduleSummary {
  paused: boolean;
  /** Null while it is paused, and when it has ended. */
  next_run_at: string | null;
}

/** An endpoint with what answers it, as lists of routes hold it. */
export interface ScheduleRoute {
  endpoint: Endpoint;
  run: (input: never) => Promise<unknown>;
}

/** What the plugin of a subject asks about schedules. */
export interface SubjectSchedulesService {
  /** What the times of a request mean. Throws `schedule_invalid` and `schedule_too_frequent`. */
  times(given: ScheduleTimesBody): ScheduleTimesView;
  /** The routes that `scheduleEndpoints` has declared for a kind. */
  routes(endpoints: { kind: string } & Readonly<Record<ScheduleVerb, Endpoint>>): ScheduleRoute[];
  /** Of these subjects those that have a schedule. */
  summaries(tx: ScheduleTransaction, subjectIds: readonly string[]): Promise<Map<string, ScheduleSummary>>;
  /** The subjects of a kind that have a schedule; with `paused` those whose schedule is paused, or is not. */
  scheduled(tx: ScheduleTransaction, kind: string, paused?: boolean): Promise<string[]>;
  /** Takes the schedule of a subject away, which is locked; with `forget` also what became of its times. */
  drop(tx: ScheduleTransaction, subjectId: string, options?: { forget?: boolean }): Promise<void>;
}

/** The routes that a kind has. */
export type ScheduleVerb = 'get' | 'put' | 'remove' | 'pause' | 'resume' | 'trigger' | 'list';

/** The token of the service. */
export const SubjectSchedules = service<SubjectSchedulesService>('schedules.subjects@1');
