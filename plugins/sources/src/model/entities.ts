import { CredentialEntity } from './credential/entity.ts';
import { DiscoveryEntity } from './discovery/entity.ts';
import { ReplayEntity } from './quarantine/entity.ts';
import { ReceiptEntity } from './receipt/entity.ts';
import { SourceEntity } from './source/entity.ts';
import { StreamEntity } from './stream/entity.ts';
import { StreamRunEntity, SyncRunEntity } from './sync/entity.ts';
import { UploadEntity } from './upload/entity.ts';
import { VerificationEntity } from './verification/entity.ts';

/** Every kind of row of this plugin. */
export const entities = [
  SourceEntity,
  StreamEntity,
  DiscoveryEntity,
  SyncRunEntity,
  StreamRunEntity,
  ReceiptEntity,
  VerificationEntity,
  ReplayEntity,
  CredentialEntity,
  UploadEntity,
];
