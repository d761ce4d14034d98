import { Anchor, Stack, Table, Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { listPolicies, type PolicyStatus, type PolicyView } from '@weir/plugin-identity/contract';
import { Archive, CheckCircle2, CircleDashed, type LucideIcon } from 'lucide-react';
import { useRead } from '../api/queries.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { type Tone, ToneWord } from '../parts/status-word.tsx';
import { WideBox } from '../parts/wide-box.tsx';
import { PolicyDetail } from './policy-detail.tsx';

const MAX_POLICIES = 500;
const WORDS: Readonly<Record<PolicyStatus, [LucideIcon, Tone, string]>> = {
  draft: [CircleDashed, 'quiet', 'Draft'],
  active: [CheckCircle2, 'good', 'In force'],
  archived: [Archive, 'quiet', 'Archived'],
};

/** The identity policies, or one of them with its versions and a dry run. */
export function PoliciesTab() {
  const { policy } = useSearch({ from: '/operations' });
  const query = useRead(listPolicies, { query: { limit: MAX_POLICIES, order: 'name' } });
  if (policy !== undefined) return <PolicyDetail policyId={policy} />;
  return (
    <Region
      query={query}
      empty={({ items }) =>
        items.length === 0
          ? {
              words: 'No policy: roles alone decide. POST /identity-policies makes one.',
              docs: '/docs',
            }
          : undefined
      }
    >
      {({ items }) => <PolicyTable policies={items} />}
    </Region>
  );
}

function PolicyTable({ policies }: { policies: readonly PolicyView[] }) {
  return (
    <WideBox label="Policies">
      <Table miw={680} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>About</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th ta="right">Version</Table.Th>
            <Table.Th>Changed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {policies.map(({ policy_id, name, kind, status, version, created_by, updated_at }) => {
            const [icon, tone, word] = WORDS[status];
            return (
              <Table.Tr key={policy_id}>
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
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </WideBox>
  );
}
