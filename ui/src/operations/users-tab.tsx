import { Anchor, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { listUsers } from '@weir/plugin-identity/contract';
import { listAudit } from '@weir/plugin-platform/contract';
import { useReadPages } from '../api/read-pages.ts';
import { counted } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { ROLE_WORDS, useMay } from '../session/person.ts';
import { LongTable } from '../table/long-table.tsx';

const PAGE = 100;

/** The people who were seen in the tenant; the identity provider decides who they are. */
export function UsersTab() {
  const pages = useReadPages(listUsers, { query: { limit: PAGE } });
  const mayAudit = useMay(listAudit);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        As the identity provider named them when they last signed in. Only admins see everybody.
      </Text>
      <Region query={pages}>
        {(all) => {
          const users = all.flatMap(({ items }) => items);
          return (
            <LongTable
              label="Users"
              minWidth={640}
              head={
                <>
                  <Table.Th>Name</Table.Th>
                  <Table.Th>Subject</Table.Th>
                  <Table.Th>Roles here</Table.Th>
                  <Table.Th>Last seen</Table.Th>
                  <Table.Th>
                    <span className="unseen">What they did</span>
                  </Table.Th>
                </>
              }
              rows={users}
              keyOf={({ sub }) => sub}
              pages={pages}
              foot={counted(users.length, 'person').replace('persons', 'people')}
            >
              {({ sub, name, email, roles, last_seen }) => (
                <>
                  <Table.Td>
                    <Text size="sm" fw={560}>
                      {name ?? '–'}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {email}
                    </Text>
                  </Table.Td>
                  <Table.Td className="mono-id">{sub}</Table.Td>
                  <Table.Td>{roles.map((role) => ROLE_WORDS[role]).join(', ') || 'none'}</Table.Td>
                  <Table.Td>
                    <ShowTime at={last_seen} size="sm" />
                  </Table.Td>
                  <Table.Td>
                    {mayAudit ? (
                      <Anchor
                        size="sm"
                        aria-label={`What they did: ${name ?? sub}`}
                        renderRoot={(props) => (
                          <Link to="/operations" search={{ tab: 'audit', actor: sub }} {...props} />
                        )}
                      >
                        What they did
                      </Anchor>
                    ) : null}
                  </Table.Td>
                </>
              )}
            </LongTable>
          );
        }}
      </Region>
    </Stack>
  );
}
