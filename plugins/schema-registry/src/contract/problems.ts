import { problem } from '@weir/kernel/contract';

/** Codes of schemas. */
export const schemaProblems = {
  schemaNotSupported: problem({
    code: 'schema_not_supported',
    status: 422,
    title: 'The schema cannot be used',
    detail: 'The schema breaks a rule of its dialect or a limit of the registry: errors says where.',
    hint: 'Change the schema at the places that errors names.',
  }),
  schemaTooCostly: problem({
    code: 'schema_too_costly',
    status: 422,
    title: 'The schema takes too long',
    detail: 'Working with this schema took more time or memory than one call may use.',
    hint: 'Use fewer nested alternatives and references, or fewer and smaller documents in a call.',
  }),
  schemaIncompatible: problem({
    code: 'incompatible_schema',
    status: 409,
    title: 'The schema is incompatible',
    detail:
      'The schema breaks the compatibility of the subject, or whether it does is undetermined: changes says where.',
    hint: 'Change the schema at the places that changes names, or choose another compatibility for the subject.',
  }),
  versionConflict: problem({
    code: 'schema_version_conflict',
    status: 409,
    title: 'The subject has a newer version',
    detail: 'The newest version of the subject is not `base_version`.',
    hint: 'Look at the newest version, and send its number as `base_version`.',
  }),
  subjectLimit: problem({
    code: 'schema_subject_limit',
    status: 409,
    title: 'Too many subjects',
    detail: 'The tenant has as many subjects as it may have: {most}.',
    hint: 'Register the schema as a version of a subject that exists.',
  }),
  versionLimit: problem({
    code: 'schema_version_limit',
    status: 409,
    title: 'Too many versions',
    detail: 'The subject has as many versions as it may have: {most}.',
    hint: 'Register the schema under another subject.',
  }),
  statusUnclear: problem({
    code: 'schema_status_unclear',
    status: 422,
    title: 'The status cannot be set',
    detail: 'A draft becomes active, an active version deprecated, and a deprecated one active again.',
    hint: 'Read the version to see its status.',
  }),
  libraryInvalid: problem({
    code: 'schema_library_invalid',
    status: 422,
    title: 'The library file is invalid',
    detail: 'The file of this library in the folder of libraries is not in order: errors says where.',
    hint: 'Write the file again with the importer, or ask an operator to.',
  }),
  sourceUnclear: problem({
    code: 'schema_source_unclear',
    status: 422,
    title: 'The request is unclear',
    detail: 'The body has too many or too few of the members that exclude each other.',
    hint: 'Send exactly one of the members that errors names.',
    faults: { choose_one: 'must be sent alone, or another one of its kind instead' },
  }),
};
