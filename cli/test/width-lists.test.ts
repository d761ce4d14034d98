import type { TSchema } from '@sinclair/typebox';
import { type Endpoint, pathNames } from '@weir/kernel/contract';
import * as datasets from '@weir/plugin-datasets/contract';
import * as identity from '@weir/plugin-identity/contract';
import * as platform from '@weir/plugin-platform/contract';
import * as runs from '@weir/plugin-runs/contract';
import * as sources from '@weir/plugin-sources/contract';
import * as transformPatterns from '@weir/plugin-transform-patterns/contract';
import * as transforms from '@weir/plugin-transforms/contract';
import * as webhooks from '@weir/plugin-webhooks/contract';
import * as engine from '@weir/plugin-workflow-engine/contract';
import stringWidth from 'string-width';
import t from 'tap';
import { cliOf } from '../src/command/cli-of.ts';
import { endpointsOf } from '../src/command/endpoint-flags.ts';
import { NARROW } from '../src/output/fit.ts';
import { commandLine } from './command-line.ts';
import { fakeApi } from './fake-api.ts';
import { IDS } from './shapes.ts';

const CONTRACTS = [datasets, identity, platform, runs, sources, transforms, transformPatterns, webhooks, engine];
const FORMATS: Readonly<Record<string, string>> = { uuid: IDS.source, 'date-time': '2026-03-01T08:00:59.123Z' };
/** Prints the lines of a log as they are. */
const LOG = 'runs logs ';
const LONG_NUMBER = 1_234_567_890;

/** A value that a schema allows, as long as people make them: sentences, names, addresses. */
function longValue(schema: TSchema, name = ''): unknown {
  const { anyOf, const: only, enum: words, type, format, items, properties, pattern } = schema;
  if (anyOf !== undefined) return longValue(anyOf.find((each: TSchema) => each.type !== 'null') ?? {}, name);
  if (only !== undefined) return only;
  if (words !== undefined) return words[0];
  const kind = [type].flat()[0];
  if (kind === 'array') return [longValue(items ?? {}, name)];
  if (kind === 'object')
    return Object.fromEntries(
      Object.entries((properties ?? {}) as Record<string, TSchema>).map(([key, each]) => [key, longValue(each, key)]),
    );
  if (kind === 'integer' || kind === 'number') return LONG_NUMBER;
  if (kind === 'boolean') return true;
  if (kind !== 'string') return null;
  if (name.endsWith('_token')) return 'eyJ'.repeat(50);
  if (name.endsWith('_id') && pattern === undefined) return IDS.source;
  return FORMATS[format ?? ''] ?? (pattern === undefined ? 'a long sentence of a person '.repeat(8) : '9'.repeat(19));
}

t.test('what every command reads, with long values, at COLUMNS=80 → no line is longer', async (t) => {
  const { weir } = commandLine(t);
  const read = CONTRACTS.flatMap((contract) => endpointsOf(contract)).filter(
    (endpoint) => endpoint.method === 'GET' && endpoint.response !== undefined && cliOf(endpoint) !== undefined,
  );
  t.ok(read.length > 40, `${read.length} commands`);
  const routes = Object.fromEntries(
    read.map(({ path, response }) => [
      `GET /api/v1${path.replace(/:\w+/g, IDS.source)}`,
      { status: 200, body: longValue(response as TSchema) },
    ]),
  );
  const made = { status: 201, body: longValue(platform.createTenant.response as TSchema) };
  const fake = await fakeApi(t, { ...routes, 'POST /api/v1/tenants': made });
  const env = { WEIR_URL: fake.url, WEIR_TOKEN: 'x', WEIR_TENANT: 'demo', COLUMNS: String(NARROW) };
  const lines = read.map(({ path, ...endpoint }) =>
    [cliOf(endpoint as Endpoint)?.words, ...pathNames(path).map(() => IDS.source)].join(' '),
  );
  const lists = lines.filter((line) => !line.startsWith(LOG));
  t.equal(lists.length, lines.length - 1);
  for (const line of [...lists, 'tenants create acme']) {
    const { code, stdout, stderr } = await weir(line, { env });
    if (!t.equal(code, 0, line)) t.comment(stderr);
    t.strictSame(
      `${stdout}${stderr}`.split('\n').filter((each) => stringWidth(each) > NARROW),
      [],
      line,
    );
  }
});
