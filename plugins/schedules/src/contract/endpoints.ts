import { type TOptional, Type } from '@sinclair/typebox';
import {
  Accepted,
  type Access,
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  OneOf,
  Page,
  type ProblemType,
} from '@weir/kernel/contract';
import { scheduleTimes } from '@weir/plugin-workflow-engine/contract';
import { scheduleProblems } from './problems.ts';
import { type KindWord, kindWord, OVERLAPS, subjectSchedule } from './schedule.ts';

const MAX_REASON = 500;

/** What a domain says of the schedules of its things. */
export interface ScheduleRoutes<K extends string> {
  /** `source`: of it the routes have the parameter `source_id`. */
  kind: K;
  /** What a run of it is called: `sync`. */
  run: string;
  /** The plugin, which begins the ids of the endpoints. */
  plugin: string;
  /** Where the things are listed: `/sources`. */
  below: string;
  /** Where the schedules are listed, and the command for it. */
  list: { path: string; id: string; cli: string };
  access: Readonly<Record<'read' | 'write' | 'run', Access>>;
  /** Words of the commands: `sources schedule`. */
  cli: string;
  /** The route that starts the same by hand, where to follow such a run, and what refuses it. */
  start: { route: string; location: string; errors: readonly ProblemType[] };
}

export type ScheduleEndpoints<K extends string = string> = ReturnType<typeof scheduleEndpoints<K>>;

/** The seven routes of the schedules of one kind of things. */
export function scheduleEndpoints<K extends string>(of: ScheduleRoutes<K>) {
  return { kind: of.kind, ...keepingRoutes(of), ...pausingRoutes(of), ...readingRoutes(of), trigger: triggerRoute(of) };
}

/** What all routes of one schedule have in common. */
function common<K extends string>({ kind, below, plugin }: ScheduleRoutes<K>) {
  const member = `${kindWord(kind)}_id` as const;
  const params = Closed({ [member]: idOf(kind) } as Record<`${KindWord<K>}_id`, typeof Id>);
  return { params, path: `${below}/:${member}/schedule`, id: (verb: string) => `${plugin}.${verb}_schedule` };
}

function keepingRoutes<K extends string>(of: ScheduleRoutes<K>) {
  const { params, path, id } = common(of);
  const { kind, run, access } = of;
  const errors = [kernelProblems.notFound, kernelProblems.preconditionFailed];
  return {
    /** Replaces it; whether it is paused stays as it is. */
    put: endpoint({
      ...{ id: id('put'), method: 'PUT', path, params, access: access.write },
      summary: `Give a ${kind} a schedule, or replace the one it has`,
      description:
        'Either cron or interval_seconds. What is left out takes its default; a pause stays. It is accepted while the workflow engine is away, and `applied` says whether the engine has it.',
      body: Closed({
        ...scheduleTimes,
        overlap: Type.Optional(
          OneOf(OVERLAPS, {
            description: `When a ${run} still runs at a time of the schedule: skip leaves that time out, buffer_one lets one of them wait; skip unless given`,
          }),
        ),
      }),
      example: { cron: ['0 6 * * mon-fri'], timezone: 'Europe/Kyiv', overlap: 'skip' },
      declarative: true,
      response: subjectSchedule(kind),
      errors: [...errors, scheduleProblems.scheduleInvalid, scheduleProblems.scheduleTooFrequent],
      cli: `${of.cli} set`,
    }),
    remove: endpoint({
      ...{ id: id('delete'), method: 'DELETE', path, params, access: access.write },
      summary: `Delete the schedule of a ${kind}; an open ${run} continues`,
      status: 204,
      errors,
      cli: `${of.cli} delete`,
    }),
  };
}

function pausingRoutes<K extends string>(of: ScheduleRoutes<K>) {
  const { params, path, id } = common(of);
  const shared = {
    ...{ method: 'POST' as const, params, access: of.access.write, response: subjectSchedule(of.kind) },
    errors: [kernelProblems.notFound, kernelProblems.preconditionFailed],
  };
  return {
    /** One that is paused stays as it is. */
    pause: endpoint({
      ...{ ...shared, id: id('pause'), path: `${path}/pause` },
      summary: `Pause the schedule of a ${of.kind}`,
      description: 'One that is paused already stays as it is, with who paused it and why.',
      body: Closed({
        reason: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: MAX_REASON,
            pattern: '^[^\\u0000-\\u001f\\u007f]*$',
            description: 'Shown to all who read it',
          }),
        ),
      }),
      example: { reason: 'The database moves to another server' },
      cli: `${of.cli} pause`,
    }),
    /** One that is not paused stays as it is. */
    resume: endpoint({
      ...{ ...shared, id: id('resume'), path: `${path}/resume` },
      summary: `Resume the schedule of a ${of.kind}`,
      description: 'Times that came while it was paused are not made up for.',
      cli: `${of.cli} resume`,
    }),
  };
}

const Moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

function readingRoutes<K extends string>(of: ScheduleRoutes<K>) {
  const { params, path, id } = common(of);
  const { kind, list } = of;
  return {
    get: endpoint({
      ...{ id: id('get'), method: 'GET', path, params, access: of.access.read },
      summary: `Read the schedule of a ${kind}, with its next runs and what became of the last`,
      response: subjectSchedule(kind),
      errors: [kernelProblems.notFound],
      cli: `${of.cli} get`,
    }),
    list: endpoint({
      ...{ id: `${of.plugin}.${list.id}`, method: 'GET', path: list.path, access: of.access.read },
      summary: `List the schedules of the ${kind}s, the one that runs next first`,
      query: listQuery(['next_run_at', 'created_at'], {
        paused: Type.Optional(Type.Boolean({ description: 'Only paused schedules, or only others' })),
        ...({ [`${kindWord(kind)}_id`]: Type.Optional({ ...Id, description: `Only that of this ${kind}` }) } as Record<
          `${KindWord<K>}_id`,
          TOptional<typeof Id>
        >),
        next_run_before: Moment('Only those that run next before this'),
        next_run_after: Moment('Only those that run next at this or later'),
      }),
      response: Page(subjectSchedule(kind)),
      errors: [kernelProblems.invalidPageToken],
      cli: {
        words: list.cli,
        columns: [
          ...[`${kindWord(kind)}_name`, 'sentence', 'paused', 'next_run_at'],
          ...['next_runs.0.local', 'last_firings.0.status'],
        ],
      },
    }),
  };
}

/** Also while it is paused. */
function triggerRoute<K extends string>(of: ScheduleRoutes<K>) {
  const { params, path, id } = common(of);
  const { route, location, errors } = of.start;
  return endpoint({
    ...{ id: id('trigger'), method: 'POST', path: `${path}/trigger`, params, access: of.access.run },
    summary: `Run the schedule of a ${of.kind} once, now, paused or not`,
    description: `It is refused for what refuses ${route}, and never waits for a ${of.run} that runs. Send an Idempotency-Key to be sure of one run.`,
    query: Closed({
      queue: Type.Optional(
        Type.Boolean({ description: 'Accept the run although no worker polls for it, and let it wait' }),
      ),
    }),
    response: Accepted,
    status: 202,
    location,
    errors: [kernelProblems.notFound, ...errors],
    cli: `${of.cli} trigger`,
  });
}
