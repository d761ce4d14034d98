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
and \`hint\`; \`errors\` names the places of a request that are wrong, never their values. A failed run carries the code in
\`failure.code\`. Codes stay the same over releases; texts may change.

${table(['code', 'status', 'from', 'title'], rows)}

${problems.map((problem) => section(problem, reference)).join('\n\n')}
`;
}

function section({ owner, entry }: OwnedProblem, { endpoints }: Reference): string {
  const { code, status, title, detail, hint } = entry;
  const answering = endpoints
    .filter(({ endpoint }) => (endpoint.errors ?? []).some((error) => error.entry === entry))
    .map(({ endpoint }) => `[${headingOf(endpoint)}](api.md#${anchorOf(headingOf(endpoint))})`);
  return [
    `## ${code}`,
    `${status} ${title}, from ${owner}. ${withPlaces(detail)}`,
    `**Do:** ${withPlaces(hint)}`,
    ...(answering.length === 0 ? [] : [`Named by ${answering.join(', ')}`]),
  ].join('\n\n');
}

/** The `{name}` places of a template are filled by the server. */
const withPlaces = (text: string): string => plain(text).replaceAll(/\{(\w+)\}/g, '`{$1}`');
