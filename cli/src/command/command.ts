import { type BaseContext, Command, Option } from 'clipanion';
import { CliError } from '../cli-error.ts';
import { type Api, openApi } from '../connection/api.ts';
import { type FoundConnection, findConnection } from '../connection/find-connection.ts';
import { signedIn } from '../connection/session.ts';
import { parseDuration } from '../duration.ts';
import { wrappedNote } from '../output/fit.ts';
import { OUTPUTS, type Output } from '../output/formats.ts';
import { plainText } from '../plain-text.ts';
import type { WatchOptions } from '../run/watch-discovery.ts';
import { choice, withNames } from './choice.ts';

/** What a command runs in. */
export interface CliContext extends BaseContext {
  cwd: string;
  /** The checkout that holds the programs and `package.json`. */
  root: string;
  /** Aborts at the first interrupt. */
  interrupted: AbortSignal;
}

/** How a value is shown: the columns of its tables. */
export interface Shown {
  columns?: readonly string[];
  /** Columns of `-o wide`; all scalar fields unless given. */
  wide?: readonly string[];
  /** The items are rows of a user, under names of the user. */
  isData?: boolean;
  /** Types by column, shown by `-o wide`. */
  types?: Readonly<Record<string, string>>;
}

const CALL_TIMEOUT_MS = 60_000;
const WAIT_MS = 600_000;

/** The global options and what follows from them; every command of ours extends this. */
export abstract class WeirCommand extends Command<CliContext> {
  url = Option.String('--url', { description: 'Address of the API' });
  tenant = withNames(Option.String('--tenant', { description: 'Alias of the tenant' }), 'tenant');
  profile = withNames(
    Option.String('--profile', { description: 'Profile that names address, tenant and token' }),
    'profile',
  );
  output = choice('-o,--output', OUTPUTS);
  query = Option.String('--query', { description: 'JMESPath expression over the result' });
  noColor = Option.Boolean('--no-color', false, { description: 'No colours' });
  quiet = Option.Boolean('-q,--quiet', false, { description: 'No progress and no notes' });
  verbose = Option.Boolean('-v,--verbose', false, { description: 'Say which calls are made' });
  debug = Option.Boolean('--debug', false, { description: 'Show stack traces of errors' });
  noInput = Option.Boolean('--no-input', false, { description: 'Never ask; fail instead' });
  yes = Option.Boolean('--yes', false, { description: 'Answer yes to what is asked' });
  timeout = Option.String('--timeout', { description: 'Give up after this time, such as 30s, 10m, 1h' });

  private configuredOutput: string | undefined;
  private saidDown = false;

  /** Whether --timeout limits a wait rather than one call. */
  protected isWaiting(): boolean {
    return (this as { wait?: boolean }).wait === true;
  }

  /** The time limit that was asked for, in milliseconds. */
  timeoutMs(fallback = CALL_TIMEOUT_MS): number {
    return this.timeout === undefined ? fallback : parseDuration(this.timeout, '--timeout');
  }

  /** Where the command goes and as whom, by flags, environment, project, profile or the running development server. */
  async connection(newProfile = false): Promise<FoundConnection> {
    const { env, cwd, root } = this.context;
    const flags = {
      ...(this.url === undefined ? {} : { url: this.url }),
      ...(this.tenant === undefined ? {} : { tenant: this.tenant }),
      ...(this.profile === undefined ? {} : { profile: this.profile }),
    };
    const found = await findConnection(flags, { env, cwd, devFolder: `${root}/.weir`, newProfile });
    if (found.ownServerIsDown && !this.saidDown) {
      this.note(`the server of this checkout does not run; commands go to ${found.url}, of the profile dev`);
      this.saidDown = true;
    }
    this.configuredOutput = found.output;
    this.format();
    return found;
  }

  /** The API of the connection, with a token that is good for a while. */
  async api(): Promise<Api> {
    const { env, interrupted } = this.context;
    const found = await this.connection();
    return openApi(await signedIn(found, { env, interrupted }), {
      interrupted,
      timeoutMs: this.isWaiting() ? CALL_TIMEOUT_MS : this.timeoutMs(),
      ...(this.verbose ? { say: (line: string) => this.note(line) } : {}),
    });
  }

  /** The output format: flag, environment, project, profile, else table, on a terminal and in a pipe alike. */
  format(): Output {
    const wanted = this.output ?? this.configuredOutput ?? this.context.env.WEIR_OUTPUT ?? 'table';
    const known = OUTPUTS.find((output) => output === wanted);
    if (known === undefined)
      throw new CliError('usage', `There is no output format ${wanted}.`, { hint: OUTPUTS.join(' | ') });
    return known;
  }

  /** How a run is waited for: limits from the flags, progress on stderr, and states on stdout for ndjson. */
  async watching(fallbackMs = WAIT_MS, quiet = false): Promise<WatchOptions> {
    const { openProgress } = await import('../run/progress.ts');
    const { stdout, stderr, interrupted } = this.context;
    return {
      timeoutMs: this.timeoutMs(fallbackMs),
      interrupted,
      progress: await openProgress(stderr, this.quiet || quiet),
      ...(this.format() === 'ndjson'
        ? { seen: (state: object) => stdout.write(`${JSON.stringify({ event: 'progress', ...state })}\n`) }
        : {}),
    };
  }

  /** Writes a result to stdout in the wanted format. */
  async show(value: unknown, shown: Shown = {}): Promise<void> {
    const { render } = await import('../output/render.ts');
    const text = await render(value, {
      output: this.format(),
      width: widthOf(this.context),
      ...(this.query === undefined ? {} : { query: this.query }),
      ...shown,
    });
    this.context.stdout.write(text);
  }

  /** Points at the next page of a table; a token that no line holds is read from the JSON. */
  noteMore(token: string | null | undefined): void {
    if (!token || this.format() !== 'table') return;
    const line = `more: --page-token ${token}`;
    const room = widthOf(this.context) ?? line.length;
    this.note(line.length <= room ? line : 'more: a higher --limit, or --page-token with next_page_token of -o json');
  }

  /** Writes a remark to stderr, unless -q. */
  note(line: string): void {
    const width = widthOf(this.context) ?? Number.POSITIVE_INFINITY;
    if (!this.quiet) this.context.stderr.write(`${wrappedNote(plainText(line), width)}\n`);
  }
}

/** Columns that a table has to fit: those of COLUMNS or of the terminal; no limit in a pipe. */
export function widthOf({ env, stdout }: Pick<CliContext, 'env' | 'stdout'>): number | undefined {
  const given = Number(env.COLUMNS);
  if (Number.isInteger(given) && given > 0) return given;
  const { isTTY, columns } = stdout as NodeJS.WriteStream;
  return isTTY === true && columns > 0 ? columns : undefined;
}
