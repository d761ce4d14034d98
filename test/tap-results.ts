import { Parser, type Result } from 'tap-parser';

/** One assertion that failed: where it stands, and tap's own diagnosis. */
export type Failure = { name: string; diagnosis: unknown };

/** One test file, when it has ended. */
export type FileResult = { file: string; passed: number; failed: number; seconds: number };

export type TapResults = {
  passed: number;
  skipped: number;
  /** At least one when nothing ran at all: an empty run proves nothing. */
  failed: number;
  files: number;
  failures: Failure[];
};

const NO_TESTS = 'no tests found';
const WITHHELD = new Set(['args', 'command', 'cwd', 'externalID', 'jobId', 'stdio']);

function diagnosisOf({ diag }: Result): unknown {
  if (typeof diag !== 'object' || diag === null) return diag;
  return Object.fromEntries(Object.entries(diag).filter(([key]) => !WITHHELD.has(key)));
}

/**
 * Counts the assertions in TAP text, whose first level is one test per file. A file that dies, hangs or holds no
 * assertion is itself a failure. `write` takes the text in pieces; `end` gives the totals.
 */
export function tapResults(onFile: (result: FileResult) => void): {
  write(text: string): void;
  end(): Promise<TapResults>;
} {
  const parser = new Parser();
  const totals: TapResults = { passed: 0, failed: 0, skipped: 0, files: 0, failures: [] };
  let before = { passed: 0, failed: 0 };
  const fail = (name: string, diagnosis: unknown) => {
    totals.failed += 1;
    totals.failures.push({ name, diagnosis });
  };
  parser.on('pass', () => {
    totals.passed += 1;
  });
  parser.on('fail', (result: Result) => fail(result.fullname || result.name, diagnosisOf(result)));
  parser.on('skip', (result: Result) => {
    if (result.skip === NO_TESTS) fail(result.fullname || result.name, NO_TESTS);
    else totals.skipped += 1;
  });
  parser.on('bailout', (reason: string) => fail('bail out', reason));
  parser.on('assert', (result: Result) => {
    totals.files += 1;
    const { passed, failed } = totals;
    const time = (result.time ?? 0) / 1000;
    queueMicrotask(() => undefined);
    onFile({ file: result.name, passed: passed - before.passed, failed: failed - before.failed, seconds: time });
    before = { passed, failed };
  });
  return {
    write: (text) => void parser.write(text),
    async end() {
      await new Promise<void>((resolve) => {
        parser.once('complete', () => resolve());
        parser.end();
      });
      if (totals.passed + totals.failed === 0) fail('all', 'nothing was tested');
      return totals;
    },
  };
}
