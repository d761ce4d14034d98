import { Parser, type Result } from 'tap-parser';

/** One assertion that failed: where it stands, and tap's own diagnosis as text. */
export type Failure = { name: string; diagnosis: string };

/** One test file, when it has ended. */
export type FileResult = { file: string; passed: number; failed: number; seconds: number };

export type TapResults = {
  passed: number;
  skipped: number;
  /** At least one when nothing ran at all: an empty run proves nothing. */
  failed: number;
  failures: Failure[];
  /** Files that were to run and did not. */
  unseen: string[];
};

const NO_TESTS = 'no tests found';
const WITHHELD = new Set(['args', 'at', 'command', 'cwd', 'externalID', 'jobId', 'stdio']);

/** tap's diagnosis as lines `key: value`; a value of several lines stands below its key. */
function diagnosisOf({ diag }: Result): string {
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
 * Counts the assertions in TAP text, whose first level is one test per file. A file that dies, hangs or holds no
 * assertion is itself a failure; those of `files` that never ran are named. `write` takes the text in pieces; `end` gives
 * the totals.
 */
export function tapResults(
  files: readonly string[],
  onFile: (result: FileResult) => void,
): {
  write(text: string): void;
  end(): Promise<TapResults>;
} {
  const parser = new Parser();
  const wanted = new Set(files);
  const totals: TapResults = { passed: 0, failed: 0, skipped: 0, failures: [], unseen: [] };
  let before = { passed: 0, failed: 0 };
  const fail = (name: string, diagnosis: string) => {
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
    if (!wanted.delete(result.name)) return;
    // A fault of the file as a whole is told as `fail` or `skip` right after this event.
    const whole = (!result.ok && totals.failed === before.failed) || result.skip === NO_TESTS ? 1 : 0;
    const [passed, failed] = [totals.passed, totals.failed + whole];
    const seconds = (result.time ?? 0) / 1000;
    onFile({ file: result.name, passed: passed - before.passed, failed: failed - before.failed, seconds });
    before = { passed, failed };
  });
  return {
    write: (text) => void parser.write(text),
    async end() {
      await new Promise<void>((resolve) => {
        parser.once('complete', () => resolve());
        parser.end();
      });
      totals.unseen.push(...wanted);
      if (totals.passed + totals.failed === 0) fail('all', 'nothing was tested');
      return totals;
    },
  };
}
