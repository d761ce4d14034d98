import { judge } from './check.ts';
import { listFiles, readTexts } from './files.ts';

/** Who may set a limit of time: the runner, what starts or installs servers, and programs that tests start. */
const EXEMPT = [
  /^test\/(until|services|service-\w+|soak|run(-\w+)*|file-processes)\.ts$/,
  /^test\/(object-store|secret-store|secret-mount|python|interop)\.ts$/,
  /^test\/(engines|keycloak|loki)\//,
  /\/fixtures\//,
  // Its planted test files wait, so that the runner ends them.
  /^test\/test\/run-files\.test\.ts$/,
  /(^|\/)test\/(.+\/)?connectors\//,
];

/** Words by which the name of a constant says that it is a limit of waiting. */
const LIMITS = 'HANG|LIMIT|TIMEOUT|DEADLINE|PATIEN|WITHIN|WAIT|POLL|LOOK|READY|GRACE|SILEN|ANSWER|FILE|CASE|LINGER';

/** What a line of a test must not hold, and what stands there instead. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/\bt\.setTimeout\(/, 'no limit: the runner ends a file that hangs'],
  [
    /\bsetTimeout\b.* from 'node:timers\/promises'/,
    'no sleep: `until` or an event; `pace` only in a fake that is slow',
  ],
  [/\bawait import\('node:timers\/promises'\)/, 'no sleep: `until` or an event; `pace` only in a fake that is slow'],
  [
    /\btimeout: ?(\d|(?!PATIENT_MS\b|HASTY_MS\b)[A-Z][A-Z_]+\b)/,
    'no limit, or PATIENT_MS or HASTY_MS of test/until.ts',
  ],
  [
    new RegExp(`\\bconst [A-Z0-9_]*(${LIMITS})[A-Z0-9_]*_(MS|SECONDS)\\b`),
    'no limit, or PATIENT_MS or HASTY_MS of test/until.ts',
  ],
];

/** The text between the bracket that opens at `from` and the one that closes it. */
function withinBrackets(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return text.slice(from + 1, at);
  }
  return text.slice(from + 1);
}

/** Lines that start a timer for a number of milliseconds written there. */
function timers(text: string): number[] {
  return [...text.matchAll(/\bsetTimeout\(/g)].flatMap(({ index, 0: { length } }) => {
    const literal = /,\s*\d[\d_]*\s*,?\s*$/.test(withinBrackets(text, index + length - 1));
    return literal ? [text.slice(0, index).split('\n').length] : [];
  });
}

/** What breaks the rule for time in one test file: line and advice. */
export function timeFaults(text: string): string[] {
  const lines = text.split('\n').flatMap((line, at) => {
    const advice = RULES.find(([pattern]) => pattern.test(line))?.[1];
    return advice === undefined ? [] : [[at + 1, advice] as const];
  });
  const called = timers(text).map((line) => [line, 'no timer: `until` or an event; `pace` only in a fake'] as const);
  return [...lines, ...called].sort(([a], [b]) => a - b).map(([line, advice]) => `${line}: ${advice}`);
}

/** No test waits by the clock: the files below every folder `test`. */
export async function timeInTests(root: string): Promise<string> {
  const files = await listFiles(root, ':(glob)**/test/**/*.ts', ':(glob)**/test/**/*.mjs');
  const texts = await readTexts(
    root,
    files.filter((file) => !EXEMPT.some((exempt) => exempt.test(file))),
  );
  const faults = texts.flatMap(([file, text]) => timeFaults(text).map((fault) => `${file}:${fault}`));
  return judge(faults, `${texts.length} files`);
}
