import type { TSchema } from '@sinclair/typebox';
import { DEFAULT_LIMITS } from '../../../connectors/runtime/src/index.ts';
import { GivenPattern } from '../../../plugins/sources/src/contract/source/pattern-file.ts';
import { type Properties, propertiesOf } from './collect.ts';
import { GENERATED, plain, table } from './markdown.ts';
import { boundsText, typeText } from './type-text.ts';

/** `docs/reference/connector-patterns.md`: every member of a pattern. Throws when one has no description. */
export function connectorPatternsPage(): string {
  const { memoryMiB, cpus, pids, tmpMiB } = DEFAULT_LIMITS;
  return `# Connector patterns

${GENERATED}

A pattern is a JSON document that says what a connector is. It comes as a file or by a request, as
[Register connector patterns](../how-to/register-patterns.md) tells; both take the same members and refuse any other. What is
wrong with one is told with its place: of a file in the log, with \`pattern_files\` down in \`/ready\`; of a request by
[\`validation_failed\`](errors.md#validation_failed) or [\`pattern_invalid\`](errors.md#pattern_invalid).

${table(['member', 'type', 'meaning'], rowsOf(propertiesOf(GivenPattern), ''))}

Without \`resources\` a container has ${memoryMiB} MiB of memory, ${cpus} CPU, ${pids} processes and ${tmpMiB} MiB of temporary files.

## Settings of new streams

\`stream_defaults\` counts once for each stream: when a discovery or a refresh first sees it. A stream that could not be
switched on with both modes, for want of a cursor, of a key or of the mode itself, has neither: it is \`full_refresh\` and
\`overwrite\`, as every stream is without defaults. Cursor and key are what the connector says in the protocol. No default
switches a stream on, and a stream that somebody adds by hand has what they say.

## What a connector must reach

\`egress\` is for whoever opens the way, who reads it with \`weir patterns get\`: a place such as \`api.example.com:443\`, any host
below a name as \`*.example.com:443\`, or \`{host}:{port}\` where the configuration of the source says so. It opens nothing.
The hint of a discovery that may have found no way there names it, too. What connectors reach is
[the operator's](../how-to/install-the-connector-engine.md#say-what-connectors-may-reach).

## Namespaces

A connector says the namespace of each stream itself. Absent, null, empty and the stream's own name are one: none.
`;
}

function rowsOf({ properties, required }: Properties, before: string): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${before}${name}`;
    if (schema.description === undefined) throw new Error(`a pattern's ${path} has no description`);
    const words = [plain(schema.description), boundsText(schema)].filter((word) => word !== '').join('; ');
    const row = [`\`${path}${required.includes(name) ? '' : '?'}\``, wordOf(schema), words];
    const inner = schema.type === 'array' ? [`${path}[].`, schema.items as TSchema] : [`${path}.`, schema];
    return [row, ...rowsOf(propertiesOf(inner[1] as TSchema), inner[0] as string)];
  });
}

/** The type of a member whose own members are rows of their own, or stand for themselves. */
function wordOf(schema: TSchema): string {
  if (schema.type === 'object') return 'object';
  if (schema.type === 'array')
    return (schema.items as TSchema).type === 'object' ? 'list of objects' : 'list of strings';
  return `\`${typeText(schema, new Map()).replaceAll('|', '\\|')}\``;
}
