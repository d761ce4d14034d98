import { type Cedar, loadCedar } from './load-cedar.ts';
import type { Action } from './vocabulary.ts';
import { cedarSchema } from './vocabulary.ts';

/** Brackets within brackets; a text beyond it would exhaust the stack of whoever reads it. */
const MAX_NESTING = 24;
/** Levels of the expression that Cedar makes of a statement. */
const MAX_DEPTH = 200;
/** Judging as many takes about a tenth of a second, in which no other call is answered. */
const MAX_STATEMENTS = 50;
const STATEMENT_ID = /^[A-Za-z0-9_-]{1,63}$/;

/** A fault of a text: which rule, and where; never the text itself. */
export interface TextFault {
  code: string;
  line: number;
  column: number;
}

/** A statement by its name: that of its `@id`, or `statement<n>` in the order of the text. */
export interface Statement {
  id: string;
  text: string;
  /** The actions and groups that its head names; undefined when it is about all of them. */
  actions: readonly string[] | undefined;
  /** All actions and groups that it names anywhere. */
  named: readonly string[];
}

export type CheckedText = { ok: true; statements: Statement[] } | { ok: false; faults: TextFault[] };

interface Located {
  sourceLocations?: { start: number }[];
  message: string;
}

/** Reads texts that policies are made of. */
export interface TextChecker {
  /** The statements of a text that was accepted once, whichever routes there are now. */
  read(text: string): CheckedText;
  /** The same for a text that is to be accepted: it must also mean something with the routes that there are. */
  check(text: string, actions: ReadonlyMap<string, Action>): CheckedText;
}

/** Reads texts in an instance of Cedar that decides nothing, and that is left when a text has broken it. */
export function textChecker(): TextChecker {
  let cedar: Cedar | undefined;
  const reading = (text: string, read: (cedar: Cedar) => CheckedText): CheckedText => {
    const deep = nestingFault(text);
    if (deep !== undefined) return refused(text, [['too_deep', deep]]);
    try {
      cedar ??= loadCedar();
      return read(cedar);
    } catch {
      cedar = undefined;
      return refused(text, [['too_deep', 0]]);
    }
  };
  return {
    read: (text) => reading(text, (instance) => parse(instance, text)),
    check: (text, actions) =>
      reading(text, (instance) => {
        const parsed = parse(instance, text);
        return parsed.ok ? (meaningFaults(instance, text, { parsed, actions }) ?? parsed) : parsed;
      }),
  };
}

type Parsed = Extract<CheckedText, { ok: true }>;

function parse(cedar: Cedar, text: string): CheckedText {
  const parts = cedar.policySetTextToParts(text);
  if (parts.type === 'failure')
    return refused(
      text,
      parts.errors.map((error) => ['syntax', offsetOf(text, error)]),
    );
  if (parts.policy_templates.length > 0) return refused(text, [['template', 0]]);
  if (parts.policies.length > MAX_STATEMENTS) return refused(text, [['too_many_statements', 0]]);
  // Cedar names statements by their places and answers them in the order of the names as text.
  const order = parts.policies.map((_, n) => `policy${n}`).toSorted();
  const read = parts.policies.map((statement, n) => ({ statement, place: Number(order[n]?.slice(6)) }));
  const statements: Statement[] = [];
  let at = 0;
  for (const { statement, place } of read.toSorted((a, b) => a.place - b.place)) {
    const offset = text.indexOf(statement, at);
    at = offset + statement.length;
    const fault = (code: string) => refused(text, [[code, offset]]);
    const parsed = cedar.policyToJson(statement);
    if (parsed.type === 'failure') return fault('syntax');
    const { effect, action, annotations } = parsed.json;
    if (effect === 'permit') return fault('permit_without_effect');
    if (depthOf(parsed.json) > MAX_DEPTH) return fault('too_deep');
    const id = annotations?.id ?? `statement${place + 1}`;
    if (!STATEMENT_ID.test(id) || statements.some((other) => other.id === id)) return fault('statement_id');
    const actions = action.op === 'All' ? undefined : actionsIn(action);
    statements.push({ id, text: statement, actions, named: actionsIn(parsed.json) });
  }
  return { ok: true, statements };
}

/** What a text that can be read gets wrong about the world: names, attributes, types; or that it can never forbid. */
function meaningFaults(
  cedar: Cedar,
  text: string,
  { parsed, actions }: { parsed: Parsed; actions: ReadonlyMap<string, Action> },
): CheckedText | undefined {
  const named = new Set(parsed.statements.flatMap((statement) => statement.named));
  const judged = cedar.validate({ schema: cedarSchema(actions, named) as never, policies: { staticPolicies: text } });
  if (judged.type === 'failure')
    return refused(
      text,
      judged.errors.map((error) => ['type', offsetOf(text, error)]),
    );
  const faults = [
    ...judged.validationErrors.map(({ error }) => [codeOf(error), offsetOf(text, error)] as const),
    ...judged.validationWarnings
      .filter(({ error }) => /impossible/.test(error.message))
      .map(({ error }) => ['impossible', offsetOf(text, error)] as const),
  ];
  return faults.length > 0 ? refused(text, faults) : undefined;
}

function codeOf({ message }: Located): string {
  if (/unrecognized action/.test(message)) return 'unknown_action';
  if (/unrecognized entity type/.test(message)) return 'unknown_type';
  return /attribute/.test(message) ? 'unknown_attribute' : 'type';
}

/** Cedar counts bytes of UTF-8. */
function offsetOf(text: string, { sourceLocations }: Located): number {
  const bytes = Buffer.from(text).subarray(0, sourceLocations?.[0]?.start ?? 0);
  return bytes.toString().length;
}

function refused(text: string, faults: readonly (readonly [code: string, offset: number])[]): CheckedText {
  const places = faults.map(([code, offset]) => {
    const lines = text.slice(0, Math.max(0, offset)).split('\n');
    return { code, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  });
  return { ok: false, faults: places };
}

/** Where brackets outside of strings and comments go too deep. */
function nestingFault(text: string): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|[([{]|[)\]}]/gs)) {
    if (/^[([{]$/.test(token)) depth += 1;
    if (/^[)\]}]$/.test(token)) depth -= 1;
    if (depth > MAX_NESTING) return index;
  }
  return undefined;
}

function depthOf(value: unknown): number {
  let depth = 0;
  let level: unknown[] = [value];
  while (level.length > 0 && depth <= MAX_DEPTH) {
    level = level.flatMap((node) => (typeof node === 'object' && node !== null ? Object.values(node) : []));
    depth += 1;
  }
  return depth;
}

/** The ids of all actions that a statement, or a part of it, names. */
function actionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, id } = value as { type?: unknown; id?: unknown };
  if (type === 'Action' && typeof id === 'string') return [id];
  return Object.values(value).flatMap(actionsIn);
}
