import type { TSchema } from '@sinclair/typebox';
import { DEVELOPMENT_DEFAULTS, PLACE_RULE } from '../../../kernel/src/config/development-defaults.ts';
import type { Reference } from './collect.ts';
import { GENERATED, plain, table } from './markdown.ts';
import { boundsText } from './type-text.ts';
import { VARIABLE_GROUPS, type VariableGroup } from './variables.ts';

const HEAD = ['variable', 'type', 'when absent', 'meaning'];

/** `docs/reference/configuration.md`: every environment variable. Throws when a setting has no description. */
export function configurationPage(reference: Reference): string {
  const declared = reference.settings.flatMap(({ properties }) => Object.entries(properties));
  const silent = reference.settings.flatMap(({ owner, properties }) =>
    Object.entries(properties).flatMap(([name, { description }]) => (description ? [] : [`${name} of ${owner}`])),
  );
  if (silent.length > 0) throw new Error(`settings without a description: ${silent.join(', ')}`);
  const unmarked = declared.filter(([name, schema]) => NAMES_OF_PLACES.test(name) && !isPlace(schema));
  if (unmarked.length > 0)
    throw new Error(
      `settings of a place without the format file or folder: ${unmarked.map(([name]) => name).join(', ')}`,
    );
  const sections = [
    ...reference.settings
      .filter(({ properties }) => Object.keys(properties).length > 0)
      .map((settings) => settingsSection(settings)),
    servicesSection(reference),
    ...[...Map.groupBy(reference.roles, ({ role }) => role)].map(([role, brought]) =>
      roleSection(
        role,
        brought.map(({ plugin }) => plugin),
        reference,
      ),
    ),
    ...VARIABLE_GROUPS.map(groupSection),
  ];
  return `# Configuration

${GENERATED}

Everything is set by environment variables, read once at the start. Every variable of kernel, plugins and workers, and
each one marked with * below, also has the form \`<NAME>_FILE\`: a file that holds the value. Those that end in \`_FILE\`, which
name a file themselves, do not. Setting both is refused. All faults are told in one message, without values, and the program
ends with exit code 78 before it opens a port.

${defaultsSection(declared.filter(([, schema]) => isPlace(schema)).map(([name]) => name))}

${sections.join('\n\n')}
`;
}

/** What the name of a setting tells: it has to have a format, by which its place is looked at. */
const NAMES_OF_PLACES = /_(DIR|FILE|CACERT|WAREHOUSE)$/;
const isPlace = ({ format }: TSchema): boolean => format === 'file' || format === 'folder';

/** What only development may start with. */
function defaultsSection(places: readonly string[]): string {
  const rows = DEVELOPMENT_DEFAULTS.map(({ names, rule, exempt }) => [
    names.map((name) => `\`${name}\``).join(', '),
    plain(rule),
    exempt === undefined ? '' : exempt.join(', '),
  ]);
  const named = places.map((name) => `\`${name}\``).join(', ');
  rows.push([`${named}; the folders of a worker; each \`<NAME>_FILE\``, PLACE_RULE, '']);
  return `## Staging and production

A start with \`WEIR_MODE\` of \`staging\` or \`production\` is refused while any of this does not hold.

${table(['variable', 'rule', 'not asked of'], rows)}`;
}

function settingsSection({ owner, properties, required }: Reference['settings'][number]): string {
  const title = owner === 'kernel' ? 'Kernel' : `Plugin \`${owner}\``;
  return `## ${title}\n\n${schemaTable(properties, required)}`;
}

/** What the settings that are documents may hold. */
function servicesSection({ endpoints }: Reference): string {
  const asked = endpoints.flatMap(({ endpoint: { access } }) =>
    'capability' in access ? (access.capability ?? []) : [],
  );
  const capabilities = [...new Set(asked)].sort().map((name) => `\`${name}\``);
  return `## Services

\`WEIR_SERVICE_PRINCIPALS\` says which OIDC clients are services: \`{"<client id>": {"tenants": ["<alias>"], "capabilities":
["<name>"]}}\`, with \`"tenants": "*"\` for all. Realm roles of such a client count for nothing. Where no capability is
asked for, it may read in its tenants what any viewer may. \`WEIR_DELEGATION_CLIENTS\` says in the same form which clients act for
people: such a call reaches the tenants that the client and the person share, and needs the person's role and the client's
capability. With an empty list the client reads what any viewer may and changes nothing.

Routes for people alone answer clients \`person_required\`, whatever they were given.

A token counts as a service's when it has all the claims of one of the sets in \`WEIR_IDP_SERVICE_MARKS\`, where \`{client}\` is
the client id, and no claim of a person or a sign-in: \`sid\`, \`auth_time\`, a name, an e-mail address, organizations. Any other
token of such a client is a person's. The default fits Keycloak, Auth0 and whoever follows RFC 9068. Name only the set
of your provider to be strict.

Endpoints ask for ${capabilities.join(', ')}.`;
}

function schemaTable(properties: Record<string, TSchema>, required: readonly string[]): string {
  const rows = Object.entries(properties).map(([name, schema]) => [
    `\`${name}\``,
    typeOf(schema),
    absentText(schema, required.includes(name)),
    plain(String(schema.description)),
  ]);
  return table(HEAD, rows);
}

function typeOf(schema: TSchema): string {
  if (schema.secret === true) return 'secret';
  if (schema.enum !== undefined) return (schema.enum as string[]).map((word) => `\`${word}\``).join(', ');
  const { default: _, pattern: __, ...bounded } = schema;
  const bounds = boundsText(bounded as TSchema);
  const type = schema.format === 'uri' ? 'URL' : isPlace(schema) ? String(schema.format) : String(schema.type);
  return bounds === '' ? type : `${type}, ${bounds}`;
}

function absentText(schema: TSchema, required: boolean): string {
  if (schema.default !== undefined) return schema.default === '' ? 'empty' : `\`${plain(String(schema.default))}\``;
  return required ? 'required' : 'not set';
}

const MEMORY = '[what the memory of the worker holds](../how-to/limit-a-tenant.md#how-much-one-worker-does-at-once)';

function roleSection(role: string, plugins: readonly string[], { capacity }: Reference): string {
  const { properties, required } = capacity(role);
  return [
    `## Worker role \`${role}\``,
    `Brought by ${plugins.map((plugin) => `the plugin \`${plugin}\``).join(' and ')}. Activities at a time may not exceed child processes, nor ${MEMORY}.`,
    schemaTable(properties, required),
  ].join('\n\n');
}

function groupSection({ title, intro, variables }: VariableGroup): string {
  const rows = variables.map(({ name, type, absent, meaning, file }) => [
    `\`${name}\`${file ? ' *' : ''}`,
    type,
    absent,
    meaning,
  ]);
  return `## ${title}\n\n${intro}\n\n${table(HEAD, rows)}`;
}
