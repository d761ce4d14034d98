import { Type } from '@sinclair/typebox';
import { probe } from '../contract/access.ts';
import { endpoint } from '../contract/endpoint.ts';
import { kernelProblems } from '../contract/problems.ts';
import { OneOf } from '../contract/shapes.ts';

/** The release that answers: its SHA and image digest, and nothing else. */
export const getHealth = endpoint({
  id: 'kernel.get_health',
  method: 'GET',
  path: '/health',
  mount: 'root',
  summary: 'The release that is running',
  access: probe,
  response: Type.Object({ release_sha: Type.String(), image_digest: Type.String() }),
});

/** Whether requests can be served: each part by name, up or down. 503 while one is down. */
export const getReady = endpoint({
  id: 'kernel.get_ready',
  method: 'GET',
  path: '/ready',
  mount: 'root',
  summary: 'Whether every part that requests need answers',
  access: probe,
  response: Type.Object({ ready: Type.Boolean(), parts: Type.Record(Type.String(), OneOf(['up', 'down'])) }),
  errors: [kernelProblems.dependencyUnavailable, kernelProblems.shuttingDown],
});

/** The unversioned routes of the kernel. */
export const KERNEL_ENDPOINTS = [getHealth, getReady];
