import { PageHead } from './page-head.tsx';
import { Empty } from './region.tsx';

interface NotAllowedProps {
  title: string;
  things: 'sources' | 'transforms' | 'pipelines' | 'schemas' | 'entity types' | 'backing datasets';
}

/** A page that makes something, for a role that may not. */
export function NotAllowed({ title, things }: NotAllowedProps) {
  return (
    <>
      <PageHead title={title} />
      <Empty words={`Your role may look at ${things} and not create them.`} />
    </>
  );
}
