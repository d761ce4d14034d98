import { type Static, Type } from '@sinclair/typebox';
import {
  Closed,
  endpoint,
  Id,
  idOf,
  kernelProblems,
  listQuery,
  Nullable,
  Page,
  Timestamp,
} from '@weir/kernel/contract';
import { readSources, writeSources } from '../access.ts';
import { uploadProblems } from './upload-problems.ts';

/** What one request may bring at most, whatever the quota of the tenant. */
export const MAX_UPLOAD_BYTES = 64 * 2 ** 30;

const UploadedFile = Type.Object({ name: Type.String(), bytes: Type.Integer() });

/** Files that a tenant brought, for sources that read them. */
export const Upload = Type.Object({
  upload_id: Id,
  location: Type.String({ description: 'The `path` of a files source that reads them' }),
  files: Type.Array(UploadedFile),
  bytes: Type.Integer(),
  expires_at: Nullable(Timestamp),
});
export type UploadView = Static<typeof Upload>;

const params = Closed({ upload_id: idOf('upload') });
const notConfigured = uploadProblems.uploadsNotConfigured;

/** `POST /uploads` */
export const createUpload = endpoint({
  id: 'sources.create_upload',
  method: 'POST',
  path: '/uploads',
  summary: 'Upload a file for a source, as the bytes of the body',
  description:
    'A file of a name that the upload has already takes its place. Name `location` as the `path` of a files source within a day.',
  access: writeSources,
  query: Closed({
    name: Type.String({ minLength: 1, maxLength: 1024, description: 'Name of the file, with its ending' }),
    upload_id: Type.Optional({ ...Id, description: 'Add the file to this upload; a new one unless given' }),
  }),
  consumes: 'application/octet-stream',
  maxBodyBytes: MAX_UPLOAD_BYTES,
  response: Upload,
  status: 201,
  location: '/uploads/:upload_id',
  errors: [
    notConfigured,
    kernelProblems.notFound,
    uploadProblems.uploadEmpty,
    uploadProblems.uploadNameInvalid,
    uploadProblems.uploadQuotaExceeded,
    uploadProblems.tooManyUploads,
  ],
});

/** `GET /uploads` */
export const listUploads = endpoint({
  id: 'sources.list_uploads',
  method: 'GET',
  path: '/uploads',
  summary: 'List the uploads that are not removed yet',
  access: readSources,
  query: listQuery(['upload_id'], {}),
  response: Page(Upload),
  errors: [notConfigured, kernelProblems.invalidPageToken],
  cli: 'uploads list',
});

/** `GET /uploads/{upload_id}` */
export const getUpload = endpoint({
  id: 'sources.get_upload',
  method: 'GET',
  path: '/uploads/:upload_id',
  summary: 'Read an upload',
  access: readSources,
  params,
  response: Upload,
  errors: [notConfigured, kernelProblems.notFound],
  cli: 'uploads get',
});

/** `DELETE /uploads/{upload_id}` */
export const deleteUpload = endpoint({
  id: 'sources.delete_upload',
  method: 'DELETE',
  path: '/uploads/:upload_id',
  summary: 'Delete an upload',
  access: writeSources,
  params,
  status: 204,
  errors: [notConfigured, kernelProblems.notFound, uploadProblems.uploadInUse],
  cli: 'uploads delete',
});
