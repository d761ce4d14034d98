import { Button, Group, Tabs } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { registerSchema } from '@weir/plugin-schema-registry/contract';
import { useLetter } from '../keys/keys.ts';
import { PageHead } from '../parts/page-head.tsx';
import { useMay } from '../session/person.ts';
import { ModelsTab } from './models-tab.tsx';
import { RegistryTab } from './registry-tab.tsx';
import { WithSchemas } from './with-schemas.tsx';

/** The tenant's own schemas, and the published models. */
export const SchemasPage = () => (
  <WithSchemas title="Schemas">
    <Shown />
  </WithSchemas>
);

function Shown() {
  const { tab = 'registry' } = useSearch({ from: '/schemas' });
  const navigate = useNavigate({ from: '/schemas' });
  const mayRegister = useMay(registerSchema);
  useLetter('n', mayRegister ? () => void navigate({ to: '/schemas/register' }) : undefined);
  return (
    <>
      <PageHead title="Schemas">
        <Group gap="xs">
          <Button variant="default" renderRoot={(props) => <Link to="/schemas/check" {...props} />}>
            Check a table
          </Button>
          {mayRegister ? (
            <Button renderRoot={(props) => <Link to="/schemas/register" {...props} />}>Register a schema</Button>
          ) : null}
        </Group>
      </PageHead>
      <Tabs value={tab} onChange={(next) => void navigate({ search: { tab: next ?? 'registry' } })} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="registry">Registry</Tabs.Tab>
          <Tabs.Tab value="models">Published models</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="registry">
          <RegistryTab mayRegister={mayRegister} />
        </Tabs.Panel>
        <Tabs.Panel value="models">
          <ModelsTab />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
