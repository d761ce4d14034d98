import type { TSchema } from '@sinclair/typebox';
import { type Access, type Endpoint, fullPath } from '@weir/kernel/contract';
import { cliOf } from '../../../cli/src/command/cli-of.ts';
import { CALLS } from '../../deployed-examples.ts';
import { labelOf } from '../../examples.ts';
import { type OwnedEndpoint, propertiesOf, type Reference } from './collect.ts';
import { anchorOf, GENERATED, plain, table } from './markdown.ts';
import { boundsText, meaningOf, memberLines, type ShapeNames, typeText } from './type-text.ts';

/** Paths with parameters as the specification writes them, `/api/v1/sources/{source_id}`. */
export const pathOf = (endpoint: Endpoint): string => fullPath(endpoint).replace(/:(\w+)/g, '{$1}');

/** The heading of an endpoint in the API reference. */
export const headingOf = (endpoint: Endpoint): string => `${endpoint.method} ${pathOf(endpoint)}`;

/** `docs/reference/api.md`: every endpoint by plugin. */
export function apiPage(reference: Reference): string {
  const owners = ['kernel', ...reference.plugins.map(({ id }) => id)];
  const sections = owners.flatMap((owner) => {
    const own = reference.endpoints.filter(({ plugin }) => plugin === owner);
    return own.length === 0 ? [] : [pluginSection(owner, own, reference)];
  });
  return [intro(reference), contents(owners, reference), ...sections, shapeSection(reference)]
    .join('\n\n')
    .concat('\n');
}

function intro(reference: Reference): string {
  const shared = sharedCodes(reference);
  return `# HTTP API

${GENERATED} The same facts for machines are in \`/openapi.json\` of a running server, and \`/docs\` tries them.

Bodies are JSON in UTF-8; where an endpoint says so, YAML too. A member with \`?\` may be left out. Lists take \`limit\`,
\`page_token\` and \`order\`, and answer \`next_page_token\` until it is null. The examples want three variables: \`WEIR_URL\`
(the address that \`weir dev status\` prints), \`WEIR_TENANT\`, and \`WEIR_TOKEN\`; what else begins with \`$\` is an id of
yours. With the development server:

\`\`\`sh call
export WEIR_URL=$(weir dev status --query api_url -o yaml) WEIR_TENANT=demo
export WEIR_TOKEN=$(node -p 'require(process.env.HOME + "/.config/weir/profiles.json").profiles.dev.token')
\`\`\`

Errors are problem documents with a code. An endpoint names its own; these may be answered by any endpoint whose shape
allows them (a token, a tenant, parameters, a body):

${table(
  ['code', 'status', 'meaning'],
  reference.problems
    .filter(({ entry }) => shared.has(entry.code))
    .map(({ entry }) => [codeLink(entry.code), String(entry.status), entry.title]),
)}`;
}

/** The codes that the OpenAPI document gives to operations beyond those that their endpoints name. */
function sharedCodes({ endpoints, openapi }: Reference): Set<string> {
  const shared = new Set<string>();
  for (const { endpoint } of endpoints) {
    const own = new Set((endpoint.errors ?? []).map(({ entry }) => entry.code));
    const operation = openapi.paths[pathOf(endpoint)]?.[endpoint.method.toLowerCase()];
    for (const { description } of Object.values(operation?.responses ?? {})) {
      for (const [, code = ''] of description.matchAll(/^`(\w+)`:/gm)) if (!own.has(code)) shared.add(code);
    }
  }
  return shared;
}

function contents(owners: readonly string[], { endpoints }: Reference): string {
  const rows = owners.flatMap((owner) =>
    endpoints
      .filter(({ plugin }) => plugin === owner)
      .map(({ endpoint }) => [`[${headingOf(endpoint)}](#${anchorOf(headingOf(endpoint))})`, plain(endpoint.summary)]),
  );
  return table(['endpoint', 'does'], rows);
}

