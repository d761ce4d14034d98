import { Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

interface AnswerPlaceProps {
  /** What the answer is of; a new one brings the place into sight. */
  of: unknown;
  children: ReactNode;
}

/**
 * Where the answer to a form appears: it comes into sight and has the focus, however far away the button was. A field that
 * is at fault has it instead.
 */
export function AnswerPlace({ of, children }: AnswerPlaceProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (of === undefined || of === null) return;
    if (document.activeElement?.getAttribute('aria-invalid') === 'true') return;
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: 'nearest' });
  }, [of]);
  return (
    <Stack ref={place} tabIndex={-1} role="group" aria-label="Answer" className="answer-place">
      {children}
    </Stack>
  );
}
