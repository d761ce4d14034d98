import { PageHead } from './page-head.tsx';
import { Empty } from './region.tsx';

/** A page that makes something, for a role that may not. */
export function NotAllowed({
  title,
  things,
}: {
  title: string;
  things: 'sources' | 'transforms' | 'schemas' | 'entity types';
}) {
  return (
    <>
      <PageHead title={title} />
      <Empty words={`Your role may look at ${things} and not create them.`} />
    </>
  );
}
