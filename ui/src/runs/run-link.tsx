import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** Leads to a run. */
export function RunLink({ runId }: { runId: string }) {
  return (
    <Anchor size="sm" renderRoot={(props) => <Link to="/runs/$runId" params={{ runId }} {...props} />}>
      Open the run
    </Anchor>
  );
}
