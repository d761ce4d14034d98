import { CALLS, MEANT } from '../deployed-examples.ts';
import { idsOf, ownIdsOf, type Seeds } from './seeds.ts';

/** How often a parameter takes a seeded id instead of whatever the fuzzer thinks of. */
const SEEDED = 0.8;

/** Who fuzzes, with what it may name. Ids of a foreign tenant are mixed in. */
export interface FuzzCaller {
  token: string;
  seeds: Seeds;
  foreign: Seeds;
}

const quoted = (value: string | number): string => JSON.stringify(value);

/** The configuration file of Schemathesis for one caller, as TOML. */
export function fuzzConfiguration({ token, seeds, foreign }: FuzzCaller): string {
  const dictionaries: string[] = [];
  const bind = (place: string, name: string, values: readonly string[]): string => {
    const dictionary = `d${dictionaries.length}`;
    dictionaries.push(`[dictionaries.${dictionary}]\nvalues = [${values.map(quoted).join(', ')}]`);
    return `${quoted(`${place}.${name}`)} = { dictionary = ${quoted(dictionary)}, probability = ${SEEDED} }`;
  };
  const mixed = (name: string, values: readonly string[]) => [
    ...[...values, ...values],
    ...(idsOf(foreign, '')[name] ?? []).slice(0, 1),
  ];
  const everywhere = Object.entries(idsOf(seeds, '')).flatMap(([name, values]) =>
    name === 'X-Tenant-ID' ? [] : [bind(name === 'snapshot_id' ? 'query' : 'path', name, mixed(name, values))],
  );
  const operation = (label: string, ...lines: string[]) =>
    ['[[operations]]', `include-name = ${quoted(label)}`, ...lines].join('\n');
  const labels = [...new Set([...seeds.calls.keys(), ...MEANT.map(({ of }) => of)])];
  const operations = [
    ...labels.flatMap((label) => {
      const own = Object.entries(ownIdsOf(seeds, label));
      if (own.length === 0) return [];
      return operation(label, '[operations.parameters]', ...own.map(([name, values]) => bind('path', name, values)));
    }),
    operation('GET /api/v1/events', 'max-stream-events = 1', 'request-timeout = 3'),
    ...[...CALLS].flatMap(([label, { unreached }]) => {
      if (unreached?.status === undefined) return [];
      const expected = `expected-statuses = ["2xx", "3xx", "4xx", ${unreached.status}]`;
      return operation(label, '[operations.checks.not_a_server_error]', expected);
    }),
  ];
  return [
    `headers = { "X-Tenant-ID" = ${quoted(seeds.alias)} }`,
    '[auth.openapi.bearer]',
    `bearer = ${quoted(token)}`,
    '[phases.examples]',
    'extra-data-sources = { responses = false }',
    'fill-missing = true',
    '[phases.coverage]',
    'extra-data-sources = { responses = false }',
    '[parameters]',
    ...everywhere,
    ...dictionaries,
    ...operations,
    '',
  ].join('\n');
}
