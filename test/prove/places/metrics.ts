import type { Place } from '../proof.ts';

/** The figures in both of their forms. The name of the task queue of sources is the control: it is a label. */
export const metrics: Place = {
  name: 'metrics',
  about: 'GET /metrics, as text and as JSON',
  leak: async () => undefined,
  async lookAlive({ platform, fault }, look) {
    for (const accept of ['text/plain', 'application/json']) {
      const answer = await platform.call({ method: 'GET', path: '/metrics', who: 'operator', headers: { accept } });
      if (answer.status !== 200) fault(`the figures were answered ${answer.status}`);
      await look.bytes(`GET /metrics, ${accept}`, answer.text);
    }
  },
};
