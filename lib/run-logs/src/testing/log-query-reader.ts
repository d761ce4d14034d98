import { RE2JS } from 're2js';

/** An entry as the fake keeps it. */
export interface KeptEntry {
  readonly at: bigint;
  readonly line: string;
  /** Labels and structured metadata together, as a query sees them. */
  readonly labels: Readonly<Record<string, string>>;
}

type Test = (entry: KeptEntry) => boolean;

const STRING = /"(?:[^"\\]|\\.)*"/;
const MATCHER = new RegExp(`^\\s*(\\w+)\\s*(=~|!=|=)\\s*(${STRING.source})\\s*,?`);
const LINE_STAGE = new RegExp(`^\\s*\\|~\\s*(${STRING.source})`);
const TEXT_STAGE = new RegExp(`^\\s*\\|\\s*(\\w+)\\s*=\\s*(${STRING.source})`);
const NUMBER_STAGE = /^\s*\|\s*(\w+)\s*(>|<)\s*(\d+)/;

/** Reads the part of LogQL that is asked of a log store here; throws for anything else, as a server answers 400. */
export function readLogQuery(query: string): Test {
  const open = /^\s*\{([^}]*)\}/.exec(query);
  if (open === null) throw new Error('a query begins with a stream selector');
  const tests: Test[] = [];
  for (let rest = open[1] ?? ''; rest.trim() !== ''; ) {
    const found = MATCHER.exec(rest);
    if (found === null) throw new Error(`no matcher: ${rest}`);
    tests.push(labelTest(found[1] ?? '', found[2] ?? '', textOf(found[3])));
    rest = rest.slice(found[0].length);
  }
  for (let rest = query.slice(open[0].length); rest.trim() !== ''; ) {
    const [test, length] = stage(rest);
    tests.push(test);
    rest = rest.slice(length);
  }
  return (entry) => tests.every((test) => test(entry));
}

function stage(rest: string): [Test, number] {
  const line = LINE_STAGE.exec(rest);
  if (line !== null) {
    const pattern = RE2JS.compile(textOf(line[1]));
    return [(entry) => pattern.test(entry.line), line[0].length];
  }
  const text = TEXT_STAGE.exec(rest);
  if (text !== null) return [labelTest(text[1] ?? '', '=', textOf(text[2])), text[0].length];
  const number = NUMBER_STAGE.exec(rest);
  if (number === null) throw new Error(`no stage: ${rest}`);
  const [all, name = '', operator, value] = number;
  const compare = (found: number) => (operator === '>' ? found > Number(value) : found < Number(value));
  return [({ labels }) => labels[name] !== undefined && compare(Number(labels[name])), all.length];
}

function labelTest(name: string, operator: string, wanted: string): Test {
  if (operator === '=') return ({ labels }) => (labels[name] ?? '') === wanted;
  if (operator === '!=') return ({ labels }) => (labels[name] ?? '') !== wanted;
  const pattern = RE2JS.compile(`^(?:${wanted})$`);
  return ({ labels }) => pattern.test(labels[name] ?? '');
}

const textOf = (quoted = '""'): string => JSON.parse(quoted) as string;
