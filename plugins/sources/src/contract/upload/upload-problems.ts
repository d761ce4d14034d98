import { problem } from '@weir/kernel/contract';

/** The codes of uploads, and of sources that name one. */
export const uploadProblems = {
  uploadsNotConfigured: problem({
    code: 'uploads_not_configured',
    status: 501,
    title: 'Uploads not configured',
    detail: 'This deployment has no folder for uploads.',
    hint: 'Name a folder that the worker can read, or ask the operator: WEIR_UPLOAD_DIR.',
    lasting: true,
  }),
  uploadEmpty: problem({
    code: 'upload_empty',
    status: 422,
    title: 'Upload empty',
    detail: 'The body of the request has no bytes.',
    hint: 'Send the file as the body, with Content-Type: application/octet-stream.',
  }),
  uploadNameInvalid: problem({
    code: 'upload_name_invalid',
    status: 422,
    title: 'Upload name invalid',
    detail: 'Nothing of the name can be the name of a file.',
    hint: 'Give a name with letters or digits and the ending of the format, such as orders.csv.',
  }),
  uploadQuotaExceeded: problem({
    code: 'upload_quota_exceeded',
    status: 413,
    title: 'Upload quota exceeded',
    detail: 'The uploads of this tenant would hold more than {quota} MiB.',
    hint: 'Remove uploads that no source needs, or ask the operator to raise WEIR_UPLOAD_QUOTA_MIB.',
    next: [{ operation: 'sources.list_uploads', text: 'List the uploads, then remove unused ones' }],
  }),
  tooManyUploads: problem({
    code: 'too_many_uploads',
    status: 413,
    title: 'Too many uploads',
    detail: 'The tenant has as many {what} as it may: {limit}.',
    hint: 'Remove uploads that no source needs, or put several files into one upload.',
    next: [{ operation: 'sources.list_uploads', text: 'List the uploads, then remove unused ones' }],
  }),
  uploadInUse: problem({
    code: 'upload_in_use',
    status: 409,
    title: 'Upload in use',
    detail: 'A source reads this upload.',
    hint: 'Retire the source or give it another path first.',
  }),
  uploadUnknown: problem({
    code: 'upload_unknown',
    status: 422,
    title: 'Upload unknown',
    detail: 'The configuration names an upload that this tenant does not have.',
    hint: 'Name the `location` of an upload that is kept: one that no source names is removed after 24 hours.',
    next: [{ operation: 'sources.list_uploads', text: 'List the uploads that are kept' }],
    faults: { upload_unknown: 'names an upload that is not there' },
  }),
};
