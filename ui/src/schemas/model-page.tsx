import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { getSchemaByFullId, registerSchema } from '@weir/plugin-schema-registry/contract';
import { useRead } from '../api/queries.ts';
import { CopyText } from '../parts/copy-text.tsx';
import { FactList } from '../parts/fact-list.tsx';
import { countText } from '../parts/numbers.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { useMay } from '../session/person.ts';
import { SchemaTable } from './schema-table.tsx';
import { WithSchemas } from './with-schemas.tsx';

/** A model of a library, with its licence. */
export function ModelPage() {
  const { fullId } = useParams({ from: '/schemas/models/$fullId' });
  return (
    <WithSchemas title={fullId}>
      <Loaded fullId={fullId} />
    </WithSchemas>
  );
}

function Loaded({ fullId }: { fullId: string }) {
  const query = useRead(getSchemaByFullId, { params: { full_id: fullId } });
  return (
    <>
      {query.data === undefined ? <PageHead title={fullId} /> : null}
      <Region query={query}>{(model) => <Shown model={model} />}</Region>
    </>
  );
}

function Shown({ model }: { model: Output<typeof getSchemaByFullId> }) {
  const { members = '' } = useSearch({ from: '/schemas/models/$fullId' });
  const navigate = useNavigate({ from: '/schemas/models/$fullId' });
  const mayRegister = useMay(registerSchema);
  const { full_id: id, title, schema_id: name, description } = model;
  return (
    <Stack gap="md">
      <div>
        <PageHead title={name}>
          <Button
            variant="default"
            renderRoot={(props) => <Link to="/schemas/check" search={{ model: id }} {...props} />}
          >
            Check a table against it
          </Button>
          {mayRegister ? (
            <Button
              variant="default"
              renderRoot={(props) => <Link to="/schemas/register" search={{ model: id }} {...props} />}
            >
              Begin a schema with it
            </Button>
          ) : null}
        </PageHead>
        <Group gap="xs" mt={-8}>
          <span className="mono-id schema-name">{id}</span>
          <CopyText text={id} what="full id" />
        </Group>
      </div>
      <div>
        {title === '' || title === name ? null : (
          <Text fw={560} className="schema-text">
            {title}
          </Text>
        )}
        <Text className="schema-text">{description}</Text>
        <Text size="sm" mt="xs" className="schema-text">
          Licence: <Words text={model.license} />
        </Text>
        <Text size="sm" className="schema-text">
          Attribution: <Words text={model.attribution} />
        </Text>
      </div>
      <FactList
        facts={[
          ['Library', model.library_id],
          ['Domain', <DomainLink key="domain" library={model.library_id} domain={model.domain} />],
          ['Version', model.version],
          ['Members', countText(model.properties)],
          ['Dialect', model.dialect],
        ]}
      />
      <SchemaTable
        schema={model.json_schema}
        word={members}
        onWord={(word) => void navigate({ search: { members: word }, replace: true })}
      />
    </Stack>
  );
}

function DomainLink({ library, domain }: { library: string; domain: string }) {
  return (
    <Anchor
      inherit
      renderRoot={(props) => <Link to="/schemas" search={{ tab: 'models', library, domain }} {...props} />}
    >
      {domain}
    </Anchor>
  );
}

/** A text, whose addresses of the web are links. */
function Words({ text }: { text: string }) {
  const parts = text.split(/(https:\/\/[^\s,;]+)/);
  return (
    <>
      {parts.map((part) =>
        part.startsWith('https://') ? (
          <Anchor key={part} inherit href={part} target="_blank" rel="noreferrer">
            {part}
          </Anchor>
        ) : (
          part
        ),
      )}
    </>
  );
}
