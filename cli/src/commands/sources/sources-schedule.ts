import {
  getSchedule,
  OVERLAPS,
  pauseSchedule,
  putSchedule,
  resumeSchedule,
  type ScheduleView,
} from '@weir/plugin-sources/contract';
import { Command, Option } from 'clipanion';
import * as t from 'typanion';
import { CliError } from '../../cli-error.ts';
import { WeirCommand } from '../../command/command.ts';
import { sourceId } from '../../command/source-id.ts';
import { parseDuration } from '../../duration.ts';

const category = 'Sources';
const MS_PER_SECOND = 1_000;

/** A command about the schedule of one source; for people it prints the next runs by the clocks of the zone and in UTC. */
abstract class ScheduleCommand extends WeirCommand {
  source = Option.String({ name: 'source_id' });

  protected async shown(schedule: ScheduleView): Promise<number> {
    if (this.format() !== 'table') {
      await this.show(schedule);
      return 0;
    }
    const { next_runs, clock_changes, last_firings, cron, ...facts } = schedule;
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
    if (!schedule.in_line) this.note('The workflow engine does not have it yet; it follows within seconds.');
    return 0;
  }
}

/** Shows the schedule of a source. */
export class SourcesScheduleGet extends ScheduleCommand {
  static override paths = [['sources', 'schedule', 'get']];
  static override usage = Command.Usage({ category, description: getSchedule.summary });

  async execute(): Promise<number> {
    const api = await this.api();
    return this.shown(await api.call(getSchedule, { params: { source_id: await sourceId(api, this.source) } }));
  }
}

/** Gives a source a schedule. */
export class SourcesScheduleSet extends ScheduleCommand {
  static override paths = [['sources', 'schedule', 'set']];
  static override usage = Command.Usage({
    category,
    description: putSchedule.summary,
    details: 'What is not given takes its default, whatever the schedule was before; a pause stays.',
    examples: [
      ['Every working day at six', 'weir sources schedule set shop --cron "0 6 * * mon-fri" --tz Europe/Kyiv'],
      ['Every hour, at a quarter past', 'weir sources schedule set shop --every 1h --offset 15m'],
    ],
  });

  cron = Option.Array('--cron', {
    description:
      'Minute, hour, day of month, month and day of week, such as "0 6 * * mon-fri"; may be given more than once',
  });
  every = Option.String('--every', { description: 'In place of --cron: an interval such as 15m or 1h' });
  offset = Option.String('--offset', { description: 'How much later than the full count an interval runs' });
  tz = Option.String('--tz', { description: 'Zone whose clocks --cron means, such as Europe/Kyiv (UTC)' });
  overlap = Option.String('--overlap', {
    description: `While a sync still runs: ${OVERLAPS.join(' | ')} (skip)`,
    validator: t.isEnum([...OVERLAPS]),
  });
  jitter = Option.String('--jitter', { description: 'Each run comes up to so much later, such as 30s' });
  catchup = Option.String('--catchup', { description: 'How late a run is still made up for, such as 10m (1h)' });
  start = Option.String('--start', { description: 'Not before this time, ISO 8601 with an offset' });
  end = Option.String('--end', { description: 'Not after this time' });

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
    const api = await this.api();
    const params = { source_id: await sourceId(api, this.source) };
    return this.shown(await api.call(putSchedule, { params, body }));
  }
}

function seconds(text: string | undefined, flag: string): number | undefined {
  return text === undefined ? undefined : Math.round(parseDuration(text, flag) / MS_PER_SECOND);
}

/** Pauses the schedule of a source. */
export class SourcesSchedulePause extends ScheduleCommand {
  static override paths = [['sources', 'schedule', 'pause']];
  static override usage = Command.Usage({ category, description: pauseSchedule.summary });

  reason = Option.String('--reason', { description: 'Why; shown to all who read the schedule' });

  async execute(): Promise<number> {
    const api = await this.api();
    const params = { source_id: await sourceId(api, this.source) };
    const body = this.reason === undefined ? {} : { reason: this.reason };
    return this.shown(await api.call(pauseSchedule, { params, body }));
  }
}

/** Resumes the schedule of a source. */
export class SourcesScheduleResume extends ScheduleCommand {
  static override paths = [['sources', 'schedule', 'resume']];
  static override usage = Command.Usage({
    category,
    description: resumeSchedule.summary,
    ...(resumeSchedule.description === undefined ? {} : { details: resumeSchedule.description }),
  });

  async execute(): Promise<number> {
    const api = await this.api();
    return this.shown(await api.call(resumeSchedule, { params: { source_id: await sourceId(api, this.source) } }));
  }
}
