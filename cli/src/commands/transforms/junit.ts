/** How a test ended; `problems` are none for one that passed. */
export interface TestEnd {
  name: string;
  file: string;
  problems: readonly string[];
  ms: number;
}

const MS_PER_SECOND = 1_000;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};
/** Control characters that XML cannot hold. */
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** The report that CI systems read. Pure. */
export function junitXml(tests: readonly TestEnd[]): string {
  const failed = tests.filter(({ problems }) => problems.length > 0).length;
  const total = tests.reduce((sum, { ms }) => sum + ms, 0);
  const head = `<testsuite name="transforms" tests="${tests.length}" failures="${failed}" time="${seconds(total)}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...tests.map(caseOf), '</testsuite>', ''].join('\n');
}

function caseOf({ name, file, problems, ms }: TestEnd): string {
  const open = `  <testcase name="${escaped(name)}" classname="${escaped(file)}" time="${seconds(ms)}"`;
  if (problems.length === 0) return `${open}/>`;
  const first = escaped(problems[0] ?? '');
  return `${open}>\n    <failure message="${first}">${escaped(problems.join('\n'))}</failure>\n  </testcase>`;
}

const seconds = (ms: number): string => (ms / MS_PER_SECOND).toFixed(3);

const escaped = (text: string): string => text.replace(UNFIT, '').replace(/[&<>"\n]/g, (one) => ENTITIES[one] ?? one);
