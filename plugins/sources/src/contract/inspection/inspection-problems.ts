import { problem } from '@weir/kernel/contract';

/** What is answered to who adds a connector by its image. */
export const inspectionProblems = {
  imageReferenceInvalid: problem({
    code: 'image_reference_invalid',
    status: 422,
    title: 'Image reference invalid',
    detail: '`image` names no container image.',
    hint: 'Give it as registry/path:tag or path:tag, in lower case, such as airbyte/source-faker:7.2.1.',
  }),
  specDocumentInvalid: problem({
    code: 'spec_document_invalid',
    status: 422,
    title: 'Specification not understood',
    detail: '`spec` is no specification of a source connector.',
    hint: 'Give the line that the image prints for its command spec: a message of type SPEC, its member spec, or the JSON Schema in its connectionSpecification.',
    faults: {
      not_a_spec: 'has no JSON Schema of an object in connectionSpecification',
      destination: 'is of a destination, which writes; sources are read from',
      too_large: 'is larger than a specification may be',
      not_a_schema: 'is not a JSON Schema',
    },
  }),
  inspectionNotDone: problem({
    code: 'inspection_not_done',
    status: 409,
    title: 'Inspection not done',
    detail: 'The inspection of the image has not succeeded, so there is nothing to register.',
    hint: 'Wait until it has ended; if it failed, remove the cause and start another one.',
    next: [{ operation: 'sources.get_inspection', params: { run_id: '{run_id}' }, text: 'Show how it stands' }],
  }),
  patternIdTaken: problem({
    code: 'pattern_id_taken',
    status: 409,
    title: 'Pattern id taken',
    detail: 'The pattern of this id is made from another image.',
    hint: 'Choose another id for the new pattern.',
    next: [{ operation: 'sources.get_pattern', params: { pattern_id: '{pattern_id}' }, text: 'Show that pattern' }],
  }),
};
