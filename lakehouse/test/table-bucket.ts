import { createHash, createHmac } from 'node:crypto';
import type { S3Options } from '../src/store/store-options.ts';

const REGION = 'us-east-1';
const SERVICE = 's3tables';
const THERE = 409;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The headers of a request to the root of a service, by Signature Version 4 of AWS. */
function signed({ accessKeyId, secretAccessKey }: S3Options, { host, pathname }: URL, body: string) {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${REGION}/${SERVICE}/aws4_request`;
  const headers = { host, 'x-amz-content-sha256': sha256(body), 'x-amz-date': time };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const request = ['PUT', pathname, '', lines.join(''), names, headers['x-amz-content-sha256']].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${hmac(key, text).toString('hex')}`;
  return { ...headers, authorization, 'content-type': 'application/x-amz-json-1.1' };
}

/** Makes a bucket of the tests' object store that is a catalog of its own; it may be there. */
export async function makeTableBucket(s3: S3Options, name: string): Promise<void> {
  const url = new URL('/buckets', s3.endpoint);
  const body = JSON.stringify({ name });
  const { status } = await fetch(url, { method: 'PUT', body, headers: signed(s3, url, body) });
  if (status >= 300 && status !== THERE) throw new Error(`no table bucket: ${status}`);
}

/** The bearer token that its catalog gives for the keys of the store. */
export async function catalogToken(s3: S3Options, uri: string): Promise<string> {
  const { accessKeyId: client_id, secretAccessKey: client_secret } = s3;
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope: 'catalog' });
  const answer = await fetch(`${uri}/v1/oauth/tokens`, { method: 'POST', body });
  const { access_token } = (await answer.json()) as { access_token: string };
  return access_token;
}
