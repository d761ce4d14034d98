import { Button, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import {
  getSchemaVersion,
  listSchemaVersions,
  listSubjects,
  registerSchema,
  type SchemaVersionView,
  type SubjectView,
} from '@weir/plugin-schema-registry/contract';
import { useRead } from '../api/queries.ts';
import { useReadPages } from '../api/read-pages.ts';
import { FactList } from '../parts/fact-list.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { useMay } from '../session/person.ts';
import type { Pages } from '../table/more-button.tsx';
import { SchemaTable } from './schema-table.tsx';
import { StatusWord } from './status-word.tsx';
import { SubjectVersions } from './subject-versions.tsx';
import { VersionDifference } from './version-difference.tsx';
import { WithSchemas } from './with-schemas.tsx';

const PAGE = 50;

/** One subject: its versions, what changed between two of them, and the schema of one. */
export function SubjectPage() {
  const { subject } = useParams({ from: '/schemas/subjects/$subject' });
  return (
    <WithSchemas title={subject}>
      <Loaded subject={subject} />
    </WithSchemas>
  );
}

function Loaded({ subject }: { subject: string }) {
  const query = useRead(listSubjects, { query: { subject } });
  const versions = useReadPages(listSchemaVersions, { params: { subject }, query: { limit: PAGE, order: '-version' } });
  return (
    <>
      {query.data?.items[0] === undefined ? <PageHead title={subject} /> : null}
      <Region query={query}>
        {({ items: [found] }) =>
          found === undefined ? (
            <Empty words={`The registry has no subject ${subject}.`} />
          ) : (
            <Region query={versions}>
              {(all) => <Shown subject={found} versions={all.flatMap(({ items }) => items)} pages={versions} />}
            </Region>
          )
        }
      </Region>
    </>
  );
}

interface ShownProps {
  subject: SubjectView;
  versions: readonly SchemaVersionView[];
  pages: Pages;
}

function Shown({ subject: view, versions, pages }: ShownProps) {
  const { subject, title, compatibility, policy, status, dialect, metadata, updated_at: at } = view;
  const mayRegister = useMay(registerSchema);
  return (
    <Stack gap="md">
      <PageHead title={subject} beside={<StatusWord status={status} />}>
        <Button variant="default" renderRoot={(props) => <Link to="/schemas/check" search={{ subject }} {...props} />}>
          Check a table against it
        </Button>
        {mayRegister ? (
          <Button renderRoot={(props) => <Link to="/schemas/register" search={{ subject }} {...props} />}>
            New version
          </Button>
        ) : null}
      </PageHead>
      {title === '' || title === subject ? null : <Text mt={-20}>{title}</Text>}
      <FactList
        facts={[
          ['Newest version', view.version],
          ['A new version must be', compatibility],
          ['Optional members', policy === 'strict' ? 'strict: they count' : 'may come and go'],
          ['Dialect', dialect],
          ['Changed', <ShowTime key="at" at={at} />],
          ...Object.entries(metadata),
        ]}
      />
      <SubjectVersions versions={versions} pages={pages} />
      <VersionDifference subject={subject} versions={versions} />
      <SchemaOf subject={subject} newest={view.version} />
    </Stack>
  );
}

/** The schema of the version that the address names, or of the newest one. */
function SchemaOf({ subject, newest }: { subject: string; newest: number }) {
  const search = useSearch({ from: '/schemas/subjects/$subject' });
  const navigate = useNavigate({ from: '/schemas/subjects/$subject' });
  const version = search.version === undefined ? newest : Number(search.version);
  const query = useRead(getSchemaVersion, { params: { subject, version } });
  return (
    <Stack gap="sm" component="section" aria-labelledby="schema">
      <Title order={2} id="schema">
        Schema of version {version}
      </Title>
      <Region query={query}>
        {({ json_schema: schema }) => (
          <SchemaTable
            schema={schema}
            word={search.members ?? ''}
            onWord={(members) => void navigate({ search: (before) => ({ ...before, members }), replace: true })}
          />
        )}
      </Region>
    </Stack>
  );
}
