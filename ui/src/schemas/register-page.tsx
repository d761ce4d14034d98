import { useSearch } from '@tanstack/react-router';
import {
  getSchemaByFullId,
  getSchemaVersion,
  listSubjects,
  registerSchema,
  type SubjectView,
} from '@weir/plugin-schema-registry/contract';
import { useRead } from '../api/queries.ts';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Region } from '../parts/region.tsx';
import { useMay } from '../session/person.ts';
import { FIRST, RegisterForm } from './register-form.tsx';
import { WithSchemas } from './with-schemas.tsx';

const JSON_INDENT = 2;
const textOf = (schema: unknown) => JSON.stringify(schema, undefined, JSON_INDENT);

/** Registers a schema that begins as the newest version of a subject, as a published model, or as an example. */
export function RegisterPage() {
  const { subject, model } = useSearch({ from: '/schemas/register' });
  const mayRegister = useMay(registerSchema);
  if (!mayRegister) return <NotAllowed title="Register a schema" things="schemas" />;
  const title = subject === undefined ? 'Register a schema' : `New version of ${subject}`;
  return (
    <WithSchemas title={title}>
      <PageHead title={title} />
      {subject !== undefined ? (
        <OfSubject subject={subject} />
      ) : model !== undefined ? (
        <OfModel model={model} />
      ) : (
        <RegisterForm draft={FIRST} />
      )}
    </WithSchemas>
  );
}

function OfModel({ model }: { model: string }) {
  const query = useRead(getSchemaByFullId, { params: { full_id: model } });
  return (
    <Region query={query}>
      {({ json_schema }) => <RegisterForm key={model} draft={{ ...FIRST, text: textOf(json_schema) }} />}
    </Region>
  );
}

function OfSubject({ subject }: { subject: string }) {
  const query = useRead(listSubjects, { query: { subject } });
  return (
    <Region query={query}>
      {({ items: [newest] }) =>
        newest === undefined ? <RegisterForm draft={{ ...FIRST, subject }} /> : <NextVersion newest={newest} />
      }
    </Region>
  );
}

function NextVersion({ newest }: { newest: SubjectView }) {
  const { subject, version, compatibility, policy } = newest;
  const query = useRead(getSchemaVersion, { params: { subject, version } });
  return (
    <Region query={query}>
      {({ json_schema }) => (
        <RegisterForm
          key={subject}
          draft={{ subject, text: textOf(json_schema), compatibility, policy }}
          known={version}
        />
      )}
    </Region>
  );
}