function pluginSection(owner: string, own: readonly OwnedEndpoint[], reference: Reference): string {
  const plugin = reference.plugins.find(({ id }) => id === owner);
  const permissions = Object.entries(plugin?.permissions ?? {}).map(([name, what]) => [`\`${name}\``, plain(what)]);
  const optIn =
    plugin?.tenancy === 'opt-in' ? '\n\nOnly for tenants to which it was given; others get `plugin_disabled`.' : '';
  const rights = permissions.length === 0 ? '' : `\n\n${table(['permission', 'lets'], permissions)}`;
  const parts = own.map(({ endpoint }) => endpointSection(endpoint, reference));
  return [`## ${owner}${optIn}${rights}`, ...parts].join('\n\n');
}

function endpointSection(endpoint: Endpoint, { shapes, commands }: Reference): string {
  const command = commands.find(
    ({ words, description }) => words === cliOf(endpoint)?.words || description === endpoint.summary,
  );
  const errors = [...new Set((endpoint.errors ?? []).map(({ entry }) => entry.code))].sort().map(codeLink);
  const facts = [
    `- **Who**: ${whoMay(endpoint.access)}`,
    ...(endpoint.declarative ? ['- **Body** may also be `application/yaml`'] : []),
    `- **Answers** ${answerWords(endpoint, shapes)}`,
    ...(errors.length === 0 ? [] : [`- **Errors**: ${errors.join(', ')}`]),
    ...(command === undefined
      ? []
      : [`- **Command**: [\`weir ${command.words}\`](cli.md#${anchorOf(`weir ${command.words}`)})`]),
  ];
  return [
    `### ${headingOf(endpoint)}`,
    `${endpoint.deprecated ? '**Deprecated.** ' : ''}${plain(endpoint.summary)}. \`${endpoint.id}\``,
    ...(endpoint.description === undefined ? [] : [plain(endpoint.description)]),
    facts.join('\n'),
    ...inputTable(endpoint, shapes),
    ...answerShape(endpoint, shapes),
    callBlock(endpoint),
  ].join('\n\n');
}

function whoMay(access: Access): string {
  if (access.kind === 'public') return access.probe ? 'anyone, whatever token is sent' : 'anyone, without a token';
  if (access.kind === 'webhook') return `whoever signs the request with the secret of \`${access.permission}\``;
  if (access.kind === 'known') return 'whoever has a good credential';
  const anyService = access.people ? ', people only' : access.role === 'viewer' ? ', or a service of the tenant' : '';
  const capability =
    access.capability === undefined ? anyService : `, or a service with the capability \`${access.capability}\``;
  if (access.kind === 'platform') return `\`platform_admin\`${capability} (\`${access.permission}\`)`;
  const header = access.tenantHeader === 'users' ? '; people must send `X-Tenant-ID`' : '';
  return `role \`${access.role}\` of the tenant${capability} (\`${access.permission}\`)${header}`;
}

function answerWords(endpoint: Endpoint, names: ShapeNames): string {
  const { status = 200, response, location } = endpoint;
  const place = location === undefined ? '' : `, \`Location: /api/v1${location.replace(/:(\w+)/g, '{$1}')}\``;
  return `${status}${bodyWords(response, names)}${place}${formWords(endpoint)}`;
}

/** The media types beside plain JSON, the preferred one first. */
function formWords({ response, produces = [] }: Endpoint): string {
  if (produces.length === 0) return '';
  const types = response === undefined ? produces : new Set(['application/json', ...produces]);
  const ordered = produces.includes('application/json') ? produces : [...types];
  const list = `\`${ordered.join('`, `')}\``;
  return response === undefined ? ` as ${list}` : `; \`Accept\` chooses among ${list}`;
}

/** The answer's shape where it has a name, or is a page of one. */
function bodyWords(response: TSchema | undefined, names: ShapeNames): string {
  if (response === undefined) return '';
  const item = itemOfPage(response);
  const text = typeText(item ?? response, names);
  if (text.includes('\n')) return item === undefined ? '' : ' with a page of items';
  return ` with ${item === undefined ? '' : 'a page of '}${shapeLink(text, names)}`;
}

/** The schema of the items of a list answer; undefined for any other answer. */
function itemOfPage(response: TSchema): TSchema | undefined {
  const { properties } = propertiesOf(response);
  const isPage = Object.keys(properties).sort().join() === 'items,next_page_token,total';
  return isPage ? (properties.items?.items as TSchema | undefined) : undefined;
}

