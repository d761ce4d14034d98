import { Button, Group, NativeSelect, NumberInput, Stack, Table, Text, TextInput } from '@mantine/core';
import { TENANT_ROLES, type TenantRole } from '@weir/kernel/contract';
import {
  type ApiTokenView,
  createApiToken,
  DEFAULT_TOKEN_DAYS,
  listApiTokens,
  MAX_TOKEN_DAYS,
  revokeApiToken,
} from '@weir/plugin-identity/contract';
import { type FormEvent, useState } from 'react';
import { useChange } from '../api/queries.ts';
import { useReadPages } from '../api/read-pages.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { counted } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { ROLE_WORDS, roleIn, useMay, usePerson } from '../session/person.ts';
import { LongTable } from '../table/long-table.tsx';
import type { Pages } from '../table/more-button.tsx';

const PAGE = 500;

/** Tokens for programs: made here, shown once, revoked here. */
export function TokensTab() {
  const pages = useReadPages(listApiTokens, { query: { limit: PAGE } });
  const mayMake = useMay(createApiToken);
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<ApiTokenView>();
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          A token acts as its maker, up to its role. Its text is shown once.
        </Text>
        {mayMake ? <Button onClick={() => setMaking(true)}>New token</Button> : null}
      </Group>
      <Region
        query={pages}
        empty={([first]) => (first?.items.length === 0 ? { words: 'No token that is in use.' } : undefined)}
      >
        {(all) => (
          <TokenTable
            tokens={all.flatMap(({ items }) => items)}
            pages={pages}
            revoke={mayMake ? setRevoking : undefined}
          />
        )}
      </Region>
      {isMaking ? <NewToken onClose={() => setMaking(false)} /> : null}
      {revoking === undefined ? null : <Revoke token={revoking} onClose={() => setRevoking(undefined)} />}
    </Stack>
  );
}

interface TokenTableProps {
  tokens: readonly ApiTokenView[];
  pages: Pages;
  revoke: ((token: ApiTokenView) => void) | undefined;
}

function TokenTable({ tokens, pages, revoke }: TokenTableProps) {
  return (
    <LongTable
      label="API tokens"
      minWidth={760}
      head={
        <>
          <Table.Th>Name</Table.Th>
          <Table.Th>Role</Table.Th>
          <Table.Th>Made by</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>Expires</Table.Th>
          <Table.Th>
            <span className="unseen">Revoke</span>
          </Table.Th>
        </>
      }
      rows={tokens}
      keyOf={(token) => token.api_token_id}
      foot={counted(tokens.length, 'token')}
      pages={pages}
    >
      {(token) => (
        <>
          <Table.Td fw={560}>{token.name}</Table.Td>
          <Table.Td>
            {token.effective_role === null ? 'none now: it is refused' : ROLE_WORDS[token.effective_role]}
          </Table.Td>
          <Table.Td>{token.created_by}</Table.Td>
          <Table.Td>{token.last_used_at === null ? 'never' : <ShowTime at={token.last_used_at} size="sm" />}</Table.Td>
          <Table.Td>
            <ShowTime at={token.expires_at} size="sm" />
          </Table.Td>
          <Table.Td ta="right">
            {revoke === undefined ? null : (
              <Button
                size="compact-xs"
                variant="default"
                data-row
                aria-label={`Revoke… ${token.name}`}
                onClick={() => revoke(token)}
              >
                Revoke…
              </Button>
            )}
          </Table.Td>
        </>
      )}
    </LongTable>
  );
}

function NewToken({ onClose }: { onClose(): void }) {
  const { me, tenant } = usePerson();
  const own = roleIn(me, tenant) ?? 'viewer';
  const roles = TENANT_ROLES.slice(0, TENANT_ROLES.indexOf(own) + 1);
  const [name, setName] = useState('');
  const [role, setRole] = useState<TenantRole>('viewer');
  const [days, setDays] = useState<number | string>(DEFAULT_TOKEN_DAYS);
  const create = useChange(createApiToken);
  const send = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ body: { name, role, expires_in_days: Number(days) } });
  };
  if (create.data !== undefined)
    return (
      <ShownOnce title={`Token ${create.data.name}`} what="token" secret={create.data.token} onClose={onClose}>
        Keep it where programs find secrets: it cannot be read again. Programs send it as a bearer token; the command
        line reads it from WEIR_TOKEN.
      </ShownOnce>
    );
  return (
    <Dialog title="New API token" onClose={onClose}>
      <form onSubmit={send}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            required
            data-autofocus
            value={name}
            onChange={(e) => setName(e.currentTarget.value)}
          />
          <NativeSelect
            label="Role"
            description="At most your own"
            data={roles.map((value) => ({ value, label: ROLE_WORDS[value] }))}
            value={role}
            onChange={(event) => setRole(event.currentTarget.value as TenantRole)}
          />
          <NumberInput
            label="Days until it expires"
            min={1}
            max={MAX_TOKEN_DAYS}
            allowDecimal={false}
            value={days}
            onChange={setDays}
          />
          {create.error === null ? null : <FaultNote error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={name.trim() === ''} loading={create.isPending}>
              Make the token
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function Revoke({ token, onClose }: { token: ApiTokenView; onClose(): void }) {
  const revoke = useChange(revokeApiToken);
  return (
    <Dialog title={`Revoke ${token.name}?`} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">Within five seconds every program that holds it is refused. This cannot be undone.</Text>
        {revoke.error === null ? null : <FaultNote error={revoke.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Keep it
          </Button>
          <Button
            color="red"
            loading={revoke.isPending}
            onClick={() => revoke.mutate({ params: { api_token_id: token.api_token_id } }, { onSuccess: onClose })}
          >
            Revoke
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
