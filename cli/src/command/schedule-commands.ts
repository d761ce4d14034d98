import type { Endpoint } from '@weir/kernel/contract';
import {
  OVERLAPS,
  previewSchedule,
  type ScheduleEndpoints,
  type ScheduleFactsView,
  type TimesPreviewView,
} from '@weir/plugin-schedules/contract';
import { Command, Option } from 'clipanion';
import { CliError } from '../cli-error.ts';
import type { Api } from '../connection/api.ts';
import { parseDuration } from '../duration.ts';
import { choice } from './choice.ts';
import { WeirCommand } from './command.ts';

const MS_PER_SECOND = 1_000;

/** The schedules of one kind of things. */
export interface ScheduledThings {
  /** Heading in the help. */
  category: string;
  /** Before `get`, `set`, `pause` and `resume`. */
  words: readonly string[];
  endpoints: { kind: string } & Readonly<Record<'get' | 'put' | 'pause' | 'resume', Endpoint>>;
  /** The id of a thing that was given by id or by name. */
  idOf(api: Api, given: string): Promise<string>;
  /** Lines that set one, each with what it is. */
  examples: readonly [what: string, line: string][];
}

/** The commands about the schedule of one thing that say more than its endpoints do. */
export function scheduleCommands(things: ScheduledThings) {
  const { words, category, examples } = things;
  const { get, put, pause, resume } = typed(things);
  const name = `${things.endpoints.kind}_id`;

  class Get extends ScheduleCommand {
    static override paths = [[...words, 'get']];
    static override usage = Command.Usage({ category, description: get.summary });
    protected things = things;
    subject = Option.String({ name });

    execute(): Promise<number> {
      return this.after((api, params) => api.call(get, { params }));
    }
  }

  class Give extends SetCommand {
    static override paths = [[...words, 'set']];
    static override usage = Command.Usage({
      ...{ category, description: put.summary },
      details: 'What is not given takes its default, whatever the schedule was before; a pause stays.',
      examples: [...examples],
    });
    protected things = things;
    subject = Option.String({ name });
  }

  class Pause extends ScheduleCommand {
    static override paths = [[...words, 'pause']];
    static override usage = Command.Usage({ category, description: pause.summary });
    protected things = things;
    subject = Option.String({ name });

    reason = Option.String('--reason', { description: 'Why; shown to all who read the schedule' });

    execute(): Promise<number> {
      const body = this.reason === undefined ? {} : { reason: this.reason };
      return this.after((api, params) => api.call(pause, { params, body }));
    }
  }

  class Resume extends ScheduleCommand {
    static override paths = [[...words, 'resume']];
    static override usage = Command.Usage({
      ...{ category, description: resume.summary },
      ...(resume.description === undefined ? {} : { details: resume.description }),
    });
    protected things = things;
    subject = Option.String({ name });

    execute(): Promise<number> {
      return this.after((api, params) => api.call(resume, { params }));
    }
  }
  return [Get, Give, Pause, Resume];
}

/** Which kind of things they are of makes no difference here. */
const typed = ({ endpoints }: ScheduledThings) => endpoints as unknown as ScheduleEndpoints;

type Params = Record<`${string}_id`, string>;
type Shown = TimesPreviewView & Partial<ScheduleFactsView>;

/** A command about one schedule; for people it prints the next runs by the clocks of the zone and in UTC. */
abstract class ScheduleCommand extends WeirCommand {
  protected abstract things: ScheduledThings;
  abstract subject: string;

  /** Shows the schedule that a call answers. */
  protected async after(call: (api: Api, params: Params) => Promise<ScheduleFactsView>): Promise<number> {
    const { endpoints, idOf } = this.things;
    const api = await this.api();
    return this.shown(await call(api, { [`${endpoints.kind}_id`]: await idOf(api, this.subject) }));
  }

  /** Shows a schedule, or times that are none yet. */
  protected async shown(schedule: Shown): Promise<number> {
    if (this.format() !== 'table') {
      await this.show(schedule);
      return 0;
    }
    const { next_runs, clock_changes, last_firings = [], cron, ...facts } = schedule;
    const present = Object.entries({ ...facts, cron: cron.join('; ') }).filter(
      ([, value]) => value !== null && value !== '',
    );
    await this.show(Object.fromEntries(present));
    const { stdout } = this.context;
    if (next_runs.length > 0) {
      stdout.write('\n');
      await this.show(
        next_runs.map(({ at, local }) => ({
          'next run': local.slice(0, 19).replace('T', ' '),
          offset: local.slice(19),
          utc: at,
        })),
        { columns: ['next run', 'offset', 'utc'] },
      );
    }
    if (last_firings.length > 0) {
      stdout.write('\n');
      const rows = last_firings.map(({ reason, ...firing }) => ({ ...firing, reason: reason?.detail ?? null }));
      await this.show(rows, { columns: ['scheduled_at', 'origin', 'status', 'run_id', 'reason'] });
    }
    for (const { note } of clock_changes) this.note(`clocks: ${note}`);
    if (schedule.applied === false) this.note('The workflow engine does not have it yet; it follows within seconds.');
    return 0;
  }
}

/** Gives a thing a schedule. */
abstract class SetCommand extends ScheduleCommand {
  cron = Option.Array('--cron', {
    description:
      'Minute, hour, day of month, month and day of week, such as "0 6 * * mon-fri"; may be given more than once',
  });
  every = Option.String('--every', { description: 'In place of --cron: an interval such as 15m or 1h' });
  offset = Option.String('--offset', { description: 'How much later than the full count an interval runs' });
  tz = Option.String('--tz', { description: 'Zone whose clocks --cron means, such as Europe/Kyiv (UTC)' });
  overlap = choice('--overlap', OVERLAPS, `While a run is still open: ${OVERLAPS.join(' | ')} (skip)`);
  jitter = Option.String('--jitter', { description: 'Each run comes up to so much later, such as 30s' });
  catchup = Option.String('--catchup', { description: 'How late a run is still made up for, such as 10m (1h)' });
  start = Option.String('--start', { description: 'Not before this time, ISO 8601 with an offset' });
  end = Option.String('--end', { description: 'Not after this time' });
  dryRun = Option.Boolean('--dry-run', false, { description: 'Show when it would run, and change nothing' });

  async execute(): Promise<number> {
    if (this.cron === undefined && this.every === undefined)
      throw new CliError('usage', 'Say when: --cron "0 6 * * *" or --every 1h.');
    const body = Object.fromEntries(
      Object.entries({
        cron: this.cron,
        interval_seconds: seconds(this.every, '--every'),
        offset_seconds: seconds(this.offset, '--offset'),
        timezone: this.tz,
        overlap: this.overlap,
        jitter_seconds: seconds(this.jitter, '--jitter'),
        catchup_window_seconds: seconds(this.catchup, '--catchup'),
        start_at: this.start,
        end_at: this.end,
      }).filter(([, value]) => value !== undefined),
    );
    if (this.dryRun) return this.shown(await this.preview(body));
    return this.after((api, params) => api.call(typed(this.things).put, { params, body }));
  }

  /** What the times mean; whom they are for makes no difference. */
  private async preview({ overlap: _, ...times }: Record<string, unknown>): Promise<TimesPreviewView> {
    return (await this.api()).call(previewSchedule, { body: times });
  }
}

function seconds(text: string | undefined, flag: string): number | undefined {
  return text === undefined ? undefined : Math.round(parseDuration(text, flag) / MS_PER_SECOND);
}
