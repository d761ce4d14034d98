import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { FaultNote } from '../parts/fault-note.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty } from '../parts/region.tsx';

/** Of an address that names no page. */
export function NotFound() {
  return (
    <>
      <PageHead title="No such page" />
      <Empty
        words="The address names no page."
        action={
          <Button component="a" href="/">
            Go to the home page
          </Button>
        }
      />
    </>
  );
}

/** Of a page that broke. */
export function Broken({ error, reset }: ErrorComponentProps) {
  return <FaultNote error={error instanceof Error ? error : new Error(String(error))} retry={reset} />;
}
