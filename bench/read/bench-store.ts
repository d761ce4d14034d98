import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { Secret } from '@weir/kernel';
import { findObjectStore, startObjectStore } from '../../test/object-store.ts';
import type { PeerSettings } from '../peers/iceberg-peer.ts';

const BUCKET = 'weir-bench';
const REGION = 'us-east-1';

/** An S3 store of its own on this machine. */
export interface BenchStore {
  /** Environment by which the platform keeps its tables there. */
  environment: Record<string, string>;
  /** The same as the plugin's own settings. */
  settings: Record<string, unknown>;
  /** The same place in the words of PyIceberg and DuckDB. */
  peer: PeerSettings;
  stop(): Promise<void>;
}

/** Starts the object store of the tests with an empty bucket. */
export async function benchStore(): Promise<BenchStore> {
  const folder = await mkdtemp(path.join(tmpdir(), 'weir-bench-s3-'));
  const server = await startObjectStore({ binary: await findObjectStore(), folder });
  const { endpoint, accessKeyId, secretAccessKey } = server;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
  const secret = `TYPE s3, KEY_ID '${accessKeyId}', SECRET '${secretAccessKey}', REGION '${REGION}'`;
  const environment = {
    WEIR_WAREHOUSE: `s3://${BUCKET}/warehouse`,
    WEIR_TABLE_CACHE_DIR: path.join(folder, 'copies'),
    OBJECT_STORE_ENDPOINT_URL: endpoint,
    OBJECT_STORE_ACCESS_KEY_ID: accessKeyId,
    OBJECT_STORE_SECRET_ACCESS_KEY: secretAccessKey,
    OBJECT_STORE_REGION: REGION,
  };
  return {
    environment,
    settings: { ...environment, OBJECT_STORE_SECRET_ACCESS_KEY: new Secret(secretAccessKey) },
    peer: {
      s3: {
        's3.endpoint': endpoint,
        's3.region': REGION,
        's3.access-key-id': accessKeyId,
        's3.secret-access-key': secretAccessKey,
        's3.force-virtual-addressing': 'false',
      },
      setup: [`CREATE SECRET (${secret}, ENDPOINT '${new URL(endpoint).host}', URL_STYLE 'path', USE_SSL false)`],
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
