import { Button } from '@mantine/core';

/** What reads a list page by page. */
export interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** Reads the next page of a list, while there is one. */
export function MoreButton({ pages, words = 'Show more' }: { pages: Pages; words?: string | undefined }) {
  if (!pages.hasNextPage) return null;
  return (
    <Button size="xs" variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
      {words}
    </Button>
  );
}
