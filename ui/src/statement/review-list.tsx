import { Anchor, List, Text } from '@mantine/core';
import type { ReviewFinding } from '../editor/sql-faults.ts';

/** More than these are counted, not shown. */
const MAX_SHOWN = 20;
const WORDS = { error: 'Mistake', warning: 'Warning', note: 'Note' } as const;
const ORDER = Object.keys(WORDS);

interface ReviewListProps {
  findings?: readonly ReviewFinding[] | undefined;
  /** Puts the cursor at a place. */
  go: (line: number, column: number) => void;
}

/** What a statement may do that its author does not mean, the worst first. It runs all the same. */
export function ReviewList({ findings = [], go }: ReviewListProps) {
  if (findings.length === 0) return null;
  const sorted = findings.toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity));
  return (
    <section aria-label="Review of the statement">
      <Text size="sm" fw={500}>
        Review
      </Text>
      <Text size="sm" c="dimmed">
        The statement can run. Look at these places first.
      </Text>
      <List size="sm">
        {sorted.slice(0, MAX_SHOWN).map(({ rule, severity, message, line, column }) => (
          <List.Item key={`${rule} ${line} ${column}`}>
            <span>
              <strong>{WORDS[severity]}</strong>,{' '}
              <Anchor component="button" type="button" size="sm" onClick={() => go(line, column)}>
                Line {line}, column {column}
              </Anchor>
              : {message}
            </span>
          </List.Item>
        ))}
        {sorted.length > MAX_SHOWN ? <List.Item>and {sorted.length - MAX_SHOWN} more</List.Item> : null}
      </List>
    </section>
  );
}
