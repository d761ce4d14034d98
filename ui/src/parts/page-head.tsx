import { Group, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

/** The title of a page, in the page and in the tab, with what can be done there. */
export function PageHead({ title, beside, children }: { title: string; beside?: ReactNode; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Weir`;
  }, [title]);
  return (
    <Group justify="space-between" mb="md" gap="sm">
      <Group gap="sm">
        <Title order={1}>{title}</Title>
        {beside}
      </Group>
      <Group gap="xs" className="page-actions">
        {children}
      </Group>
    </Group>
  );
}
