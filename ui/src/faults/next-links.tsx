import { Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { NextStepView } from '@weir/kernel/contract';
import { MarkedText } from './marked-text.tsx';
import { PAGES, stepsWithPages } from './next-pages.ts';

interface NextLinksProps {
  next: readonly NextStepView[] | undefined;
  /** What is said where no step has a page. */
  hint: string | null | undefined;
}

/** What helps: links to where it is done, else the words of the hint. */
export function NextLinks({ next, hint }: NextLinksProps) {
  const steps = stepsWithPages(next);
  if (steps.length === 0) {
    return hint == null ? null : (
      <Text size="sm">
        <MarkedText text={hint} />
      </Text>
    );
  }
  return (
    <Group gap="xs">
      {steps.map(({ operation, params, text }) => (
        <Button
          key={`${operation} ${text}`}
          size="compact-sm"
          variant="default"
          renderRoot={(props) => <Link {...PAGES[operation]?.(params)} {...props} />}
        >
          {text}
        </Button>
      ))}
    </Group>
  );
}
