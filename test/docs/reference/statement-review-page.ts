import { REVIEW_RULES } from '../../../lib/sql/src/index.ts';
import { GENERATED } from './markdown.ts';

const SEVERITIES = [
  ['error', 'Mistakes: the statement does not do what it says'],
  ['warning', 'Warnings: the statement may give other rows than are meant'],
  ['note', 'Notes: there is a better way'],
] as const;

/** What a review of a statement finds, by how bad it is. */
export function statementReviewPage(): string {
  const parts = SEVERITIES.flatMap(([severity, title]) => [
    `## ${title}`,
    '',
    ...REVIEW_RULES.filter((rule) => rule.severity === severity).flatMap(({ id, message, bad, good }) => [
      `### \`${id}\``,
      '',
      message,
      '',
      ...[
        '```sql not run: it shows what is found, and what is not',
        `-- found\n${bad}`,
        `-- not found\n${good}`,
        '```',
        '',
      ],
    ]),
  ]);
  return [
    '# What a review of a statement finds',
    '',
    GENERATED,
    '',
    'The editor of a transform marks these places, and `weir transforms validate` lists them as `findings`. None of them keeps a',
    'statement from running. Keys and types are those that the tables declare: what is not known of a table breaks no rule.',
    '',
    ...parts,
  ].join('\n');
}
