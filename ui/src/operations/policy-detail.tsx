import { Anchor, Code, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { dryRunPolicy, getPolicy, listPolicyVersions } from '@weir/plugin-identity/contract';
import { useRead } from '../api/queries.ts';
import { useReadPages } from '../api/read-pages.ts';
import { FactList } from '../parts/fact-list.tsx';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { useMay } from '../session/person.ts';
import { LongTable } from '../table/long-table.tsx';
import { PolicyTrial } from './policy-trial.tsx';

const PAGE = 50;

/** One policy: what it says, its versions, and what it would decide. */
export function PolicyDetail({ policyId }: { policyId: string }) {
  const params = { policy_id: policyId };
  const policy = useRead(getPolicy, { params });
  const versions = useReadPages(listPolicyVersions, { params, query: { limit: PAGE } });
  const mayTry = useMay(dryRunPolicy);
  return (
    <Stack gap="lg">
      <Anchor size="sm" renderRoot={(props) => <Link to="/operations" search={{ tab: 'policies' }} {...props} />}>
        All policies
      </Anchor>
      <Region query={policy}>
        {(one) => (
          <Stack gap="md">
            <Title order={2}>{one.name}</Title>
            <FactList
              facts={[
                ['State', one.status === 'active' ? 'in force' : one.status],
                ['Version', String(one.version)],
                ['Changed', <ShowTime key="at" at={one.updated_at} />],
                ['By', one.created_by],
                ['Why', one.note ?? '–'],
              ]}
            />
            <Code block className="cell-text panel" tabIndex={0} mah={360}>
              {JSON.stringify(one.document, undefined, 2)}
            </Code>
            {mayTry && one.kind === 'access' ? <PolicyTrial policyId={policyId} /> : null}
          </Stack>
        )}
      </Region>
      <section aria-labelledby="policy-versions">
        <Title order={2} id="policy-versions" mb="sm">
          Versions
        </Title>
        <Region query={versions}>
          {(all) => (
            <LongTable
              label="Table of versions"
              minWidth={560}
              spacing={6}
              head={
                <>
                  <Table.Th>Version</Table.Th>
                  <Table.Th>When</Table.Th>
                  <Table.Th>By</Table.Th>
                  <Table.Th>Why</Table.Th>
                </>
              }
              rows={all.flatMap(({ items }) => items)}
              pages={versions}
              moreWords="Show older ones"
              keyOf={({ version }) => version}
            >
              {({ version, created_at, created_by, note }) => (
                <>
                  <Table.Td>{version}</Table.Td>
                  <Table.Td>
                    <ShowTime at={created_at} size="sm" />
                  </Table.Td>
                  <Table.Td>{created_by}</Table.Td>
                  <Table.Td>
                    <Group>
                      <Text size="sm">{note ?? '–'}</Text>
                    </Group>
                  </Table.Td>
                </>
              )}
            </LongTable>
          )}
        </Region>
      </section>
    </Stack>
  );
}
