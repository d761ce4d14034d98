import { Type } from '@sinclair/typebox';
import { endpoint, Nullable } from '@weir/kernel/contract';
import { writeSources } from '../access.ts';

/** `GET /file-roots` */
export const getFileRoots = endpoint({
  id: 'sources.get_file_roots',
  method: 'GET',
  path: '/file-roots',
  summary: 'Read which folders of the server a files source may read',
  description:
    'Names that begin with a dot below them, and the folders of the platform, are not read. Upload files that lie elsewhere.',
  access: writeSources,
  response: Type.Object({
    roots: Nullable(
      Type.Array(Type.String(), {
        description: 'Absolute folders; null where every folder is open, none where sources read uploads alone',
      }),
    ),
  }),
  cli: 'uploads roots',
});
