import { Alert, Anchor, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { createEntityTypeVersion, type EntityTypeView, getEntityType } from '@weir/plugin-ontology/contract';
import { ProblemError } from '../../api/problem-error.ts';
import { useRead } from '../../api/queries.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { countText } from '../../parts/numbers.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Empty, Region } from '../../parts/region.tsx';
import { ShowTime } from '../../parts/show-time.tsx';
import { useMay } from '../../session/person.ts';
import { BackingList } from '../backing/backing-tab.tsx';
import { DocumentView } from '../document/document-view.tsx';
import { EntitiesTab } from '../entities/entities-tab.tsx';
import { TypeStatusWord } from '../status-word.tsx';
import { WithOntology } from '../with-ontology.tsx';
import { PropertiesTab } from './properties-tab.tsx';
import { RelationshipsTab } from './relationships-tab.tsx';
import { TypeMenu } from './type-menu.tsx';
import { VersionsTab } from './versions-tab.tsx';
import '../ontology.css';

const NOT_FOUND = 404;

/** One entity type: what it says now and said before, and its entities. */
export function TypePage() {
  const { code } = useParams({ from: '/ontology/types/$code' });
  return (
    <WithOntology title={code}>
      <Loaded key={code} code={code} />
    </WithOntology>
  );
}

function Loaded({ code }: { code: string }) {
  const { version } = useSearch({ from: '/ontology/types/$code' });
  const query = useRead(
    getEntityType,
    { params: { code }, query: { include: 'retired', ...(version !== undefined && { version: Number(version) }) } },
    { keep: true },
  );
  if (query.data?.code === code) return <Region query={query}>{(type) => <Shown type={type} />}</Region>;
  const isAbsent = query.error instanceof ProblemError && query.error.problem.status === NOT_FOUND;
  return (
    <>
      <PageHead title={code} />
      {isAbsent ? (
        <Empty
          words={
            version === undefined
              ? `The tenant has no entity type ${code}.`
              : `The tenant has no entity type ${code} with a version ${version}.`
          }
          action={
            <Anchor renderRoot={(props) => <Link to="/ontology" search={{ q: code }} {...props} />}>
              Look for it in the list
            </Anchor>
          }
        />
      ) : (
        <Region query={query}>{(type) => <Shown type={type} />}</Region>
      )}
    </>
  );
}

function Shown({ type }: { type: EntityTypeView }) {
  const { code, name, description, status } = type;
  const mayChange = useMay(createEntityTypeVersion) && status !== 'retired';
  return (
    <Stack gap="md">
      <div>
        <PageHead title={name} beside={<TypeStatusWord status={status} />}>
          {mayChange ? (
            <Button renderRoot={(props) => <Link to="/ontology/types/$code/version" params={{ code }} {...props} />}>
              New version
            </Button>
          ) : null}
          <TypeMenu type={type} />
        </PageHead>
        {name === code ? null : (
          <Group gap="xs" mt={-8}>
            <span className="mono-id">{code}</span>
            <CopyText text={code} what="code" />
          </Group>
        )}
        {description === null ? null : (
          <Text mt="xs" className="type-text">
            {description}
          </Text>
        )}
      </div>
      <Facts type={type} />
      <Notes type={type} />
      <TypeTabs type={type} />
    </Stack>
  );
}

/** What is unusual about what is shown. */
function Notes({ type: { code, status, version, latest_version: newest } }: { type: EntityTypeView }) {
  return (
    <>
      {status === 'retired' ? (
        <Alert role="status" color="gray" variant="outline" className="panel">
          The type is retired. Its versions and entities are kept, and its code stays taken; whoever may change types
          can bring it back.
        </Alert>
      ) : null}
      {version === newest ? null : (
        <Alert role="status" color="yellow" variant="outline" className="panel">
          Version {version} is shown, of {newest}.{' '}
          <Anchor
            inherit
            underline="always"
            renderRoot={(props) => (
              <Link
                to="/ontology/types/$code"
                params={{ code }}
                search={({ version: _v, against: _a, ...rest }: Record<string, string | undefined>) => rest}
                {...props}
              />
            )}
          >
            Show the newest
          </Anchor>
        </Alert>
      )}
    </>
  );
}

function TypeTabs({ type }: { type: EntityTypeView }) {
  const search = useSearch({ from: '/ontology/types/$code' });
  const { tab = 'properties' } = search;
  const navigate = useNavigate({ from: '/ontology/types/$code' });
  return (
    <Tabs
      value={tab}
      onChange={(next) => void navigate({ search: { tab: next ?? 'properties', version: search.version } })}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="properties">Properties</Tabs.Tab>
        <Tabs.Tab value="relationships">Relationships</Tabs.Tab>
        <Tabs.Tab value="entities">Entities</Tabs.Tab>
        <Tabs.Tab value="filled">Filled by</Tabs.Tab>
        <Tabs.Tab value="versions">Versions</Tabs.Tab>
        <Tabs.Tab value="document">Document</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="properties">
        <PropertiesTab type={type} />
      </Tabs.Panel>
      <Tabs.Panel value="relationships">
        <RelationshipsTab type={type} />
      </Tabs.Panel>
      <Tabs.Panel value="entities">
        <EntitiesTab type={type} />
      </Tabs.Panel>
      <Tabs.Panel value="filled">
        <BackingList type={type.code} />
      </Tabs.Panel>
      <Tabs.Panel value="versions">
        <VersionsTab type={type} />
      </Tabs.Panel>
      <Tabs.Panel value="document">
        <DocumentView type={type} />
      </Tabs.Panel>
    </Tabs>
  );
}

function Facts({ type }: { type: EntityTypeView }) {
  const { version, latest_version: newest, primary_key: key, title_property: title, properties, relationships } = type;
  return (
    <FactList
      facts={[
        ['Version', version === newest ? version : `${version} of ${newest}`],
        ['Key', key.join(', ')],
        ['Title', title ?? 'the key'],
        ['Properties', countText(properties.length)],
        ['Relationships', countText(relationships.length)],
        ['Created by', type.created_by],
        ['Changed', <ShowTime key="at" at={type.updated_at} />],
      ]}
    />
  );
}
