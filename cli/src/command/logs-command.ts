import { RUN_LOG_LEVELS, type RunLogLineView } from '@weir/plugin-platform/contract';
import { getRun } from '@weir/plugin-runs/contract';
import { Option } from 'clipanion';
import { CliError } from '../cli-error.ts';
import type { Api } from '../connection/api.ts';
import { sinceTime } from '../duration.ts';
import { escapeUnseen, plainText } from '../plain-text.ts';
import { finishRun } from '../run/finish-run.ts';
import { followLog, type LogFilter, type LogKey, newestLines, runIdOf } from '../run/follow-log.ts';
import { choice } from './choice.ts';
import { WeirCommand } from './command.ts';

const DEFAULT_LINES = 200;
const MAX_LINES = 100_000;
const LEVEL_WIDTH = 5;
/** A log is followed for as long as timers go, unless --timeout says otherwise. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Reads and follows the log of a run. */
export abstract class LogsCommand extends WeirCommand {
  follow = Option.Boolean('-f,--follow', false, {
    description: 'Go on until the run ends; the exit code is then that of the run',
  });
  level = choice('--level', RUN_LOG_LEVELS, `This level and graver ones (${RUN_LOG_LEVELS.join(' | ')})`);
  search = Option.String('--search', { description: 'Only lines with this text, whatever its case' });
  pattern = Option.String('--pattern', { description: 'Only lines with what this regular expression (RE2) looks for' });
  stream = Option.String('--stream', { description: 'Only lines of this stream' });
  step = Option.String('--step', { description: 'Only lines of this step, such as commit or connector' });
  since = Option.String('--since', { description: 'Only lines since then: a time, or how long ago, such as 10m' });
  limit = Option.String('--limit', { description: `How many lines at most, the newest (${DEFAULT_LINES})` });

  /** What the run of the arguments is. */
  protected abstract key(api: Api): Promise<LogKey>;

  protected override isWaiting(): boolean {
    return this.follow;
  }

  async execute(): Promise<number> {
    const filter = this.filter();
    const limit = limitOf(this.limit);
    const api = await this.api();
    const key = await this.key(api);
    const { lines, isMore, expired } = await newestLines(api, key, { filter, limit });
    if (expired) this.note('The log of this run was kept as long as it is to be, and is gone.');
    else if (lines.length === 0 && !this.follow) this.note(emptyNote(filter));
    if (isMore) this.note(`Only the newest ${limit} lines are shown; --limit shows more.`);
    if (!this.follow) return this.showLines(lines);
    this.write(lines);
    const after = lines.at(-1)?.seq ?? 0;
    await this.followed(api, key, { filter, after });
    return finishRun(await api.call(getRun, { params: { id: runIdOf(key) } }), api);
  }

  private async followed(api: Api, key: LogKey, from: { filter: LogFilter; after: number }): Promise<void> {
    const { interrupted } = this.context;
    const timeout = AbortSignal.timeout(this.timeoutMs(LONGEST_WAIT_MS));
    const signal = AbortSignal.any([interrupted, timeout]);
    const how = await followLog(api, key, { ...from, interrupted: signal, shown: (more) => this.write(more) });
    if (how === 'ended') return;
    const hint = `weir runs logs ${runIdOf(key)} -f goes on`;
    if (interrupted.aborted) throw new CliError('interrupted', 'Detached; the run goes on.', { hint });
    throw new CliError('timedOut', 'The run has not ended in that time; it goes on.', { hint });
  }

  private filter(): LogFilter {
    const { level, search, pattern, stream, step, since } = this;
    const given = { level, search, pattern, stream, step, from: since === undefined ? undefined : sinceTime(since) };
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as LogFilter;
  }

  /** Lines as they come: text for people, a document a line for programs. */
  private write(lines: readonly RunLogLineView[]): void {
    const isText = this.format() === 'table' || this.format() === 'wide';
    this.context.stdout.write(
      lines.map((line) => `${isText ? plainText(lineText(line)) : escapeUnseen(JSON.stringify(line))}\n`).join(''),
    );
  }

  private async showLines(lines: RunLogLineView[]): Promise<number> {
    const isText = this.query === undefined && (this.format() === 'table' || this.format() === 'wide');
    if (isText) this.write(lines);
    else await this.show({ items: lines });
    return 0;
  }
}

/** A line for people: when, how grave, what part of the work, and what. */
function lineText({ at, level, step, stream, message, untrusted }: RunLogLineView): string {
  const where = stream === null ? step : `${step} ${stream}`;
  return `${at.slice(11, 23)} ${level.toUpperCase().padEnd(LEVEL_WIDTH)} ${where}: ${untrusted ? '| ' : ''}${message}`;
}

const emptyNote = (filter: LogFilter) =>
  Object.keys(filter).length > 0 ? 'No line of this log fits.' : 'This log has no lines.';

function limitOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LINES;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LINES) {
    throw new CliError('usage', `--limit must be a number from 1 to ${MAX_LINES}.`);
  }
  return limit;
}
