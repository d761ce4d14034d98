export { type BucketCopies, newBucket } from './testing/copy-bucket.ts';
export { fileConformance, type Subject } from './testing/file-conformance.ts';
export { type Fault, type FlakyProxy, type ProxiedRequest, startFlakyProxy } from './testing/flaky-proxy.ts';
export {
  type RestCatalogServer,
  type RestCatalogServerOptions,
  startRestCatalog,
} from './testing/rest-catalog-server.ts';
export { type TestBucket, testBucket, testS3 } from './testing/test-bucket.ts';
