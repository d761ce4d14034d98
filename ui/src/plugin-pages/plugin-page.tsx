import { Group, Stack, Text, Title } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useId } from 'react';
import { useRead } from '../api/queries.ts';
import { FactList } from '../parts/fact-list.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Region } from '../parts/region.tsx';
import { ActionButton } from './action-button.tsx';
import { FormBlock } from './form-block.tsx';
import { ListBlock } from './list-block.tsx';
import { type BlockOf, endpointOf, type ShownPage } from './page-endpoint.ts';
import { usePages } from './use-pages.ts';
import { Value } from './value.tsx';

/** A page that a plugin declares, made of blocks over its own endpoints. */
export function PluginPage() {
  const { plugin, name } = useParams({ from: '/pages/$plugin/$name' });
  const { query } = usePages();
  const found = query.data?.items.find((page) => page.plugin === plugin && page.name === name);
  return (
    <>
      <PageHead title={found?.title ?? 'Page'} />
      <Region query={query}>
        {() =>
          found === undefined ? (
            <Empty words="No plugin of this tenant has such a page." />
          ) : (
            <Stack key={`${plugin}/${name}`} gap="xl">
              {found.description === null ? null : <Text>{found.description}</Text>}
              {found.blocks.map((block) => (
                <BlockSection key={`${block.kind} ${block.title}`} page={found} block={block} />
              ))}
            </Stack>
          )
        }
      </Region>
    </>
  );
}

function BlockSection({ page, block }: { page: ShownPage; block: ShownPage['blocks'][number] }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id} mb="sm">
        {block.title}
      </Title>
      <BlockContent page={page} block={block} />
    </section>
  );
}

function BlockContent({ page, block }: { page: ShownPage; block: ShownPage['blocks'][number] }) {
  switch (block.kind) {
    case 'list':
      return <ListBlock page={page} block={block} />;
    case 'facts':
      return <FactsBlock page={page} block={block} />;
    case 'form':
      return <FormBlock page={page} block={block} />;
    default:
      return (
        <Group gap="sm" align="flex-start">
          {block.actions.map((action) => (
            <ActionButton key={action.operation} page={page} action={action} />
          ))}
        </Group>
      );
  }
}

function FactsBlock({ page, block }: { page: ShownPage; block: BlockOf<'facts'> }) {
  const query = useRead(endpointOf(page, block.read));
  return (
    <Region query={query}>
      {(data) => (
        <FactList
          facts={block.facts.map((column) => [column.title, <Value key={column.name} of={data} column={column} />])}
        />
      )}
    </Region>
  );
}
