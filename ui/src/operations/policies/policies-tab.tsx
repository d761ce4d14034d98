import { Anchor, Button, Group, Stack, Table, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { createPolicy, listPolicies, type PolicyStatus, type PolicyView } from '@weir/plugin-identity/contract';
import { Archive, CheckCircle2, CircleDashed, type LucideIcon } from 'lucide-react';
import { useReadPages } from '../../api/read-pages.ts';
import { countText } from '../../parts/numbers.ts';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { type Tone, ToneWord } from '../../parts/status-word.tsx';
import { useMay } from '../../session/person.ts';
import { LongTable } from '../../table/long-table.tsx';
import type { Pages } from '../../table/more-button.tsx';
import { PolicyDetail } from './policy-detail.tsx';
import { NewPolicy } from './policy-form.tsx';

const PAGE = 100;
const WORDS: Readonly<Record<PolicyStatus, [LucideIcon, Tone, string]>> = {
  draft: [CircleDashed, 'quiet', 'Draft'],
  active: [CheckCircle2, 'good', 'In force'],
  archived: [Archive, 'quiet', 'Archived'],
};

/** The identity policies, or one of them with its versions and a dry run. */
export function PoliciesTab() {
  const { policy } = useSearch({ from: '/operations' });
  const pages = useReadPages(listPolicies, { query: { limit: PAGE, order: 'name' } });
  const mayCreate = useMay(createPolicy);
  if (policy === 'new' && mayCreate) return <NewPolicy />;
  if (policy !== undefined) return <PolicyDetail policyId={policy} />;
  const create = (
    <Button renderRoot={(props) => <Link to="/operations" search={{ tab: 'policies', policy: 'new' }} {...props} />}>
      New policy
    </Button>
  );
  return (
    <Stack gap="sm">
      {mayCreate ? <Group justify="flex-end">{create}</Group> : null}
      <Region
        query={pages}
        empty={([first]) =>
          first?.items.length === 0
            ? { words: 'No policy: roles alone decide. A policy forbids what a role allows.', docs: '/docs' }
            : undefined
        }
      >
        {(all) => <PolicyTable policies={all.flatMap(({ items }) => items)} pages={pages} />}
      </Region>
    </Stack>
  );
}

function PolicyTable({ policies, pages }: { policies: readonly PolicyView[]; pages: Pages }) {
  return (
    <LongTable
      label="Policies"
      minWidth={680}
      head={
        <>
          <Table.Th>Name</Table.Th>
          <Table.Th>About</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th ta="right">Version</Table.Th>
          <Table.Th>Changed</Table.Th>
        </>
      }
      rows={policies}
      keyOf={({ policy_id }) => policy_id}
      foot={policies.length === 1 ? '1 policy' : `${countText(policies.length)} policies`}
      pages={pages}
    >
      {({ policy_id, name, kind, status, version, created_by, updated_at }) => {
        const [icon, tone, word] = WORDS[status];
        return (
          <>
            <Table.Td>
              <Anchor
                fw={560}
                data-row
                renderRoot={(props) => (
                  <Link to="/operations" search={{ tab: 'policies', policy: policy_id }} {...props} />
                )}
              >
                {name}
              </Anchor>
            </Table.Td>
            <Table.Td>{kind === 'access' ? 'who may do what' : 'which rows are the same thing'}</Table.Td>
            <Table.Td>
              <ToneWord icon={icon} tone={tone} word={word} />
            </Table.Td>
            <Table.Td ta="right">{version}</Table.Td>
            <Table.Td>
              <Stack gap={0}>
                <ShowTime at={updated_at} size="sm" />
                <Text size="xs" c="dimmed">
                  {created_by}
                </Text>
              </Stack>
            </Table.Td>
          </>
        );
      }}
    </LongTable>
  );
}