function inputTable({ params, query, body }: Endpoint, names: ShapeNames): string[] {
  const rows = (
    [
      ['path', params],
      ['query', query],
      ['body', body],
    ] as const
  ).flatMap(([place, schema]) => {
    const { properties, required } = propertiesOf(schema);
    return Object.entries(properties).map(([name, property]) => {
      const optional = place === 'path' || required.includes(name) ? '' : '?';
      const words = [plain(meaningOf(property, names)), boundsText(property)].filter((word) => word !== '').join('; ');
      return [place, `\`${name}${optional}\``, inlineType(property, names), words];
    });
  });
  return rows.length === 0 ? [] : [table(['in', 'name', 'type', 'meaning'], rows)];
}

const inlineType = (schema: TSchema, names: ShapeNames): string =>
  `\`${typeText(schema, names)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')}\``;

function answerShape({ response }: Endpoint, names: ShapeNames): string[] {
  if (response === undefined) return [];
  const text = typeText(itemOfPage(response) ?? response, names);
  return text.includes('\n') ? [`\`\`\`text\n${text}\n\`\`\``] : [];
}

const shapeLink = (text: string, names: ShapeNames): string => {
  const name = text.replace(/\[\]$/, '');
  return [...names.values()].includes(name) ? `[\`${text}\`](#${anchorOf(name)})` : `\`${text}\``;
};

const CHANGES = 'it changes what it is sent to';
/** What the development service refuses to answer, and why. */
const UNANSWERED: Readonly<Record<string, string>> = {
  'sources.get_credentials': 'it needs a service that keeps credentials in a secret store',
  'sources.list_credentials': 'it needs a service that keeps credentials in a secret store',
};

/** The test runs those that change nothing and that their examples can reach, with ids of its own. */
function callBlock(endpoint: Endpoint): string {
  const { method, access, body, example = {}, produces, response } = endpoint;
  const path = fullPath(endpoint).replace(/[:*](\w+)/g, '$$$1');
  const lines = [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}"$WEIR_URL${path}"`,
    ...(['tenant', 'platform', 'known'].includes(access.kind) ? ['-H "authorization: Bearer $WEIR_TOKEN"'] : []),
    ...(access.kind === 'webhook'
      ? ['-H "x-weir-timestamp: $WEIR_TIMESTAMP"', '-H "x-weir-signature: $WEIR_SIGNATURE"']
      : []),
    ...(access.kind === 'tenant' ? ['-H "x-tenant-id: $WEIR_TENANT"'] : []),
    ...(produces === undefined || response === undefined ? [] : ["-H 'accept: application/json'"]),
    ...(body === undefined ? [] : [`-H 'content-type: application/json'`, `-d '${JSON.stringify(example)}'`]),
  ];
  const unanswered = UNANSWERED[endpoint.id] ?? CALLS.get(labelOf(endpoint))?.unreached?.why;
  const info =
    method === 'GET' && unanswered === undefined ? 'sh call' : `sh not run: ${method === 'GET' ? unanswered : CHANGES}`;
  return `\`\`\`${info}\n${lines.join(' \\\n  ')}\n\`\`\``;
}

function shapeSection({ endpoints, shapes }: Reference): string {
  const used = new Map<string, TSchema>();
  const visit = (schema: TSchema | undefined): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const name = shapes.get(JSON.stringify(schema));
    if (name !== undefined && used.has(name)) return;
    if (name !== undefined) used.set(name, schema);
    for (const part of Object.values(schema)) if (typeof part === 'object') visit(part as TSchema);
  };
  for (const { endpoint } of endpoints)
    for (const part of ['response', 'query', 'body'] as const) visit(endpoint[part]);
  const sections = [...used]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => {
      return `### ${name}\n\n\`\`\`text\n{\n${memberLines(propertiesOf(schema), shapes, '  ').join('\n')}\n}\n\`\`\``;
    });
  return ['## Shapes', 'What answers are made of; each is told once.', ...sections].join('\n\n');
}

const codeLink = (code: string): string => `[\`${code}\`](errors.md#${anchorOf(code)})`;
