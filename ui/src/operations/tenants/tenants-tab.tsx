import { Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import {
  createTenant,
  getTenantLimits,
  listTenants,
  TENANT_ALIAS,
  type TenantView,
} from '@weir/plugin-platform/contract';
import { type FormEvent, useState } from 'react';
import { useChange, useRead } from '../../api/queries.ts';
import { useReadPages } from '../../api/read-pages.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FaultNote } from '../../parts/fault-note.tsx';
import { counted } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { isReached, LIMITS, usedText } from './limit-draft.ts';
import { LimitsDialog } from './limits-dialog.tsx';

const PAGE = 100;

/** All tenants with what they use, for those who make them and set their limits. */
export function TenantsTab() {
  const pages = useReadPages(listTenants, { query: { limit: PAGE } });
  const [isMaking, setMaking] = useState(false);
  const [limiting, setLimiting] = useState<string>();
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Every tenant of this deployment. Their people are those of the organization of the same name.
        </Text>
        <Button onClick={() => setMaking(true)}>New tenant</Button>
      </Group>
      <Region query={pages} empty={([first]) => (first?.items.length === 0 ? { words: 'No tenant yet.' } : undefined)}>
        {(all) => {
          const tenants = all.flatMap(({ items }) => items);
          return (
            <LongTable
              label="Tenants"
              minWidth={860}
              head={
                <>
                  <Table.Th>Tenant</Table.Th>
                  <Table.Th ta="right">Runs today</Table.Th>
                  <Table.Th ta="right">Open runs</Table.Th>
                  <Table.Th ta="right">Tables</Table.Th>
                  <Table.Th>Made</Table.Th>
                  <Table.Th>
                    <span className="unseen">Limits</span>
                  </Table.Th>
                </>
              }
              rows={tenants}
              keyOf={(tenant) => tenant.tenant_id}
              foot={counted(tenants.length, 'tenant')}
              pages={pages}
            >
              {(tenant) => <TenantRow tenant={tenant} limit={() => setLimiting(tenant.alias)} />}
            </LongTable>
          );
        }}
      </Region>
      {isMaking ? <NewTenant onClose={() => setMaking(false)} /> : null}
      {limiting === undefined ? null : <LimitsDialog alias={limiting} onClose={() => setLimiting(undefined)} />}
    </Stack>
  );
}

function TenantRow({ tenant, limit }: { tenant: TenantView; limit(): void }) {
  const { alias, scope, created_at: at } = tenant;
  const { data: limits } = useRead(getTenantLimits, { params: { alias } });
  return (
    <>
      <Table.Td>
        <Text size="sm" fw={560}>
          {alias}
        </Text>
        {scope === alias ? null : (
          <Text size="xs" c="dimmed">
            {scope} in the names of its tables
          </Text>
        )}
      </Table.Td>
      {LIMITS.map((name) => (
        <Table.Td key={name} ta="right">
          {limits === undefined ? (
            '…'
          ) : (
            <Text span inherit c={isReached(name, limits) ? 'var(--mantine-color-error)' : 'inherit'}>
              {usedText(name, limits)}
            </Text>
          )}
        </Table.Td>
      ))}
      <Table.Td>
        <ShowTime at={at} size="sm" />
      </Table.Td>
      <Table.Td ta="right">
        <Button size="compact-xs" variant="default" data-row aria-label={`Limits… ${alias}`} onClick={limit}>
          Limits…
        </Button>
      </Table.Td>
    </>
  );
}

const ALIAS_RULE = 'At most 63 letters, digits, - and _, beginning with a letter or a digit.';

function NewTenant({ onClose }: { onClose(): void }) {
  const [alias, setAlias] = useState('');
  const create = useChange(createTenant);
  const isAlias = TENANT_ALIAS.test(alias);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isAlias) create.mutate({ body: { alias } });
  };
  if (create.data !== undefined)
    return (
      <Dialog title={`Tenant ${create.data.alias}`} onClose={onClose}>
        <Stack gap="md">
          <Text size="sm">
            Next, put people into the organization {create.data.alias} at the identity provider, one of them as admin.
            On a development server, sign out and choose “Another person”.
          </Text>
          <Group justify="flex-end">
            <Button data-autofocus onClick={onClose}>
              Done
            </Button>
          </Group>
        </Stack>
      </Dialog>
    );
  return (
    <Dialog title="New tenant" onClose={onClose}>
      <form onSubmit={send} noValidate>
        <Stack gap="sm">
          <TextInput
            label="Alias"
            description="As its organization is called at the identity provider. It stays so for ever"
            required
            data-autofocus
            value={alias}
            error={alias === '' || isAlias ? undefined : ALIAS_RULE}
            onChange={(event) => setAlias(event.currentTarget.value)}
          />
          {create.error === null ? null : <FaultNote error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isAlias} loading={create.isPending}>
              Make the tenant
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
