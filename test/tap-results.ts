import { type FinalResults, Parser, type Result } from 'tap-parser';
import { type EngineUse, readEngineComment } from './engine-uses.ts';

/** One assertion that failed: where it stands, and tap's own diagnosis as text. */
export type Failure = { name: string; diagnosis: string };

/** How a test file's process ended. */
export type Ending = { code: number | null; signal: NodeJS.Signals | null };

/** What came of one test file. */
export type FileResult = {
  file: string;
  passed: number;
  skipped: number;
  /** At least one when nothing ran at all: an empty file proves nothing. */
  failed: number;
  failures: Failure[];
  /** Processor time of the file's process and of every one it started and waited for, where it was told. */
  cpuSeconds: number | undefined;
  /** On which container engines its tests ran, as they say themselves. */
  engines: EngineUse[];
};

const NO_TESTS = 'no tests found';
const WITHHELD = new Set(['args', 'at', 'command', 'cwd', 'externalID', 'jobId', 'stdio']);
/** What `test-process.ts` says. */
const CPU = /^# cpu=([\d.]+)$/m;

/** tap's diagnosis as lines `key: value`; a value of several lines stands below its key. */
function diagnosisOf({ diag }: { diag?: unknown }): string {
  if (typeof diag !== 'object' || diag === null) return '';
  return Object.entries(diag as Record<string, unknown>)
    .filter(([key]) => !WITHHELD.has(key))
    .map(([key, value]) => {
      const text = typeof value === 'string' ? value.trimEnd() : JSON.stringify(value);
      return text.includes('\n') ? `${key}:\n${text.replaceAll(/^/gm, '  ')}` : `${key}: ${text}`;
    })
    .join('\n');
}

/**
 * Gathers which engines the tests below a parser say they ran on. What is said of a whole file holds for every test in it;
 * what is said twice is counted once. The function that it gives is asked when all has been read.
 */
function engineUses(whole: Parser): () => EngineUse[] {
  const said: { at: Parser; kind: string; missing: string | undefined }[] = [];
  const tests: Parser[] = [];
  const listen = (at: Parser) => {
    at.on('comment', (line: string) => {
      const found = readEngineComment(line);
      if (found && !said.some((one) => one.at === at && one.kind === found.kind)) said.push({ at, ...found });
    });
    at.on('child', (child: Parser) => {
      if (at === whole) tests.push(child);
      listen(child);
    });
  };
  listen(whole);
  const passed = (at: Parser) => (at === whole ? tests : [at]).filter(({ ok, count }) => ok && count > 0).length;
  return () => said.map(({ at, kind, missing }) => ({ kind, missing, tests: missing === undefined ? passed(at) : 0 }));
}

/** Why a file is bad as a whole in which no assertion failed; undefined when it is good. */
function wholeFault({ ok, failures }: FinalResults, { code, signal }: Ending): string | undefined {
  if (code === 0 && ok) return undefined;
  const [fault] = failures;
  return `exit ${code ?? signal}${fault === undefined ? '' : `: ${fault.tapError}`}`;
}

/**
 * Counts the assertions in the TAP text of one file. A file that dies, hangs or holds no assertion is itself a failure.
 * `write` takes the text in pieces, `onFailure` gets each failure at once; `end` gives the result, in which `faults` of the
 * file as a whole are failures too.
 */
export function tapResults(
  file: string,
  onFailure: (failure: Failure) => void = () => {},
): { write(text: string): void; end(ending: Ending, faults?: readonly string[]): Promise<FileResult> } {
  const parser = new Parser({ name: file });
  const result: FileResult = {
    file,
    passed: 0,
    skipped: 0,
    failed: 0,
    failures: [],
    cpuSeconds: undefined,
    engines: [],
  };
  const uses = engineUses(parser);
  const fail = (name: string, diagnosis: string) => {
    result.failed += 1;
    result.failures.push({ name, diagnosis });
    onFailure({ name, diagnosis });
  };
  parser.on('pass', () => {
    result.passed += 1;
  });
  parser.on('fail', (found: Result) => fail(found.fullname || file, diagnosisOf(found)));
  parser.on('skip', () => {
    result.skipped += 1;
  });
  parser.on('bailout', (reason: string) => fail(`${file} > bail out`, reason));
  parser.on('comment', (line: string) => {
    const [, seconds] = CPU.exec(line) ?? [];
    if (seconds !== undefined) result.cpuSeconds = Number(seconds);
  });
  return {
    write: (text) => void parser.write(text),
    async end(ending, faults = []) {
      const results = await new Promise<FinalResults>((resolve) => {
        parser.once('complete', resolve);
        parser.end();
      });
      result.engines = uses();
      for (const fault of faults) fail(`${file} > ${fault}`, '');
      const { skipAll, skipReason } = results.plan;
      const fault = wholeFault(results, ending);
      if (fault !== undefined && result.failed === 0) fail(file, fault);
      else if (skipAll && skipReason !== '' && skipReason !== NO_TESTS) result.skipped += 1;
      else if (result.passed + result.failed + result.skipped === 0) fail(file, NO_TESTS);
      return result;
    },
  };
}
