import { LakehouseError, type StatementFault } from './error.ts';

/** What DuckDB writes about an error once `errors_as_json` is set. */
type Told = {
  readonly exception_type?: string;
  readonly exception_message?: string;
  readonly error_subtype?: string;
  readonly position?: string;
  readonly name?: string;
};

/** Errors of values while a statement runs or its constants are computed. */
const OF_VALUES: ReadonlySet<string> = new Set(['Conversion', 'Out of Range', 'Mismatch Type', 'Divide by Zero']);
const OF_STATEMENTS: ReadonlySet<string> = new Set(['Binder', 'Catalog', 'Parser', 'Not implemented', 'Syntax']);
/** Said without a subtype: of a table by name, and within QUALIFY, GROUP BY and the like. */
const NO_COLUMN = / does not have a column named |^Referenced column .+ not found in FROM clause/;
/** Files that are damaged are "Invalid Input" too. */
const OF_FILES = /magic bytes|too small to be a parquet|thrift|TProtocol|snappy|zstd|footer/i;

/**
 * The fault that DuckDB finds in a statement of a user, which begins at this byte of what was run; undefined for other
 * errors. Of a message only names are kept that the statement itself writes: the rest quotes values.
 */
export function statementError(error: unknown, sql: string, startsAt: number): LakehouseError | undefined {
  const told = error instanceof Error ? parsed(error.message) : undefined;
  const code = told && codeOf(told);
  if (told === undefined || code === undefined) return undefined;
  const offset = Number(told.position ?? Number.NaN) - startsAt;
  const name = nameOf(told);
  const nearest = nearestOf(told, code);
  const types = code === 'value_invalid' ? typesOf(told) : undefined;
  const isThere = offset >= 0 && offset <= Buffer.byteLength(sql);
  const fault: StatementFault = {
    code,
    ...(name !== undefined && isWritten(name, sql) ? { name } : {}),
    ...(nearest === undefined ? {} : { nearest }),
    ...(isThere ? { offset } : {}),
    ...(types === undefined ? {} : { types }),
  };
  return new LakehouseError('statement_invalid', 'The statement is invalid', { fault });
}

function parsed(message: string): Told | undefined {
  try {
    return JSON.parse(message) as Told;
  } catch {
    return undefined;
  }
}

function codeOf({ exception_type: type = '', exception_message: message = '', error_subtype: subtype }: Told) {
  if (OF_VALUES.has(type)) return 'value_invalid';
  if (type === 'Invalid Input' && !OF_FILES.test(message)) return 'value_invalid';
  if (!OF_STATEMENTS.has(type)) return undefined;
  if (subtype === 'COLUMN_NOT_FOUND' || NO_COLUMN.test(message)) return 'column_unknown';
  if (subtype === 'NO_MATCHING_FUNCTION') return 'function_mismatch';
  if (message.startsWith('Ambiguous reference')) return 'column_ambiguous';
  return /must appear in the GROUP BY/.test(message) ? 'column_not_grouped' : 'statement_invalid';
}

function nameOf({ name, exception_message: message = '' }: Told): string | undefined {
  const unquoted = /^Referenced column "?(.+?)"? not found in FROM clause/.exec(message)?.[1];
  return (
    name ??
    unquoted ??
    SOURCE_COLUMN.exec(message)?.[1] ??
    /(?:^column| does not have a column named|^Ambiguous reference to column name) "([^"]+)"/.exec(message)?.[1]
  );
}

/** Messages about values end in the type, or begin with it: what stands between is the value, and is left out. */
const VALUE_MESSAGES: readonly RegExp[] = [
  /^Could not convert (?<kind>string) .* to (?<to>[A-Z0-9]+)$/s,
  /^Type (?<from>[A-Z0-9]+) with value .* destination type (?<to>[A-Z0-9]+)$/s,
  /^Could not cast value .* to (?<to>DECIMAL\(\d+,\s?\d+\))$/s,
  /^invalid (?<format>date|timestamp|time|interval) field format/,
  /^Overflow in \w+ of (?<to>[A-Z0-9]+) /,
];
const SOURCE_COLUMN = / when casting from source column (\w+)$/;

function typesOf({ exception_message: message = '' }: Told): { from?: string; to: string } | undefined {
  const text = message.replace(SOURCE_COLUMN, '');
  for (const pattern of VALUE_MESSAGES) {
    const found = pattern.exec(text)?.groups;
    if (found === undefined) continue;
    const from = found.from ?? (found.to === undefined || found.kind !== undefined ? 'VARCHAR' : undefined);
    return { ...(from === undefined ? {} : { from }), to: found.to ?? String(found.format).toUpperCase() };
  }
  return undefined;
}

/** DuckDB writes candidates about names alone, best first. */
function nearestOf({ exception_message: message = '' }: Told, code: StatementFault['code']): string | undefined {
  if (code !== 'column_unknown') return undefined;
  return /Candidate bindings: (?:: )?"((?:[^"]|"")+)"/.exec(message)?.[1];
}

const isWritten = (name: string, sql: string): boolean => sql.toLowerCase().includes(name.toLowerCase());
