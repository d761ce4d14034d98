import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { listAudit } from '@weir/plugin-platform/contract';
import { useMay } from './person.ts';

/** Leads to what the audit trail tells of a thing, for those who may read it. */
export function WhoChanged({ id }: { id: string }) {
  if (!useMay(listAudit)) return null;
  return (
    <Anchor
      size="sm"
      underline="always"
      renderRoot={(props) => <Link to="/operations" search={{ tab: 'audit', object: id }} {...props} />}
    >
      Who changed this
    </Anchor>
  );
}
