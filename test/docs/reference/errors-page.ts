import type { NextStepEntry } from '@weir/kernel/contract';
import { commandOf } from '../../../cli/src/command/next-commands.ts';
import { headingOf } from './api-page.ts';
import type { OwnedProblem, Reference } from './collect.ts';
import { anchorOf, GENERATED, plain, table } from './markdown.ts';

/** `docs/reference/errors.md`: every code with its meaning, its next step, and who answers it. */
export function errorsPage(reference: Reference): string {
  const { problems } = reference;
  const rows = problems.map(({ owner, entry }) => [
    `[\`${entry.code}\`](#${anchorOf(entry.code)})`,
    String(entry.status),
    owner,
    plain(entry.title),
  ]);
  return `# Error codes

${GENERATED} A running server shows the same at \`/docs/errors\`, with the codes that
[single connectors](connector-errors.md) report.

An error is a problem document (\`application/problem+json\`) with \`type\`, \`title\`, \`status\`, \`detail\`, \`code\`, \`trace_id\`
and \`hint\`; \`errors\` names the places of a request that are wrong, each with a \`message\`, never their values. A failed run carries the code in
\`failure.code\`. Codes stay the same over releases; texts may change.

\`next\` lists what helps: \`operation\` is the operationId of an endpoint, \`params\` its path and query parameters, filled in,
and \`text\` what it does. Readiness checks, failures of runs and skipped times of schedules have it too. The command line
prints the command of each, the web pages link to the page of it, both in place of the hint. It is absent where nothing of
the API helps, and where what a step needs is not known.

${table(['code', 'status', 'from', 'title'], rows)}

${problems.map((problem) => section(problem, reference)).join('\n\n')}
`;
}

function section({ owner, entry }: OwnedProblem, { endpoints }: Reference): string {
  const { code, status, title, detail, hint, next = [] } = entry;
  const answering = endpoints
    .filter(({ endpoint }) => (endpoint.errors ?? []).some((error) => error.entry === entry))
    .map(({ endpoint }) => `[${headingOf(endpoint)}](api.md#${anchorOf(headingOf(endpoint))})`);
  return [
    `## ${code}`,
    `${status} ${title}, from ${owner}. ${withPlaces(detail)}`,
    `**Do:** ${withPlaces(hint)}`,
    ...(next.length === 0 ? [] : [next.map((step) => stepLine(step, endpoints)).join('\n')]),
    ...(answering.length === 0 ? [] : [`Named by ${answering.join(', ')}`]),
  ].join('\n\n');
}

/** A step with its call and its command. */
function stepLine({ operation, params = {}, text }: NextStepEntry, endpoints: Reference['endpoints']): string {
  const endpoint = endpoints.find(({ endpoint: { id } }) => id === operation)?.endpoint;
  if (endpoint === undefined) throw new Error(`no operation ${operation}`);
  const call = `[${headingOf(endpoint)}](api.md#${anchorOf(headingOf(endpoint))})`;
  const command = commandOf({ operation, text, params: { ...params } });
  const shown = command?.replaceAll(/'?\{(\w+)\}'?/g, '<$1>');
  return `- ${plain(text)}: ${call}${shown === undefined ? '' : `, \`${shown}\``}`;
}

/** The places of a template are filled by the server: `{name}`, and `{name:noun}` with the noun in its number. */
const withPlaces = (text: string): string =>
  plain(text).replaceAll(/\{(\w+)(?::([\w ]+))?\}/g, (_, name, noun) =>
    noun === undefined ? `\`{${name}}\`` : `\`{${name}}\` ${noun}s`,
  );
