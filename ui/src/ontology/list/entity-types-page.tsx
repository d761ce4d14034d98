import { Button, Tabs } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { createBackingDataset, createEntityType } from '@weir/plugin-ontology/contract';
import { useLetter } from '../../keys/keys.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { useMay } from '../../session/person.ts';
import { BackingTab } from '../backing/backing-tab.tsx';
import { RouteTab } from '../route/route-tab.tsx';
import { WithOntology } from '../with-ontology.tsx';
import { GraphTab } from './graph-tab.tsx';
import { ListTab } from './list-tab.tsx';

/** The entity types of the tenant, as a list and by their relations. */
export const EntityTypesPage = () => (
  <WithOntology title="Entity types">
    <Shown />
  </WithOntology>
);

function Shown() {
  const { tab = 'list' } = useSearch({ from: '/ontology' });
  const navigate = useNavigate({ from: '/ontology' });
  const mayCreate = useMay(createEntityType);
  const mayFill = useMay(createBackingDataset);
  useLetter('n', mayCreate ? () => void navigate({ to: '/ontology/create' }) : undefined);
  return (
    <>
      <PageHead title="Entity types">
        {mayFill ? (
          <Button variant="default" renderRoot={(props) => <Link to="/ontology/backing/create" {...props} />}>
            Fill a type from a table
          </Button>
        ) : null}
        {mayCreate ? (
          <Button renderRoot={(props) => <Link to="/ontology/create" {...props} />}>New entity type</Button>
        ) : null}
      </PageHead>
      <Tabs
        value={tab}
        onChange={(next) => void navigate({ search: ({ q }) => ({ q, tab: next ?? 'list' }) })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="list">List</Tabs.Tab>
          <Tabs.Tab value="graph">Relations</Tabs.Tab>
          <Tabs.Tab value="backing">Backing datasets</Tabs.Tab>
          <Tabs.Tab value="route">Sync contract</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="list">
          <ListTab mayCreate={mayCreate} />
        </Tabs.Panel>
        <Tabs.Panel value="graph">
          <GraphTab />
        </Tabs.Panel>
        <Tabs.Panel value="backing">
          <BackingTab />
        </Tabs.Panel>
        <Tabs.Panel value="route">
          <RouteTab />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
