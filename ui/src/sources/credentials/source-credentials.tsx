import { Stack, Text } from '@mantine/core';
import {
  type CredentialView,
  credentialProblems,
  getCredentials,
  getPattern,
  type SourceView,
} from '@weir/plugin-sources/contract';
import { ProblemError } from '../../api/problem-error.ts';
import { useRead } from '../../api/queries.ts';
import type { SchemaNode } from '../../form/schema-node.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { Empty, Region } from '../../parts/region.tsx';
import { type CredentialField, credentialFields } from './credential-fields.ts';
import { InlineCredential, NewCredential } from './given-credentials.tsx';
import { StoredCredential } from './stored-credential.tsx';

const { credentialModeUnsupported, credentialNotAttached } = credentialProblems;

/** The credential of a source: what may be known of it, and how it is replaced. Values are written and never read. */
export function SourceCredentials({ source }: { source: SourceView }) {
  const pattern = useRead(getPattern, { params: { pattern_id: source.pattern_id } });
  return (
    <Region query={pattern}>
      {({ spec, credential_fields: pointers }) => {
        if (pointers.length === 0) return <Empty words="Sources of this pattern take no credentials." />;
        const fields = credentialFields(spec as SchemaNode, pointers, source.source_config);
        return <Known source={source} fields={fields} />;
      }}
    </Region>
  );
}

function Known({ source, fields }: { source: SourceView; fields: CredentialField[] }) {
  const query = useRead(getCredentials, { params: { source_id: source.source_id } });
  const code = query.error instanceof ProblemError ? query.error.problem.code : undefined;
  if (code === credentialModeUnsupported.entry.code) return <InlineCredential source={source} fields={fields} />;
  if (code === credentialNotAttached.entry.code) return <NewCredential source={source} fields={fields} />;
  if (query.error !== null && query.data === undefined)
    return <FaultNote error={query.error} retry={() => void query.refetch()} />;
  return (
    <Region query={query}>
      {(credential: CredentialView) => (
        <Stack>
          <StoredCredential source={source} credential={credential} fields={fields} />
          <Text size="sm" c="dimmed">
            A sync that runs keeps the version it began with.
          </Text>
        </Stack>
      )}
    </Region>
  );
}
