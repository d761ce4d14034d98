import { Anchor, Code, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  dryRunPolicy,
  getPolicy,
  listPolicyVersions,
  type PolicyVersionView,
  updatePolicy,
} from '@weir/plugin-identity/contract';
import { useRead } from '../../api/queries.ts';
import { useReadPages } from '../../api/read-pages.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { useMay } from '../../session/person.ts';
import { WhoChanged } from '../../session/who-changed.tsx';
import { LongTable } from '../../table/long-table.tsx';
import { PolicyActions } from './policy-actions.tsx';
import { PolicyChange } from './policy-change.tsx';
import { EditPolicy } from './policy-form.tsx';
import { PolicyPreview } from './policy-preview.tsx';
import { PolicyTrial } from './policy-trial.tsx';
import { policyLines } from './policy-words.ts';

const PAGE = 50;

/** One policy: what it says, what can be done with it, and what it would decide. */
export function PolicyDetail({ policyId }: { policyId: string }) {
  const { show } = useSearch({ from: '/operations' });
  const navigate = useNavigate({ from: '/operations' });
  const policy = useRead(getPolicy, { params: { policy_id: policyId } });
  const [mayTry, mayChange] = [useMay(dryRunPolicy), useMay(updatePolicy)];
  return (
    <Stack gap="lg">
      <Anchor size="sm" renderRoot={(props) => <Link to="/operations" search={{ tab: 'policies' }} {...props} />}>
        All policies
      </Anchor>
      <Region query={policy}>
        {(one) => (
          <Stack gap="md">
            <Group justify="space-between">
              <Group gap="sm">
                <Title order={2}>{one.name}</Title>
                <WhoChanged id={policyId} />
              </Group>
              {mayChange && show !== 'edit' ? <PolicyActions policy={one} /> : null}
            </Group>
            <FactList
              facts={[
                ['State', one.status === 'active' ? 'in force' : one.status],
                ['Version', String(one.version)],
                ['Changed', <ShowTime key="at" at={one.updated_at} />],
                ['By', one.created_by],
                ['Why', one.note ?? '–'],
              ]}
            />
            {mayChange && show === 'edit' ? (
              <EditPolicy
                policy={one}
                onDone={() => void navigate({ search: { tab: 'policies', policy: policyId } })}
              />
            ) : (
              <>
                <Stack gap="xs" p="md" className="panel" component="section" aria-label="What it says">
                  {policyLines(one.document).map(({ text, isCode }, i) =>
                    isCode ? (
                      // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
                      <Code key={i} className="cell-text">
                        {text}
                      </Code>
                    ) : (
                      <Text key={text} size="sm">
                        {text}
                      </Text>
                    ),
                  )}
                </Stack>
                {mayTry && one.kind === 'access' ? <PolicyPreview policyId={policyId} document={one.document} /> : null}
                {mayTry && one.kind === 'access' ? <PolicyTrial policyId={policyId} /> : null}
              </>
            )}
          </Stack>
        )}
      </Region>
      {show === 'edit' ? null : <Versions policyId={policyId} />}
    </Stack>
  );
}

function Versions({ policyId }: { policyId: string }) {
  const pages = useReadPages(listPolicyVersions, { params: { policy_id: policyId }, query: { limit: PAGE } });
  return (
    <section aria-labelledby="policy-versions">
      <Title order={2} id="policy-versions" mb="sm">
        Versions
      </Title>
      <Region query={pages}>
        {(all) => {
          const versions = all.flatMap(({ items }) => items);
          return (
            <LongTable
              label="Table of versions"
              minWidth={640}
              spacing={6}
              head={
                <>
                  <Table.Th w={80}>Version</Table.Th>
                  <Table.Th w={150}>When</Table.Th>
                  <Table.Th w={150}>By</Table.Th>
                  <Table.Th>What it changed</Table.Th>
                  <Table.Th>Why</Table.Th>
                </>
              }
              rows={versions}
              pages={pages}
              moreWords="Show older ones"
              keyOf={({ version }) => version}
            >
              {(version, i) => (
                <>
                  <Table.Td>{version.version}</Table.Td>
                  <Table.Td>
                    <ShowTime at={version.created_at} size="sm" />
                  </Table.Td>
                  <Table.Td>{version.created_by}</Table.Td>
                  <Table.Td>
                    <VersionChange version={version} before={versions[i + 1]} />
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm">{version.note ?? '–'}</Text>
                  </Table.Td>
                </>
              )}
            </LongTable>
          );
        }}
      </Region>
    </section>
  );
}

function VersionChange({ version, before }: { version: PolicyVersionView; before: PolicyVersionView | undefined }) {
  if (version.version === 1) return 'The first version';
  return before === undefined ? '–' : <PolicyChange before={before.document} after={version.document} />;
}
