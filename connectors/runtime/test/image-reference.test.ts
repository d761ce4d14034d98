import t from 'tap';
import { parseImageReference, referenceText } from '../src/container/image-reference.ts';
import { pullFailure } from '../src/container/pull-image.ts';
import { startFailure } from '../src/container/start-failure.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

t.test('a reference is what the registries have, and nothing else reaches the engine', async (t) => {
  const good = [
    ['weir/connector-files:1.2.1', 'weir/connector-files:1.2.1'],
    ['postgres', 'postgres:latest'],
    ['localhost/a', 'localhost/a:latest'],
    ['127.0.0.1:5000/a/b:x', '127.0.0.1:5000/a/b:x'],
    ['host:5000/a', 'host:5000/a:latest'],
    [`ghcr.io/a/b:1@${DIGEST}`, `ghcr.io/a/b@${DIGEST}`],
  ] as const;
  for (const [text, reference] of good) t.equal(referenceText(parseImageReference(text)), reference);
  const bad = [
    '',
    ' ',
    '-v=/:/h',
    'a b',
    'A/b',
    'a//b',
    'a:',
    'a@sha256:1',
    `a@${DIGEST}0`,
    'a/../b',
    'é',
    'a\n',
    'a'.repeat(256),
  ];
  for (const text of bad) t.throws(() => parseImageReference(text), { code: 'connector_image_invalid' }, text);
});

t.test('what a registry says has a name of its own', async (t) => {
  const table = [
    [404, 'manifest for x:1 not found: manifest unknown: manifest unknown', 'connector_image_missing'],
    [404, 'pull access denied for x, repository does not exist or may require docker login', 'connector_image_denied'],
    [500, 'Head "https://r/v2/x/manifests/1": unauthorized', 'connector_image_denied'],
    [undefined, 'error pulling image configuration: denied: requested access', 'connector_image_denied'],
    [
      500,
      'Get "http://127.0.0.1:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused',
      'connector_registry_unreachable',
    ],
    [500, 'Get "https://r/v2/": net/http: TLS handshake timeout', 'connector_registry_unreachable'],
    [undefined, 'filesystem layer verification failed for digest sha256:1', 'connector_pull_failed'],
    [400, 'invalid reference format', 'connector_image_invalid'],
    [
      500,
      'toomanyrequests: You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit',
      'connector_registry_limited',
    ],
    [
      undefined,
      'unexpected status from HEAD request to https://r/v2/x: 429 Too Many Requests',
      'connector_registry_limited',
    ],
    [undefined, 'failed to register layer: write /x: no space left on device', 'connector_pull_failed'],
  ] as const;
  for (const [status, words, code] of table) t.equal(pullFailure(status, words).code, code, words);
});

t.test('bounds that an engine does not give have a name of their own, and are no fault of the image', async (t) => {
  const code = (statusCode: number | undefined, message: string) =>
    startFailure({ statusCode, json: { message } }).code;
  for (const words of [
    'Range of CPUs is from 0.01 to 2.00, as there are only 2 CPUs available',
    'Minimum memory limit allowed is 6MB',
    'NanoCPUs can not be set, as your kernel does not support CPU CFS scheduler or the cgroup is not mounted',
  ])
    t.equal(code(400, words), 'connector_limits_refused', words);
  t.equal(code(400, 'No command specified'), 'connector_image_unusable');
  t.equal(code(404, 'No such image: x'), 'connector_image_unusable');
  t.equal(code(500, 'OCI runtime create failed'), 'connector_start_failed');
  t.equal(code(undefined, 'connect ENOENT'), 'connector_runtime_unavailable');
});
